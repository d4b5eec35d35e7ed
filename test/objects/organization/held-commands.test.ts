import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  authorizeOrHold,
  beginHeld,
  decideHeld,
  finishHeld,
  waitForHeld,
} from '../../../src/objects/organization/held-commands.ts'
import { nextHeldAt, settleHeld } from '../../../src/objects/organization/held-rows.ts'
import { readHeld } from '../../../src/objects/organization/held-records.ts'
import { resealOne, sealedToReseal } from '../../../src/objects/organization/reseal.ts'
import { patchSettings } from '../../../src/objects/organization/settings-commands.ts'
import { deleteAccount } from '../../../src/objects/organization/account-commands.ts'
import { SealKeys } from '../../../src/sealing/seal-keys.ts'
import { parseTool } from '../../../src/catalog/tool.ts'
import { writeKey } from '../../../src/objects/organization/credentials.ts'
import { writeEnvironment } from '../../../src/objects/organization/environments.ts'
import { requireServer, writeServer } from '../../../src/objects/organization/servers.ts'
import { createGateway, MEMORY, NOTION, NOW } from '../../support/gateway-sql.ts'
import { tool } from '../../support/servers.ts'

const WRITE = { actor: 'operator' }
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const key = (name: string, byte: number) => `${name}:${Buffer.alloc(32, byte).toString('base64')}`
const KEYS = SealKeys.parse(key('k1', 1))
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
const parsed = (text: Uint8Array | undefined) => JSON.parse(new TextDecoder().decode(text))

function setUp() {
  const gateway = createGateway()
  const { sql, context } = gateway
  let now = NOW
  const at = () => ({ ...context, now })
  patchSettings(
    context,
    { features: { approvals: true }, approvals: { rules: [], default: 'ask' } },
    WRITE,
  )
  const who = { credential: 'mem_a', principal: 'mem_a' }
  return {
    ...gateway,
    at,
    pass: (ms: number) => {
      now += ms
    },
    /** Makes a call, and gives the id by which it is held, or why it is not. */
    hold: async (members: object = {}) => {
      const wanted = { server: MEMORY, tool: 'search', name: 'memory__search', args: bytes({}) }
      const call = { ...who, ...wanted, ...members }
      const held = await authorizeOrHold(at(), KEYS, call)
      if (typeof held === 'string') return held
      if ('refused' in held) return held.refused.code
      assert.ok('held' in held, 'it was not held')
      return held.held
    },
    wait: (id: string, principal = 'mem_a') => waitForHeld(at(), KEYS, principal, id),
    stateOf: async (id: string) => (await waitForHeld(at(), KEYS, 'mem_a', id))?.state,
    decide: (id: string, state: 'approved' | 'denied') => decideHeld(at(), id, state, WRITE),
    begin: (id: string, run = 'run_1', keys = KEYS) => beginHeld(at(), keys, { ...who, id, run }),
    finish: (id: string, result: object | undefined, run = 'run_1') =>
      finishHeld(at(), KEYS, { id, run, result: result && bytes(result) }),
    rows: () => sql.exec('SELECT * FROM held').toArray(),
  }
}

describe('A held call in its organization', () => {
  it('goes from pending over approved and running to done, and keeps its result a while', async () => {
    const { hold, stateOf, decide, begin, finish, wait, rows, pass } = setUp()
    const id = await hold({ args: bytes({ q: 'x' }) })
    assert.equal(await stateOf(id), 'pending')
    assert.equal(await begin(id), 'taken', 'which no one approved')
    decide(id, 'approved')
    assert.equal(await stateOf(id), 'approved')
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'args' in begun)
    assert.deepEqual(parsed(begun.args), { q: 'x' })
    assert.equal(await stateOf(id), 'running')
    await finish(id, { content: [] })
    const done = await wait(id)
    assert.deepEqual([done?.state, parsed(done?.result)], ['done', { content: [] }])
    assert.equal(await begin(id, 'run_2'), 'taken')
    assert.equal(rows()[0]?.['sealed'], null)
    pass(10 * MINUTE_MS)
    assert.deepEqual(await wait(id), { state: 'done' })
    pass(DAY_MS)
    assert.equal(await wait(id), undefined)
    assert.deepEqual(rows(), [])
  })

  it('is begun by one alone, who may ask again where the answer was lost', async () => {
    const { hold, decide, begin, finish, stateOf } = setUp()
    const id = await hold()
    decide(id, 'approved')
    assert.notEqual(await begin(id), 'taken')
    assert.equal(await begin(id, 'run_2'), 'taken')
    assert.notEqual(await begin(id), 'taken')
    await finish(id, { content: [] }, 'run_2')
    assert.equal(await stateOf(id), 'running', 'another one has no say in it')
    await finish(id, undefined)
    assert.equal(await stateOf(id), 'unknown')
    assert.equal(await begin(id), 'taken')
  })

  it('is unknown once it has run longer than a call can, until its end is told after all', async () => {
    const { hold, decide, begin, finish, stateOf, pass, wait } = setUp()
    const id = await hold()
    decide(id, 'approved')
    await begin(id)
    pass(15 * MINUTE_MS - 1)
    assert.equal(await stateOf(id), 'running')
    pass(1)
    assert.equal(await stateOf(id), 'unknown')
    assert.equal(await begin(id), 'taken')
    await finish(id, { content: [{ type: 'text', text: 'late' }] })
    assert.equal((await wait(id))?.state, 'done')
  })

  it('ends by itself at times that the alarm is told', async () => {
    const { hold, sql, at, stateOf, decide, pass } = setUp()
    assert.equal(nextHeldAt(sql), undefined)
    const id = await hold()
    assert.equal(nextHeldAt(sql), NOW + 5 * MINUTE_MS)
    pass(4 * MINUTE_MS)
    assert.equal(await stateOf(id), 'pending')
    assert.equal(nextHeldAt(sql), NOW + 9 * MINUTE_MS)
    decide(id, 'approved')
    pass(5 * MINUTE_MS)
    settleHeld(sql, at().now)
    assert.equal(nextHeldAt(sql), NOW + DAY_MS)
    assert.equal(await stateOf(id), 'expired')
    pass(DAY_MS)
    settleHeld(sql, at().now)
    assert.equal(nextHeldAt(sql), undefined)
  })

  it('is not waited for longer than a day, however often it is asked for', async () => {
    const { hold, stateOf, pass } = setUp()
    const id = await hold()
    for (let minute = 0; minute < 24 * 60 - 4; minute += 4) {
      pass(4 * MINUTE_MS)
      assert.equal(await stateOf(id), 'pending')
    }
    pass(4 * MINUTE_MS)
    assert.equal(await stateOf(id), undefined)
  })

  it('is its principal’s alone', async () => {
    const { hold, wait, decide, at } = setUp()
    const id = await hold()
    assert.equal(await wait(id, 'mem_b'), undefined)
    decide(id, 'approved')
    const other = { credential: 'mem_b', principal: 'mem_b', id, run: 'run_1' }
    assert.equal(await beginHeld(at(), KEYS, other), 'taken')
  })

  it('is decided once', async () => {
    const { hold, decide } = setUp()
    const id = await hold()
    decide(id, 'denied')
    assert.throws(() => decide(id, 'approved'), { status: 409, code: 'approval_decided' })
    assert.throws(() => decide('apr_none', 'approved'), { status: 404 })
  })

  it('is decided anew when it begins: what was taken away since is refused', async () => {
    const { hold, decide, begin, account, context, stateOf, suspend } = setUp()
    account('a', 'mem_a')
    const call = { server: NOTION, tool: 'write', name: 'notion__write' }
    const id = await hold(call)
    decide(id, 'approved')
    deleteAccount(context, 'acc_a', WRITE)
    const refusalOf = async () => {
      const begun = await begin(id)
      return typeof begun === 'object' && 'refused' in begun ? begun.refused.code : 'begun'
    }
    assert.equal(await refusalOf(), 'not_connected')
    assert.equal(await stateOf(id), 'approved', 'and has not been run')
    account('b', 'mem_a')
    const rules = [{ match: { tool: 'write' }, effect: 'refuse' as const }]
    patchSettings(context, { approvals: { rules, default: 'run' } }, WRITE)
    assert.equal(await refusalOf(), 'refused_by_rule')
    patchSettings(context, { approvals: null }, WRITE)
    suspend('mem_a')
    assert.equal(await refusalOf(), 'member_suspended')
    assert.equal(await hold(call), 'member_suspended')
  })

  it('is of the tool as it was: one that has changed since does not run', async () => {
    const { hold, decide, begin, context, stateOf } = setUp()
    const id = await hold()
    decide(id, 'approved')
    const change = (members: object) => {
      const put = [{ ...parseTool(tool('search', members)), sortOrder: 0 }]
      const { settings } = requireServer(context.sql, MEMORY)
      const by = { actor: 'test', act: 'test', target: MEMORY }
      const items = { put, remove: 'others' as const }
      writeServer(context.sql, MEMORY, { settings, items }, by, NOW)
    }
    change({ handler: { kind: 'http', method: 'GET', url: 'https://elsewhere.example/' } })
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'tool_changed')
    assert.equal(await stateOf(id), 'approved', 'and has not been run')
    change({})
    assert.ok('args' in Object(await begin(id)), 'it is what it was')
  })

  it('shows the arguments with the defaults that it runs with', async () => {
    const { hold, at, context } = setUp()
    const properties = { q: { type: 'string' }, limit: { type: 'number', default: 5 } }
    const put = [
      {
        ...parseTool(tool('search', { inputSchema: { type: 'object', properties } })),
        sortOrder: 0,
      },
    ]
    const { settings } = requireServer(context.sql, MEMORY)
    const by = { actor: 'test', act: 'test', target: MEMORY }
    writeServer(context.sql, MEMORY, { settings, items: { put, remove: 'others' } }, by, NOW)
    await hold({ args: bytes({ q: 'x' }) })
    const which = { state: undefined, before: 1000, limit: 10, withArguments: true }
    const [record] = await readHeld(at(), KEYS, which)
    assert.deepEqual(JSON.parse(record?.arguments ?? ''), { q: 'x', limit: 5 })
  })

  it('runs in the environment that it was held in, by no key of another', async () => {
    const { hold, decide, at, sql, begin } = setUp()
    writeEnvironment(sql, 'staging', [], NOW)
    writeKey(
      sql,
      {
        id: 'key_s',
        hash: 'h',
        kind: 'member',
        name: 's',
        principal: 'mem_a',
        environment: 'staging',
        lastFour: 'abcd',
      },
      NOW,
    )
    const staging = { credential: 'key_s', principal: 'mem_a' }
    const id = await hold()
    decide(id, 'approved')
    const begun = await beginHeld(at(), KEYS, { ...staging, id, run: 'run_s' })
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'environment_mismatch')
    assert.ok('args' in Object(await begin(id)))
    const bound = await hold({ ...staging, environment: 'staging' })
    decide(bound, 'approved')
    const there = await begin(bound, 'run_2')
    assert.ok(typeof there === 'object' && 'args' in there)
    assert.equal(there.environment, 'staging')
  })

  it('does not begin once the feature is off', async () => {
    const { hold, decide, begin, context } = setUp()
    const id = await hold()
    decide(id, 'approved')
    patchSettings(context, { features: { approvals: false } }, WRITE)
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'refused' in begun)
    assert.equal(begun.refused.code, 'approvals_off')
  })

  it('is ruled by the inputs that are sent, whatever is given in their place', async () => {
    const { hold, context } = setUp()
    const properties = { mode: { type: 'string' } }
    const item = parseTool(tool('search', { inputSchema: { type: 'object', properties } }))
    const binding = JSON.stringify({
      ...JSON.parse(item.binding),
      inputs: { '/mode': { constant: 'live' } },
    })
    const items = { put: [{ ...item, binding, sortOrder: 0 }], remove: 'others' as const }
    const { settings } = requireServer(context.sql, MEMORY)
    const by = { actor: 'test', act: 'test', target: MEMORY }
    writeServer(context.sql, MEMORY, { settings, items }, by, NOW)
    const rules = [{ match: { arguments: { '/mode': 'dry' } }, effect: 'run' as const }]
    patchSettings(context, { approvals: { rules, default: 'refuse' } }, WRITE)
    assert.equal(await hold({ args: bytes({ mode: 'dry' }) }), 'refused_by_rule')
  })

  it('is made with the account that is chosen when it begins', async () => {
    const { hold, decide, begin, account, context } = setUp()
    account('a', 'mem_a')
    const id = await hold({ server: NOTION, tool: 'write', name: 'notion__write' })
    decide(id, 'approved')
    deleteAccount(context, 'acc_a', WRITE)
    account('b', 'mem_a')
    const begun = await begin(id)
    assert.ok(typeof begun === 'object' && 'authorized' in begun)
    assert.equal(begun.authorized.account?.id, 'acc_b')
  })

  it('never runs with arguments that are not those it was made with', async () => {
    const { hold, decide, begin, stateOf, sql } = setUp()
    const [one, other] = [await hold({ args: bytes({ q: 1 }) }), await hold()]
    sql.exec(
      'UPDATE held SET sealed = (SELECT sealed FROM held WHERE id = ?) WHERE id = ?',
      other,
      one,
    )
    decide(one, 'approved')
    assert.equal(await begin(one), 'taken')
    assert.equal(await stateOf(one), 'expired')
    decide(other, 'approved')
    sql.exec("UPDATE held SET digest = 'another' WHERE id = ?", other)
    assert.equal(await begin(other), 'taken')
  })

  it('is sealed anew after a rotation of keys, and lost with its key', async () => {
    const { hold, decide, begin, sql, at } = setUp()
    const [kept, lost] = [await hold({ args: bytes({ q: 1 }) }), await hold()]
    const rotated = SealKeys.parse(`${key('k2', 2)},${key('k1', 1)}`)
    const first = sealedToReseal(sql, rotated, new Set()).find(({ id }) => id === kept)
    assert.ok(first)
    await resealOne(sql, rotated, 'org_a', first)
    decide(kept, 'approved')
    decide(lost, 'approved')
    const newest = SealKeys.parse(key('k2', 2))
    assert.notEqual(await begin(kept, 'run_1', newest), 'taken')
    assert.equal(await begin(lost, 'run_1', newest), 'taken')
    const which = { state: undefined, before: 1000, limit: 10, withArguments: true }
    const records = await readHeld(at(), newest, which)
    assert.deepEqual(
      records.map(({ id, state, arguments: args }) => [id, state, args]),
      [
        [lost, 'expired', undefined],
        [kept, 'running', '{"q":1}'],
      ],
    )
  })

  it('asks for the arguments only where the feature is on', async () => {
    const { hold, context } = setUp()
    assert.equal(await hold({ args: undefined }), 'needs arguments')
    patchSettings(context, { features: { approvals: false } }, WRITE)
    await assert.rejects(hold({ args: undefined }), /it was not held/, 'it just runs')
  })

  it('has no result where that is too large to keep, and says that it has run', async () => {
    const { hold, decide, begin, finish, wait } = setUp()
    const id = await hold()
    decide(id, 'approved')
    await begin(id)
    await finish(id, { text: 'x'.repeat(1024 * 1024) })
    assert.deepEqual(await wait(id), { state: 'done' })
  })
})
