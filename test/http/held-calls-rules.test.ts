/** Which calls are held, by the rules of an organization, and who may decide them (`surfaces.md` C48, D14, D19). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { callTool, namesOf } from '../support/gateway-client.ts'
import { hold, outcomeOf, startHeldWorld, WAIT, type HeldWorld } from '../support/held.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'

const RULES = { rules: [{ match: { tool: 'pay' }, effect: 'ask' }], default: 'run' }

describe('Rules on calls of the gateway', { concurrency: 1 }, () => {
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
  const rule = (approvals: object) => world.acme.admin('PATCH', '/settings', { approvals })
  const refusalOf = async (token: string, method: string, path: string, body?: object) => {
    const { status, json } = await world.by(token, method, path, body)
    return [status, json.error?.code]
  }
  /** What comes of a call at once: its code, or the path that was paid. */
  const outcome = async (key: string, name: string, args: object) => {
    const { result, error } = await callTool(world.rollcall, key, name, args)
    if (error !== undefined) return error.message
    return result.structuredContent?.error?.code ?? JSON.parse(result.content[0].text).paid
  }

  it('let run what they do not name, and hold what they do', async () => {
    const { agent } = world
    assert.equal(await outcome(agent.key, 'bank__look', { to: 'ann' }), '/look/ann/5')
    await hold(world, agent.key)
  })

  it('are looked through in their order, with the arguments as they would run', async () => {
    const { agent, member } = world
    await rule({
      rules: [
        { match: { server: 'bank', arguments: { '/to': 'eve' } }, effect: 'refuse' },
        { match: { caller: 'agent', arguments: { '/amount': { atLeast: 5 } } }, effect: 'ask' },
        { match: { annotations: { readOnlyHint: true } }, effect: 'ask' },
        { match: { server: world.bank }, effect: 'run' },
      ],
      default: 'refuse',
    })
    const earlier = runs()
    const pay = (key: string, args: object) => outcome(key, 'bank__pay', args)
    assert.equal(await pay(agent.key, { to: 'eve', amount: 9 }), 'refused_by_rule')
    assert.equal(await pay(agent.key, { to: 'ann', amount: 9 }), 'approval_pending')
    assert.equal(await pay(agent.key, { to: 'ann' }), 'approval_pending', 'five by default')
    assert.equal(runs(), earlier)
    assert.equal(await pay(agent.key, { to: 'ann', amount: 4 }), '/pay/ann/4')
    assert.equal(await pay(member.key, { to: 'ann', amount: 9 }), '/pay/ann/9')
    assert.equal(await outcome(agent.key, 'memory__search', {}), 'refused_by_rule')
    await rule(RULES)
  })

  it('hold in the stateless era, too, where the result comes on a stream', async () => {
    const { agent, rollcall, acme } = world
    const ask = (name: string, args: object) =>
      rollcall.post('/mcp', modern('tools/call', { name, arguments: args }), {
        authorization: `Bearer ${agent.key}`,
        ...modernHeaders('tools/call', name),
      })
    const { json } = await ask('bank__pay', { to: 'zoe' })
    const id = json.result.structuredContent.approval_id
    const waiting = ask(WAIT, { approval_id: id })
    await acme.admin('POST', `/approvals/${id}/approve`)
    const { text } = await waiting
    assert.match(text, /\/pay\/zoe\/5/)
    assert.match(text, /"resultType":"complete"/)
  })

  it('hold what talks while it runs, which who waits hears', async () => {
    const { agent, rollcall, acme } = world
    await rule({ rules: [{ match: { tool: 'audit' }, effect: 'ask' }], default: 'run' })
    const id = await hold(world, agent.key, {}, 'bank__audit')
    await acme.admin('POST', `/approvals/${id}/approve`)
    const params = { name: WAIT, arguments: { approval_id: id } }
    const { text } = await rollcall.post(
      '/mcp',
      modern('tools/call', params, { progressToken: 'mine' }),
      { authorization: `Bearer ${agent.key}`, ...modernHeaders('tools/call', WAIT) },
    )
    assert.equal(text.match(/"progressToken":"mine"/g)?.length, 2, text)
    assert.match(text, /"resultType":"complete"/)
    await rule(RULES)
  })

  it('D14: are decided by the operator or a signed-in admin, and by no key, whoever holds it', async () => {
    const { agent, member, boss } = world
    const owner = await world.acme.person('member', { role: 'owner' })
    const earlier = runs()
    const id = await hold(world, boss.key)
    for (const verdict of ['approve', 'deny']) {
      const path = `/approvals/${id}/${verdict}`
      for (const { key } of [boss, owner, member]) {
        assert.deepEqual(await refusalOf(key, 'POST', path), [403, 'session_required'])
      }
      assert.deepEqual(await refusalOf(agent.key, 'POST', path), [403, 'member_principal_required'])
      const notAdmin = await world.sessionOf(member)
      assert.deepEqual(await refusalOf(notAdmin, 'POST', path), [403, 'admin_required'])
      assert.deepEqual(await refusalOf('sk-made-up', 'POST', path), [401, 'invalid_token'])
    }
    assert.equal(await outcomeOf(world, boss.key, id, 0), 'still_waiting')
    assert.equal(runs(), earlier)
    const approved = await world.by(await world.sessionOf(boss), 'POST', `/approvals/${id}/approve`)
    assert.deepEqual([approved.json.state, approved.json.decidedBy], ['approved', boss.id])
    assert.equal(await outcomeOf(world, boss.key, id), '/pay/ann/7')
  })

  it('show what was asked for to who may decide, and not to a key', async () => {
    const { boss, member } = world
    const id = await hold(world, member.key)
    const itemOf = async (token: string) =>
      (await world.by(token, 'GET', '/approvals')).json.items.find(
        (item: { id: string }) => item.id === id,
      )
    const seen = await itemOf(await world.sessionOf(boss))
    assert.deepEqual(seen.arguments, { to: 'ann', amount: 7 })
    assert.match(seen.url, /^http:\/\/127\.0\.0\.1:\d+\/approve\?link=/)
    const byKey = await itemOf(boss.key)
    assert.deepEqual(
      [byKey.arguments, byKey.url, byKey.digest],
      [undefined, undefined, seen.digest],
    )
    assert.deepEqual(await refusalOf(member.key, 'GET', '/approvals'), [403, 'admin_required'])
    const pages = []
    const token = await world.sessionOf(boss)
    for (let cursor = ''; ;) {
      const { json } = await world.by(token, 'GET', `/approvals?limit=2${cursor}`)
      pages.push(...json.items.map((item: { id: string }) => item.id))
      if (json.nextCursor === undefined) break
      cursor = `&cursor=${json.nextCursor}`
    }
    const all = (await world.by(token, 'GET', '/approvals')).json.items
    assert.deepEqual(
      pages,
      all.map((item: { id: string }) => item.id),
    )
    assert.deepEqual(await refusalOf(token, 'GET', '/approvals?state=lost'), [422, 'invalid'])
  })

  it('are written by no key, which could let its own calls through', async () => {
    const { boss } = world
    const open = { approvals: { rules: [], default: 'run' } }
    for (const body of [open, { approvals: null }, { features: { approvals: false } }]) {
      const refused = await refusalOf(boss.key, 'PATCH', '/settings', body)
      assert.deepEqual(refused, [403, 'session_required'])
    }
    assert.equal((await world.by(boss.key, 'PATCH', '/settings', { features: {} })).status, 200)
    const written = await world.by(await world.sessionOf(boss), 'PATCH', '/settings', {
      approvals: RULES,
    })
    assert.equal(written.status, 200, written.text)
  })

  it('U.5 11: are one organization’s, and its held calls nobody else’s', async () => {
    const id = await hold(world, world.agent.key)
    const headers = { 'rollcall-organization': 'default' }
    const path = `/approvals/${id}/approve`
    const theirs = await world.rollcall.admin('POST', path, undefined, headers)
    assert.deepEqual([theirs.status, theirs.json.error.code], [404, 'approval_not_found'])
    assert.deepEqual((await world.rollcall.admin('GET', '/approvals')).json.items, [])
  })

  it('D19: hold each call of a tool that a person said asks, whatever the rules let run', async () => {
    const { agent, acme, rollcall } = world
    const { id: far, slug } = await acme.admin('POST', '/servers', {
      name: 'Far',
      kind: 'remote',
      gateway: true,
      hosted: true,
      auth: 'none',
      approvalPolicy: 'require_approval_all',
      remote: { url: upstream.url },
    })
    await eventually(
      () => namesOf(rollcall, agent.key),
      (names) => names.includes(`org__${slug}__echo`),
    )
    const calls = () => upstream.requests.filter(({ body }) => body?.method === 'tools/call').length
    await rule({ rules: [{ match: {}, effect: 'run' }], default: 'run' })
    const id = await hold(world, agent.key, { text: 'hi' }, `org__${slug}__echo`)
    assert.equal(calls(), 0)
    await acme.admin('POST', `/approvals/${id}/approve`)
    const { result } = await callTool(rollcall, agent.key, WAIT, { approval_id: id })
    assert.equal(result.content[0].text, 'hi', JSON.stringify(result))
    assert.equal(calls(), 1)
    const hosted = await rollcall.post(
      `/mcp/${slug}/${far}`,
      legacy('tools/call', { name: 'echo', arguments: { text: 'hi' } }),
      { 'mcp-protocol-version': '2025-11-25' },
    )
    assert.equal(hosted.json.result.structuredContent.error.code, 'approval_required')
    await rule({ rules: [{ match: { server: far }, effect: 'refuse' }], default: 'run' })
    const echo = (key: string) => outcome(key, `org__${slug}__echo`, { text: 'hi' })
    assert.equal(await echo(agent.key), 'refused_by_rule')
    await rule(RULES)
    await acme.admin('PATCH', '/settings', { features: { approvals: false } })
    assert.equal(await echo(agent.key), 'approval_required')
    assert.equal(calls(), 1)
    await acme.admin('PATCH', '/settings', { features: { approvals: true } })
  })

  it('C17: are switched off with the feature, at once, and what waits then never runs', async () => {
    const { agent, acme, rollcall } = world
    await rule(RULES)
    const earlier = runs()
    await eventually(
      () => namesOf(rollcall, agent.key),
      (names) => names.includes(WAIT),
    )
    const id = await hold(world, agent.key)
    await acme.admin('POST', `/approvals/${id}/approve`)
    await acme.admin('PATCH', '/settings', { features: { approvals: false } })
    const { error } = await callTool(rollcall, agent.key, WAIT, { approval_id: id })
    assert.deepEqual(error, { code: -32602, message: `Tool not found: ${WAIT}` })
    assert.equal(runs(), earlier)
    assert.equal(await outcome(agent.key, 'bank__pay', { to: 'now' }), '/pay/now/5')
    // And on, at once, also where an isolate does not know of it yet.
    await acme.admin('PATCH', '/settings', { features: { approvals: true } })
    assert.equal(await outcome(agent.key, 'bank__pay', { to: 'now' }), 'approval_pending')
  })
})
