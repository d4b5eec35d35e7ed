/** Crashes in the middle of a held call: whatever is lost, it runs at most once (`design.md` §3). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { age, hold, outcomeOf, startHeldWorld, type HeldWorld } from '../support/held.ts'
import { resetObject, restart } from '../support/objects.ts'

const RUN_MS = 15 * 60_000
const ROUNDS = 12

describe('A crash under a held call', { concurrency: 1 }, () => {
  let world: HeldWorld
  before(async () => {
    world = await startHeldWorld()
  })
  after(() => world.close())

  const runsOf = (to: string) =>
    world.payments.paid.filter((path) => path.startsWith(`/pay/${to}/`)).length
  const approve = (id: string) => world.acme.admin('POST', `/approvals/${id}/approve`)
  const wait = (id: string, seconds = 20) => outcomeOf(world, world.agent.key, id, seconds)
  const crash = (kind: 'ORGANIZATION' | 'CHANNEL') => {
    const { organization } = world.acme
    const name = kind === 'CHANNEL' ? `surface-${organization}` : organization
    return resetObject(world.rollcall, kind, { name })
  }

  it('between any two of its steps loses nothing', async () => {
    const id = await hold(world, world.agent.key, { to: 'between' })
    await crash('ORGANIZATION')
    assert.equal(await wait(id, 0), 'still_waiting')
    await crash('ORGANIZATION')
    await approve(id)
    await crash('ORGANIZATION')
    assert.equal(await wait(id), '/pay/between/5')
    await crash('ORGANIZATION')
    assert.equal(await wait(id), '/pay/between/5')
    assert.equal(runsOf('between'), 1)
  })

  it('of the objects while it runs neither runs it again nor loses its result', async () => {
    const gate = world.payments.shut()
    const id = await hold(world, world.agent.key, { to: 'objects' })
    await approve(id)
    const waiting = wait(id)
    await gate.arrived
    await crash('ORGANIZATION')
    await crash('CHANNEL')
    assert.equal(await wait(id, 0), 'still_waiting')
    gate.open()
    assert.equal(await waiting, '/pay/objects/5')
    assert.equal(await wait(id), '/pay/objects/5')
    assert.equal(runsOf('objects'), 1)
  })

  it('of the whole runtime before it runs leaves it to be run, once', async () => {
    const id = await hold(world, world.agent.key, { to: 'before' })
    const waiting = wait(id).catch(() => 'lost')
    await restart(world.rollcall)
    await waiting
    await approve(id)
    await restart(world.rollcall)
    assert.equal(await wait(id), '/pay/before/5')
    assert.equal(runsOf('before'), 1)
  })

  it('of the whole runtime while it runs makes its outcome unknown, and never runs it again', async () => {
    const gate = world.payments.shut()
    const id = await hold(world, world.agent.key, { to: 'lost' })
    await approve(id)
    const waiting = wait(id).catch(() => 'lost')
    await gate.arrived
    await restart(world.rollcall)
    gate.open()
    await waiting
    assert.equal(await wait(id, 0), 'still_waiting', 'it may run still, for all that is known')
    await age(world, id, RUN_MS)
    assert.equal(await wait(id, 0), 'outcome_unknown')
    assert.equal(await wait(id), 'outcome_unknown')
    const headers = { 'rollcall-organization': 'acme' }
    const path = `/approvals/${id}/approve`
    assert.equal((await world.rollcall.admin('POST', path, undefined, headers)).status, 409)
    assert.equal(runsOf('lost'), 1)
  })

  it('at any moment runs it at most once, and tells of no result that was not', async () => {
    const outcomes = []
    for (let round = 0; round < ROUNDS; round++) {
      const to = `moment-${round}`
      const id = await hold(world, world.agent.key, { to })
      await approve(id)
      const crashing = sleep(round * 2).then(() => crash('ORGANIZATION'))
      const waits = [wait(id, 2), wait(id, 2)].map((each) => each.catch(() => 'lost'))
      await crashing
      await Promise.all(waits)
      const seen = await wait(id, 0)
      if (seen === 'still_waiting') await age(world, id, RUN_MS)
      const told = await wait(id, 0)
      outcomes.push(told)
      assert.ok(runsOf(to) <= 1, `${to} ran ${runsOf(to)} times`)
      if (told === `/pay/${to}/5`) assert.equal(runsOf(to), 1)
      else assert.equal(told, 'outcome_unknown')
    }
    assert.ok(
      outcomes.some((told) => told !== 'outcome_unknown'),
      'most of them come through',
    )
  })
})
