/** The `manage__*` tools over HTTP: what each does, and whom it refuses with which code. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, serveEcho, startAcme, type Acme, type Person } from '../support/acme.ts'
import { eventually } from '../support/eventually.ts'
import { callTool, namesOf, untilListed, untilServed } from '../support/gateway-client.ts'
import { askManage, codeOf, definitionsFor, type Definitions } from '../support/manage-listed.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const NOTION = ['notion__create_page', 'notion__search']

describe('manage__* tools', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let acme: Acme
  let alice: Person
  let admin: Person
  let agent: Person
  let definitions: Definitions
  before(async () => {
    echo = await serveEcho()
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    acme = await startAcme(rollcall, echo.url)
    const features = { approvals: true, connectLinks: true, feedback: true }
    await acme.admin('PATCH', '/settings', { features })
    alice = await acme.person('member')
    admin = await acme.person('member', { role: 'admin' })
    agent = await acme.person('agent')
    await acme.account('notion', 'alice', { owner: alice.id })
    await acme.account('notion', 'shared', { to: 'everybody' })
    await untilListed(rollcall, alice.key, ['memory__search', ...NOTION])
    await eventually(
      () => namesOf(rollcall, alice.key),
      (names) => names.includes('manage__send_feedback'),
    )
    definitions = await definitionsFor(rollcall, alice.key)
  })
  after(async () => {
    await rollcall.close()
    await echo.close()
  })

  const ask = (credential: string, operation: string, args: object = {}) =>
    askManage(rollcall, definitions, credential, operation, args)
  const refused = (credential: string, operation: string, args: object = {}) =>
    codeOf(rollcall, credential, operation, args)
  const session = async ({ id }: Person, body?: object) =>
    (await acme.admin('POST', `/members/${id}/session`, body)).token as string
  const audited = async (act: string) => {
    const { items } = await acme.admin('GET', '/audit?limit=100')
    return items.find((entry: { act: string }) => entry.act === act)
  }

  it('D13: lists them in order, each with closed arguments, an answer and what it may do', () => {
    assert.deepEqual(
      [...definitions.keys()].filter((name) => name.startsWith('manage__')),
      [
        'manage__whoami',
        'manage__usage',
        'manage__accounts_list',
        'manage__accounts_rename',
        'manage__accounts_remove',
        'manage__connectors_list',
        'manage__connectors_connect',
        'manage__connectors_wait',
        'manage__remote_list',
        'manage__remote_show',
        'manage__remote_add',
        'manage__remote_refresh',
        'manage__remote_remove',
        'manage__servers_list',
        'manage__tools_pause',
        'manage__tools_resume',
        'manage__tools_reorder',
        'manage__keys_list',
        'manage__keys_create',
        'manage__keys_rotate',
        'manage__keys_revoke',
        'manage__environments_list',
        'manage__switch_org',
        'manage__approval_wait',
        'manage__send_feedback',
      ],
    )
    for (const [name, { inputSchema, outputSchema, annotations }] of definitions) {
      if (!name.startsWith('manage__')) continue
      assert.equal(inputSchema.additionalProperties, false, name)
      // What waits gives the result of any tool.
      const isAny = name === 'manage__approval_wait'
      assert.equal(outputSchema?.type, isAny ? undefined : 'object', name)
      assert.equal(typeof annotations.readOnlyHint, 'boolean', name)
    }
  })

  it('usage: counts the calls of the key in use, beside its cap', async () => {
    const { secret, id } = await acme.admin('POST', '/keys', {
      name: 'Capped',
      kind: 'member',
      principal: alice.id,
      monthlyCap: 7,
    })
    assert.deepEqual(await ask(secret, 'usage'), { credential: id, monthlyCap: 7, months: [] })
    await callTool(rollcall, secret, 'memory__search')
    const { months } = await ask(secret, 'usage')
    assert.deepEqual(months, [{ month: new Date().toISOString().slice(0, 7), calls: 1 }])
    const signedIn = await ask(await session(alice), 'usage')
    assert.deepEqual(signedIn, { credential: alice.id, monthlyCap: null, months: [] })
  })

  it('connectors_list: describes what /connectors does, also what is not connected', async () => {
    const answered = await ask(alice.key, 'connectors_list')
    const headers = { authorization: `Bearer ${alice.key}` }
    const { json } = await rollcall.send('/connectors', { headers })
    assert.deepEqual(answered, json)
    const [notion, twitter] = answered.connectors
    assert.deepEqual([notion.status, twitter.status], ['connected', 'not_connected'])
  })

  it('environments_list: gives what each has, by pages', async () => {
    for (const name of ['production', 'support']) {
      const entries = [{ server: acme.servers.notion, tools: ['search'] }]
      await acme.admin('PUT', `/environments/${name}`, { entries })
    }
    await untilServed(rollcall, alice.key, '/mcp/env/support')
    const first = await ask(agent.key, 'environments_list', { limit: 1 })
    assert.equal(first.environments[0].name, 'production')
    const cursor = first.nextCursor
    const second = await ask(agent.key, 'environments_list', { limit: 1, cursor })
    assert.deepEqual(second.environments[0].entries, [
      { server: acme.servers.notion, tools: ['search'] },
    ])
    assert.equal(second.nextCursor, undefined)
  })

  it('keys_list: shows a member its own keys, an admin all, an agent none', async () => {
    const own = await ask(alice.key, 'keys_list')
    assert.ok(own.keys.every(({ principal }: { principal: string }) => principal === alice.id))
    const others = await ask(alice.key, 'keys_list', { principal: admin.id })
    assert.deepEqual(others, own)
    const all = await ask(admin.key, 'keys_list')
    assert.ok(all.keys.some(({ id }: { id: string }) => id === agent.keyId))
    assert.doesNotMatch(JSON.stringify(all), /sk-rc/)
    assert.equal(await refused(agent.key, 'keys_list'), 'member_principal_required')
  })

  it('C7: refuses every key on a mint', async () => {
    for (const { key } of [alice, admin, agent]) {
      assert.equal(await refused(key, 'keys_create', { name: 'More' }), 'api_key_cannot_mint')
      const rotating = await refused(key, 'keys_rotate', { key: alice.keyId })
      assert.equal(rotating, 'api_key_cannot_mint')
    }
  })

  it('keys_create: makes who is signed in a key that opens the gateway, and tells it once', async () => {
    const token = await session(alice)
    const made = await ask(token, 'keys_create', { name: 'Mine', environment: 'support' })
    assert.deepEqual([made.kind, made.principal], ['member', alice.id])
    const { credential } = await ask(made.secret, 'whoami')
    assert.equal(credential.id, made.id)
    const entry = await audited('keys.create')
    assert.deepEqual([entry.actor, entry.target], [alice.id, made.id])
    assert.ok(!JSON.stringify(entry).includes(made.secret))
    const bot = { kind: 'agent', name: 'Bot' }
    assert.equal(await refused(token, 'keys_create', bot), 'admin_required')
    const forAdmin = { name: 'Theirs', principal: admin.id }
    assert.equal(await refused(token, 'keys_create', forAdmin), 'operator_required')
    const past = { name: 'Old', expiresAt: '2001-01-01T00:00:00Z' }
    assert.equal(await refused(token, 'keys_create', past), 'invalid')
    const mixed = { name: 'Mixed', kind: 'server', server: acme.servers.memory, monthlyCap: 1 }
    assert.equal(await refused(await session(admin), 'keys_create', mixed), 'invalid')
    const agents = await ask(await session(admin), 'keys_create', bot)
    assert.equal((await ask(agents.secret, 'whoami')).principal.kind, 'agent')
  })

  it('keys_rotate: gives a key another secret, whose old one is dead', async () => {
    const token = await session(alice)
    const { id, secret } = await ask(token, 'keys_create', { name: 'Turning' })
    const rotated = await ask(token, 'keys_rotate', { key: id })
    assert.notEqual(rotated.secret, secret)
    assert.equal((await askGateway(rollcall, secret, LIST)).status, 401)
    assert.equal((await ask(rotated.secret, 'whoami')).credential.id, id)
    assert.equal(await refused(token, 'keys_rotate', { key: agent.keyId }), 'key_not_found')
    const admins = await session(admin)
    assert.equal(await refused(admins, 'keys_rotate', { key: id }), 'operator_required')
  })

  it('keys_revoke: ends a key of one’s own, or any as an admin', async () => {
    const keys = await Promise.all(['One', 'Two'].map((name) => mint(name)))
    const [one, two] = keys
    assert.equal(
      await refused(agent.key, 'keys_revoke', { key: one?.id }),
      'member_principal_required',
    )
    const notTheirs = { key: admin.keyId }
    assert.equal(await refused(alice.key, 'keys_revoke', notTheirs), 'key_not_found')
    assert.deepEqual(await ask(alice.key, 'keys_revoke', { key: one?.id }), { revoked: one?.id })
    assert.deepEqual(await ask(admin.key, 'keys_revoke', { key: two?.id }), { revoked: two?.id })
    for (const { secret } of keys) {
      assert.equal((await askGateway(rollcall, secret, LIST)).status, 401)
    }
    const owner = await acme.person('member', { role: 'owner' })
    const above = await refused(admin.key, 'keys_revoke', { key: owner.keyId })
    assert.equal(above, 'insufficient_role')
  })

  it('accounts_rename: gives one’s own account another alias, an admin one of the organization', async () => {
    const aliases = async (key: string) =>
      (await ask(key, 'accounts_list')).accounts.map(({ alias }: { alias: string }) => alias)
    const alicia = { connector: 'notion', alias: 'alice', new_alias: 'alicia' }
    assert.deepEqual(await ask(alice.key, 'accounts_rename', alicia), {
      connector: 'notion',
      alias: 'alicia',
      identity: null,
      status: 'connected',
      member_scope: true,
    })
    assert.deepEqual(await aliases(alice.key), ['alicia', 'shared'])
    assert.equal((await audited('accounts.patch')).actor, alice.id)
    assert.equal(await refused(alice.key, 'accounts_rename', alicia), 'account_not_found')
    // Of two of an alias one's own is meant; a call cannot choose between them.
    const same = { connector: 'notion', alias: 'alicia', new_alias: 'shared' }
    assert.equal((await ask(alice.key, 'accounts_rename', same)).member_scope, true)
    const { result } = await callTool(rollcall, alice.key, 'notion__search', { account: 'shared' })
    assert.equal(result.structuredContent.error.code, 'ambiguous_account')
    assert.equal(
      await refused(admin.key, 'accounts_rename', { ...same, alias: 'shared' }),
      'ambiguous_account',
    )
    const back = { ...same, alias: 'shared', new_alias: 'alicia' }
    assert.equal((await ask(alice.key, 'accounts_rename', back)).alias, 'alicia')
    const crooked = { ...same, new_alias: 'a\u0000b' }
    assert.equal(await refused(alice.key, 'accounts_rename', crooked), undefined)
    const shared = { connector: 'notion', alias: 'shared', new_alias: 'ours' }
    assert.equal(await refused(alice.key, 'accounts_rename', shared), 'admin_required')
    assert.equal(await refused(agent.key, 'accounts_rename', shared), 'member_principal_required')
    assert.equal((await ask(admin.key, 'accounts_rename', shared)).member_scope, false)
    assert.deepEqual(await aliases(alice.key), ['alicia', 'ours'])
    const hers = { connector: 'notion', alias: 'alicia', new_alias: 'mine' }
    for (const credential of [admin.key, await session(admin)]) {
      assert.equal(await refused(credential, 'accounts_rename', hers), 'operator_required')
    }
  })

  it('accounts_remove: takes an account away, and its connector’s tools with the last one', async () => {
    const bob = await acme.person('member')
    await acme.account('twitter', 'bob', { owner: bob.id })
    await untilListed(rollcall, bob.key, ['memory__search', ...NOTION, 'twitter__post'])
    const bobs = { connector: 'twitter', alias: 'bob' }
    // A member's own is as if it were not there, for who neither owns nor administers it.
    assert.equal(await refused(alice.key, 'accounts_remove', bobs), 'account_not_found')
    assert.equal(await refused(agent.key, 'accounts_remove', bobs), 'member_principal_required')
    const shared = { connector: 'notion', alias: 'ours' }
    assert.equal(await refused(bob.key, 'accounts_remove', shared), 'admin_required')
    assert.deepEqual(await ask(bob.key, 'accounts_remove', bobs), { removed: bobs })
    await untilListed(rollcall, bob.key, ['memory__search', ...NOTION])
    assert.equal(await refused(bob.key, 'accounts_remove', bobs), 'account_not_found')
    assert.equal((await audited('accounts.delete')).actor, bob.id)
    assert.deepEqual(await ask(admin.key, 'accounts_remove', shared), { removed: shared })
    await untilListed(rollcall, bob.key, ['memory__search'])
  })

  it('send_feedback: stands in the audit log, bounded, for agents, too', async () => {
    const { received_at } = await ask(agent.key, 'send_feedback', { message: ' More tools! ' })
    const entry = await audited('feedback.send')
    assert.deepEqual(
      [entry.actor, entry.at, entry.detail],
      [agent.id, received_at, { message: 'More tools!' }],
    )
    for (const message of ['', ' ', 'x'.repeat(2001)]) {
      await refused(agent.key, 'send_feedback', { message })
    }
    const codes = []
    for (let n = 0; n < 11; n++) {
      const { result } = await callTool(rollcall, alice.key, 'manage__send_feedback', {
        message: 'm',
      })
      codes.push(result.structuredContent.error?.code)
    }
    assert.ok(codes.includes('rate_limit_exceeded'))
  })

  it('asks who is calling anew: what was taken from an admin is refused at once', async () => {
    const former = await acme.person('member', { role: 'admin' })
    assert.ok((await ask(former.key, 'keys_list')).keys.length > 1)
    await acme.admin('PATCH', `/members/${former.id}`, { role: 'member' })
    assert.equal((await ask(former.key, 'keys_list')).keys.length, 1)
  })

  const mint = async (name: string): Promise<{ id: string; secret: string }> =>
    ask(await session(alice), 'keys_create', { name })
})
