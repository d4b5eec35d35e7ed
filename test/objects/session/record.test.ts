import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  endsAt,
  FIRST_USE_MS,
  isOf,
  touched,
  type Claim,
  type SessionRecord,
} from '../../../src/objects/session/record.ts'

const HOUR_MS = 3_600_000
const BEGAN = 1_000_000

const recordOf = (members: Partial<SessionRecord> = {}): SessionRecord => ({
  organization: 'org_test',
  server: 'a1b2c3d4e5f6a1b2',
  caller: 'key_1',
  revision: '2025-11-25',
  clientInfo: '{}',
  clientCapabilities: '{}',
  logLevel: undefined,
  catalogRevision: 3,
  announced: {},
  subscriptions: [],
  idleMs: HOUR_MS,
  createdAt: BEGAN,
  lastUsedAt: BEGAN,
  isUsed: false,
  ...members,
})

describe('isOf', () => {
  const mine: Claim = { organization: 'org_test', server: 'a1b2c3d4e5f6a1b2', caller: 'key_1' }
  const claims: [string, Claim, boolean][] = [
    ['its own caller', mine, true],
    ['its own caller with an older catalog', { ...mine, catalogRevision: 1 }, true],
    ['another caller', { ...mine, caller: 'key_2' }, false],
    ['nobody in particular', { ...mine, caller: 'anonymous' }, false],
    ['its caller in another organization', { ...mine, organization: 'org_other' }, false],
    ['its caller at another server', { ...mine, server: '0'.repeat(16) }, false],
  ]
  for (const [what, claim, expected] of claims) {
    it(`§9.2 #23: is ${expected} of ${what}`, () => {
      assert.equal(isOf(recordOf(), claim), expected)
    })
  }
})

describe('endsAt', () => {
  const cases: [string, Partial<SessionRecord>, number][] = [
    ['5 minutes after initialize when nothing came', {}, BEGAN + 300_000],
    ['an hour after the last use', { isUsed: true, lastUsedAt: BEGAN + 5 }, BEGAN + 5 + HOUR_MS],
    ['the idle time after initialize where that is shorter', { idleMs: 1000 }, BEGAN + 1000],
    [
      'the idle time after the last use, down to a second',
      { idleMs: 1000, isUsed: true },
      BEGAN + 1000,
    ],
    ['a day after the last use', { idleMs: 24 * HOUR_MS, isUsed: true }, BEGAN + 24 * HOUR_MS],
    [
      '5 minutes after initialize for an idle time of a day',
      { idleMs: 24 * HOUR_MS },
      BEGAN + FIRST_USE_MS,
    ],
  ]
  for (const [when, members, at] of cases) {
    it(`is ${when}`, () => assert.equal(endsAt(recordOf(members)), at))
  }
})

describe('touched', () => {
  it('notes the first use, however soon it comes', () => {
    const record = recordOf()
    const after = touched(record, BEGAN)
    assert.deepEqual(after, { ...record, isUsed: true })
    assert.equal(endsAt(after), BEGAN + HOUR_MS)
  })

  it('notes a later use at most every twentieth of the idle time', () => {
    const record = recordOf({ isUsed: true })
    const twentieth = HOUR_MS / 20
    assert.equal(touched(record, BEGAN), record)
    assert.equal(touched(record, BEGAN + twentieth - 1), record)
    assert.deepEqual(touched(record, BEGAN + twentieth), {
      ...record,
      lastUsedAt: BEGAN + twentieth,
    })
  })

  it('keeps a session alive that is used all the time', () => {
    let record = recordOf({ idleMs: 1000 })
    for (let now = BEGAN; now < BEGAN + 60_000; now += 30) {
      assert.ok(now < endsAt(record), `at ${now - BEGAN}`)
      record = touched(record, now)
    }
  })

  it('changes nothing but the use', () => {
    const record = recordOf({ announced: { tools: 'x' }, subscriptions: ['x:'] })
    const { isUsed: _, lastUsedAt: _at, ...rest } = touched(record, BEGAN + 9)
    assert.partialDeepStrictEqual(record, rest)
    assert.equal(record.isUsed, false)
  })
})
