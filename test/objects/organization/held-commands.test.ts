import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { beginHeld } from '../../../src/objects/organization/held-commands.ts'
import { nextHeldAt, settleHeld } from '../../../src/objects/organization/held-rows.ts'
import { readHeld } from '../../../src/objects/organization/held-records.ts'
import { resealOne, sealedToReseal } from '../../../src/objects/organization/reseal.ts'
import { patchSettings } from '../../../src/objects/organization/settings-commands.ts'
import { SealKeys } from '../../../src/sealing/seal-keys.ts'
import { NOW } from '../../support/gateway-sql.ts'
import {
  bytes,
  DAY_MS,
  key,
  KEYS,
  MINUTE_MS,
  parsed,
  setUpHeld,
  WRITE,
} from '../../support/held-sql.ts'

describe('A held call in its organization', () => {
  it('goes from pending over approved and running to done, and keeps its result a while', async () => {
    const { hold, stateOf, decide, begin, finish, wait, rows, pass } = setUpHeld()
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
    const { hold, decide, begin, finish, stateOf } = setUpHeld()
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
    const { hold, decide, begin, finish, stateOf, pass, wait } = setUpHeld()
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
    const { hold, sql, at, stateOf, decide, pass } = setUpHeld()
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
    const { hold, stateOf, pass } = setUpHeld()
    const id = await hold()
    for (let minute = 0; minute < 24 * 60 - 4; minute += 4) {
      pass(4 * MINUTE_MS)
      assert.equal(await stateOf(id), 'pending')
    }
    pass(4 * MINUTE_MS)
    assert.equal(await stateOf(id), undefined)
  })

  it('is its principal’s alone', async () => {
    const { hold, wait, decide, at } = setUpHeld()
    const id = await hold()
    assert.equal(await wait(id, 'mem_b'), undefined)
    decide(id, 'approved')
    const other = { credential: 'mem_b', principal: 'mem_b', id, run: 'run_1' }
    assert.equal(await beginHeld(at(), KEYS, other), 'taken')
  })

  it('is decided once', async () => {
    const { hold, decide } = setUpHeld()
    const id = await hold()
    decide(id, 'denied')
    assert.throws(() => decide(id, 'approved'), { status: 409, code: 'approval_decided' })
    assert.throws(() => decide('apr_none', 'approved'), { status: 404 })
  })

  it('is sealed anew after a rotation of keys, and lost with its key', async () => {
    const { hold, decide, begin, sql, at } = setUpHeld()
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
    const { hold, context } = setUpHeld()
    assert.equal(await hold({ args: undefined }), 'needs arguments')
    patchSettings(context, { features: { approvals: false } }, WRITE)
    await assert.rejects(hold({ args: undefined }), /it was not held/, 'it just runs')
  })

  it('has no result where that is too large to keep, and says that it has run', async () => {
    const { hold, decide, begin, finish, wait } = setUpHeld()
    const id = await hold()
    decide(id, 'approved')
    await begin(id)
    await finish(id, { text: 'x'.repeat(1024 * 1024) })
    assert.deepEqual(await wait(id), { state: 'done' })
  })
})
