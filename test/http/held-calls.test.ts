/** Calls that are held for a person (`surfaces.md` C16, C17, C48), from the first answer to the result. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callTool } from '../support/gateway-client.ts'
import {
  age,
  hold,
  outcomeOf,
  startHeldWorld,
  wait,
  WAIT,
  type HeldWorld,
} from '../support/held.ts'
import { dumpDatabase, inDatabase } from '../support/storage.ts'

const MINUTE_MS = 60_000

describe('A held call', { concurrency: 1 }, () => {
  let world: HeldWorld
  before(async () => {
    world = await startHeldWorld()
  })
  after(() => world.close())

  const runs = () => world.payments.paid.length
  const decide = (id: string, verdict: 'approve' | 'deny') =>
    world.acme.admin('POST', `/approvals/${id}/${verdict}`)
  const audited = async (target: string) =>
    (await world.acme.admin('GET', '/audit?limit=50')).items.filter(
      (entry: { target: string }) => entry.target === target,
    )

  it('has not run, is approved, and runs once for who waits, with its result', async () => {
    const { agent, acme } = world
    const id = await hold(world, agent.key)
    assert.equal(runs(), 0)
    const { items } = await acme.admin('GET', '/approvals?state=pending')
    assert.partialDeepStrictEqual(items, [
      {
        id,
        state: 'pending',
        principal: { id: agent.id, kind: 'agent', name: 'A agent' },
        credential: agent.keyId,
        server: { id: world.bank, name: 'Bank' },
        tool: 'pay',
        name: 'bank__pay',
        arguments: { to: 'ann', amount: 7 },
        decidedBy: null,
      },
    ])
    const waiting = wait(world, agent.key, id)
    assert.equal((await decide(id, 'approve')).state, 'approved')
    const result = await waiting
    assert.notEqual(result.isError, true, JSON.stringify(result))
    assert.equal(JSON.parse(result.content[0].text).paid, '/pay/ann/7')
    assert.deepEqual(world.payments.paid, ['/pay/ann/7'])
    assert.deepEqual(await wait(world, agent.key, id), result, 'and once more as it was')
    assert.equal(runs(), 1)
    const [entry, ...others] = await audited(id)
    assert.deepEqual([entry.act, entry.actor, others], ['approvals.approve', 'operator', []])
    assert.equal(entry.detail.principal, agent.id)
    const [done] = (await acme.admin('GET', '/approvals')).items
    assert.deepEqual([done.state, done.decidedBy, done.arguments], ['done', 'operator', undefined])
  })

  it('is waited for still while nobody decides, and answers so at once when asked to', async () => {
    const id = await hold(world, world.agent.key)
    const result = await wait(world, world.agent.key, id, 0)
    assert.notEqual(result.isError, true)
    const { status, state, approval_id } = result.structuredContent
    assert.deepEqual([status, state, approval_id], ['still_waiting', 'pending', id])
    assert.equal(await outcomeOf(world, world.agent.key, id, 1), 'still_waiting')
    await decide(id, 'deny')
  })

  it('does not run once it is denied', async () => {
    const earlier = runs()
    const id = await hold(world, world.agent.key)
    const waiting = wait(world, world.agent.key, id)
    assert.equal((await decide(id, 'deny')).state, 'denied')
    const result = await waiting
    assert.equal(result.isError, true)
    assert.equal(result.structuredContent.error.code, 'approval_denied')
    const path = `/approvals/${id}/approve`
    const again = await world.rollcall.admin('POST', path, undefined, {
      'rollcall-organization': 'acme',
    })
    assert.deepEqual([again.status, again.json.error.code], [409, 'approval_decided'])
    assert.equal(await outcomeOf(world, world.agent.key, id), 'approval_denied')
    assert.equal(runs(), earlier)
    assert.equal((await audited(id))[0].act, 'approvals.deny')
  })

  it('expires when nobody waits for five minutes, decided or not', async () => {
    const earlier = runs()
    const { agent } = world
    const forgotten = await hold(world, agent.key)
    await age(world, forgotten, 4 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, forgotten, 0), 'still_waiting')
    await age(world, forgotten, 4 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, forgotten, 0), 'still_waiting', 'was waited for')
    await age(world, forgotten, 5 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, forgotten, 0), 'approval_expired')
    const late = await hold(world, agent.key)
    await decide(late, 'approve')
    await age(world, late, 5 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, late, 0), 'approval_expired')
    assert.equal(runs(), earlier)
    const refused = await world.rollcall.admin(
      'POST',
      `/approvals/${forgotten}/approve`,
      undefined,
      { 'rollcall-organization': 'acme' },
    )
    assert.equal(refused.status, 409)
  })

  it('keeps its result for ten minutes, and its row for a day', async () => {
    const { agent } = world
    const id = await hold(world, agent.key)
    await decide(id, 'approve')
    assert.equal(await outcomeOf(world, agent.key, id), '/pay/ann/7')
    await age(world, id, 10 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, id), 'result_gone')
    await age(world, id, 24 * 60 * MINUTE_MS)
    assert.equal(await outcomeOf(world, agent.key, id), 'approval_not_found')
  })

  it('C16: is its caller’s own, and to anybody else like one that is made up', async () => {
    const id = await hold(world, world.agent.key)
    for (const { key } of [world.member, world.boss]) {
      const theirs = await wait(world, key, id, 0)
      const none = await wait(world, key, 'apr_00000000000000000000', 0)
      assert.equal(theirs.structuredContent.error.code, 'approval_not_found')
      assert.deepEqual(theirs, none)
    }
    await decide(id, 'deny')
  })

  it('runs once for two who wait at once, and both have its result', async () => {
    const earlier = runs()
    const { agent } = world
    const gate = world.payments.shut()
    const id = await hold(world, agent.key, { to: 'two' })
    const waiting = [wait(world, agent.key, id), wait(world, agent.key, id)]
    await decide(id, 'approve')
    await gate.arrived
    assert.equal(await outcomeOf(world, agent.key, id, 0), 'still_waiting')
    gate.open()
    const [one, other] = await Promise.all(waiting)
    assert.deepEqual(one, other)
    assert.equal(JSON.parse(one.content[0].text).paid, '/pay/two/5')
    assert.equal(runs(), earlier + 1)
  })

  it('is decided once by two who decide at once, and runs once', async () => {
    const earlier = runs()
    const id = await hold(world, world.agent.key)
    const headers = { 'rollcall-organization': 'acme' }
    const verdicts = ['approve', 'approve', 'approve']
    const answers = await Promise.all(
      verdicts.map((verdict) =>
        world.rollcall.admin('POST', `/approvals/${id}/${verdict}`, undefined, headers),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '409', '409'])
    const outcomes = await Promise.all([1, 2, 3].map(() => outcomeOf(world, world.agent.key, id)))
    assert.deepEqual(outcomes, ['/pay/ann/7', '/pay/ann/7', '/pay/ann/7'])
    assert.equal(runs(), earlier + 1)
  })

  it('never runs with arguments other than those that were approved', async () => {
    const earlier = runs()
    const { agent, acme, rollcall } = world
    const cheap = await hold(world, agent.key, { to: 'ann', amount: 1 })
    const dear = await hold(world, agent.key, { to: 'eve', amount: 9999 })
    const stored = await dumpDatabase(rollcall, acme.organization)
    assert.doesNotMatch(stored, /9999/, 'they are sealed')
    // Whoever could write the database could swap what is sealed, which then opens nowhere.
    const swap = `UPDATE held SET sealed = (SELECT sealed FROM held WHERE id = '${dear}') WHERE id = '${cheap}'`
    await inDatabase(rollcall, swap, acme.organization)
    await decide(cheap, 'approve')
    assert.equal(await outcomeOf(world, agent.key, cheap), 'approval_expired')
    const other = { approval_id: dear, arguments: { to: 'eve', amount: 1 } }
    const { result } = await callTool(rollcall, agent.key, WAIT, other)
    assert.match(result.content[0].text, /Invalid arguments/, 'waiting takes none')
    assert.equal(runs(), earlier)
    await decide(dear, 'deny')
  })

  it('is not held where it could not run, and says what is wrong', async () => {
    const { agent, rollcall } = world
    const { result } = await callTool(rollcall, agent.key, 'bank__pay', { amount: 'much' })
    assert.equal(result.structuredContent.error.code, 'invalid_arguments')
    assert.match(result.content[0].text, /to: is required/)
    const long = await callTool(rollcall, agent.key, 'bank__pay', { to: 'x'.repeat(70_000) })
    assert.equal(long.result.structuredContent.error.code, 'arguments_too_large')
  })

  it('is one of a hundred at most that a caller has waiting', async () => {
    const { member, acme, rollcall } = world
    const many = `INSERT INTO held (id, principal, credential, server, tool, name, digest, state, created_at, due_at)
      WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 100)
      SELECT 'apr_many' || n, '${member.id}', 'k', 's', 't', 'n', '', 'pending', ${Date.now()}, ${Date.now() + MINUTE_MS} FROM counted`
    await inDatabase(rollcall, many, acme.organization)
    const { result } = await callTool(rollcall, member.key, 'bank__pay', { to: 'ann' })
    assert.equal(result.structuredContent.error.code, 'too_many_approvals')
    await hold(world, world.agent.key)
    await inDatabase(rollcall, "DELETE FROM held WHERE id GLOB 'apr_many*'", acme.organization)
  })
})
