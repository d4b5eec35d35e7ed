/** Ways around the rules on calls that are closed (`surfaces.md` C48, D14, D19). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { callTool } from '../support/gateway-client.ts'
import { hold, outcomeOf, startHeldWorld, type HeldWorld } from '../support/held.ts'
import { legacy } from '../support/messages.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'

describe('Nobody gets around the rules on calls', { concurrency: 1 }, () => {
  let world: HeldWorld
  let upstream: ModernMcp
  before(async () => {
    world = await startHeldWorld()
    upstream = await startModernMcp({ kind: 'modern' })
  })
  after(async () => {
    await world.close()
    await upstream.close()
  })

  const runs = () => world.payments.paid.length

  it('with a number that is written as null where it is read by a rule', async () => {
    const earlier = runs()
    const dear = { match: { arguments: { '/amount': { atLeast: 100 } } }, effect: 'refuse' }
    await world.acme.admin('PATCH', '/settings', { approvals: { rules: [dear], default: 'run' } })
    const params = { name: 'bank__look', arguments: { to: 'ann', amount: 'HUGE' } }
    for (const amount of ['1e999', '-1e999', '[{"x":1e999}]']) {
      const { text } = await world.rollcall.send('/mcp', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.agent.key}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-11-25',
        },
        body: JSON.stringify(legacy('tools/call', params)).replace('"HUGE"', amount),
      })
      assert.match(text, /-32602.*a number that is too large/, amount)
    }
    assert.equal(runs(), earlier)
    const pays = { match: { tool: 'pay' }, effect: 'ask' }
    await world.acme.admin('PATCH', '/settings', { approvals: { rules: [pays], default: 'run' } })
  })

  it('by trying the tool with the key of an admin, who may try it as a person', async () => {
    const earlier = runs()
    const path = `/servers/${world.bank}/tools/pay/call`
    const body = { arguments: { to: 'ann' } }
    const refused = await world.by(world.boss.key, 'POST', path, body)
    assert.deepEqual([refused.status, refused.json.error?.code], [403, 'session_required'])
    assert.equal(runs(), earlier)
    assert.equal(
      (await world.by(await world.sessionOf(world.boss), 'POST', path, body)).status,
      200,
    )
    await world.acme.admin('PATCH', '/settings', { features: { approvals: false } })
    assert.equal((await world.by(world.boss.key, 'POST', path, body)).status, 200)
    await world.acme.admin('PATCH', '/settings', { features: { approvals: true } })
  })

  it('though whoever was held is let wait at once, also where the feature was off before', async () => {
    const id = await hold(world, world.agent.key)
    assert.equal(await outcomeOf(world, world.agent.key, id, 0), 'still_waiting')
  })

  it('by switching the feature off under one who waits', async () => {
    const earlier = runs()
    const id = await hold(world, world.agent.key, { to: 'off' })
    const waiting = outcomeOf(world, world.agent.key, id, 5)
    await world.acme.admin('PATCH', '/settings', { features: { approvals: false } })
    await world.acme.admin('POST', `/approvals/${id}/approve`)
    await waiting.catch(() => undefined)
    assert.equal(runs(), earlier)
    const { result } = await callTool(world.rollcall, world.agent.key, 'bank__pay', { to: 'on' })
    assert.notEqual(result.isError, true)
    await world.acme.admin('PATCH', '/settings', { features: { approvals: true } })
  })

  it('with a key that takes back what asks, which an admin said of a remote server', async () => {
    const { acme, rollcall } = world
    const editor = await acme.person('member', { permissions: ['connections:org'] })
    const far = await acme.admin('POST', '/servers', {
      name: 'Far',
      kind: 'remote',
      gateway: true,
      auth: 'none',
      approvalPolicy: 'require_approval_all',
      remote: { url: upstream.url },
    })
    const convai = (method: string, path: string, body: object) =>
      rollcall.send(`/v1/convai/mcp-servers/${far.configuration}${path}`, {
        method,
        headers: { 'xi-api-key': editor.key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const policy = async () => (await acme.admin('GET', `/servers/${far.id}`)).approvalPolicy
    for (const approval_policy of ['auto_approve_all', 'require_approval_per_tool']) {
      for (const path of ['', '/approval-policy']) {
        const { status, text } = await convai('PATCH', path, { approval_policy })
        assert.equal(status, 401, text)
        assert.match(text, /missing_permissions/)
      }
    }
    const bySelf = { approvalPolicy: 'auto_approve_all' }
    const refused = await world.by(world.boss.key, 'PATCH', `/servers/${far.id}`, bySelf)
    assert.deepEqual([refused.status, refused.json.error?.code], [403, 'session_required'])
    assert.equal(await policy(), 'require_approval_all')
    const echo = { tool_name: 'echo', tool_description: '', input_schema: {} }
    const auto = await convai('POST', '/tool-approvals', {
      ...echo,
      approval_policy: 'auto_approved',
    })
    assert.equal(auto.status, 401)
    const asking = { ...echo, approval_policy: 'requires_approval' }
    assert.equal((await convai('POST', '/tool-approvals', asking)).status, 200)
    const token = await world.sessionOf(world.boss)
    assert.equal((await world.by(token, 'PATCH', `/servers/${far.id}`, bySelf)).status, 200)
    const strict = { approval_policy: 'require_approval_all' }
    assert.equal(
      (await convai('PATCH', '/approval-policy', strict)).status,
      200,
      'as strict as it likes',
    )
    await acme.admin('PATCH', '/settings', { features: { approvals: false } })
    const free = await convai('PATCH', '/approval-policy', { approval_policy: 'auto_approve_all' })
    assert.equal(free.status, 200, 'where no calls are held')
    await acme.admin('PATCH', '/settings', { features: { approvals: true } })
  })
})
