/** U.5 checks 8, 10 and 11: who sees what, and what of it may be called. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, serveEcho, startAcme, type Acme, type Person } from '../support/acme.ts'
import { callTool, namesOf, theirs, untilListed, untilServed } from '../support/gateway-client.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

const NOTION = ['notion__create_page', 'notion__search']
const MEMORY = ['memory__search']

describe('The gateway', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let acme: Acme
  let alice: Person
  let bob: Person
  before(async () => {
    echo = await serveEcho()
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    acme = await startAcme(rollcall, echo.url)
    ;[alice, bob] = [await acme.person('member'), await acme.person('member')]
  })
  after(async () => {
    await rollcall.close()
    await echo.close()
  })

  /** The account that a call was made with, as the API before which it was tells. */
  const usedAccount = async ({ key }: Person, name: string, args: object = {}) => {
    const { result } = await callTool(rollcall, key, name, args)
    return JSON.parse(result.content[0].text).account
  }
  /** The code of a call that is refused. */
  const refusalOf = async ({ key }: Person, name: string) => {
    const { result } = await callTool(rollcall, key, name)
    assert.equal(result.isError, true)
    return result.structuredContent.error.code
  }

  it('U.5 #8: shows each of two members only what is theirs, from one account', async () => {
    await acme.account('notion', 'alice', { owner: alice.id })
    await untilListed(rollcall, alice.key, [...MEMORY, ...NOTION])
    assert.deepEqual(await theirs(rollcall, bob.key), MEMORY)
    assert.equal(await usedAccount(alice, 'notion__create_page'), 'alice')
    const refused = await callTool(rollcall, bob.key, 'notion__create_page')
    assert.deepEqual(refused.error, {
      code: -32602,
      message: 'Tool not found: notion__create_page',
    })
    const madeUp = await callTool(rollcall, bob.key, 'notion__no_such_tool')
    assert.deepEqual(madeUp.error, {
      code: -32602,
      message: 'Tool not found: notion__no_such_tool',
    })
  })

  it('U.5 #8: lists an account in needs_reauth as before, and refuses its calls', async () => {
    const carol = await acme.person('member')
    const account = await acme.account('notion', 'carol', { owner: carol.id })
    await untilListed(rollcall, carol.key, [...MEMORY, ...NOTION])
    await acme.admin('PATCH', `/accounts/${account}`, { state: 'needs_reauth' })
    assert.equal(await refusalOf(carol, 'notion__search'), 'needs_reauth')
    assert.deepEqual(await theirs(rollcall, carol.key), [...MEMORY, ...NOTION])
    await acme.admin('PATCH', `/accounts/${account}`, { credential: { token: 'token-of-new' } })
    assert.equal(await usedAccount(carol, 'notion__search'), 'new')
  })

  it('U.5 #8: lists all of an account that is shared for one tool, and refuses the others', async () => {
    const dave = await acme.person('member')
    await acme.account('notion', 'shared', { to: { member: dave.id }, tools: ['search'] })
    await untilListed(rollcall, dave.key, [...MEMORY, ...NOTION])
    assert.equal(await usedAccount(dave, 'notion__search'), 'shared')
    assert.equal(await refusalOf(dave, 'notion__create_page'), 'tool_not_granted')
  })

  it('U.5 #8: lists one tool in an environment with that connector and one tool', async () => {
    await acme.admin('POST', '/environments', {
      name: 'support',
      entries: [{ server: acme.servers.notion, tools: ['search'] }],
    })
    await acme.admin('POST', '/environments', { name: 'other', entries: [] })
    const at = { path: '/mcp/env/support' }
    await untilServed(rollcall, alice.key, '/mcp/env/other')
    await untilListed(rollcall, alice.key, [...MEMORY, 'notion__search'], at)
    const { error } = await callTool(rollcall, alice.key, 'notion__create_page', {}, at)
    assert.equal(error.message, 'Tool not found: notion__create_page')
    const bound = await acme.admin('POST', '/keys', {
      name: 'bound',
      kind: 'member',
      principal: alice.id,
      environment: 'support',
    })
    assert.deepEqual(await theirs(rollcall, bound.secret), [...MEMORY, 'notion__search'])
    assert.deepEqual(await theirs(rollcall, bound.secret, at), [...MEMORY, 'notion__search'])
    const elsewhere = await askGateway(rollcall, bound.secret, LIST, { path: '/mcp/env/other' })
    assert.deepEqual([elsewhere.status, elsewhere.json.error.code], [403, 'environment_mismatch'])
    const nowhere = await askGateway(rollcall, alice.key, LIST, { path: '/mcp/env/no-such' })
    assert.deepEqual([nowhere.status, nowhere.json.error.code], [404, 'environment_not_found'])
  })

  it('C43: asks for an alias where there are several accounts, and takes the one that is named', async () => {
    const erin = await acme.person('member')
    await acme.account('twitter', 'one', { owner: erin.id })
    await acme.account('twitter', 'two', { owner: erin.id })
    await untilListed(rollcall, erin.key, [...MEMORY, 'twitter__post'])
    const { result } = await callTool(rollcall, erin.key, 'twitter__post')
    assert.deepEqual(result.structuredContent.error.aliases, ['one', 'two'])
    assert.equal(result.structuredContent.error.code, 'ambiguous_account')
    assert.equal(await usedAccount(erin, 'twitter__post', { account: 'two' }), 'two')
    const other = await callTool(rollcall, erin.key, 'twitter__post', { account: 'three' })
    assert.equal(other.result.structuredContent.error.code, 'not_connected')
    const wrong = await callTool(rollcall, erin.key, 'twitter__post', { account: 3 })
    assert.match(wrong.result.content[0].text, /account: must be a string/)
  })

  it('shows an agent what was shared with it of the organization, and nothing of a member', async () => {
    const agent = await acme.person('agent')
    await acme.account('twitter', 'for-agent', { to: { agent: agent.id } })
    await acme.account('notion', 'of-bob', { owner: bob.id, to: 'everybody' })
    await untilListed(rollcall, agent.key, [...MEMORY, 'twitter__post'])
    await untilListed(rollcall, bob.key, [...MEMORY, ...NOTION])
    assert.equal(await usedAccount(agent, 'twitter__post'), 'for-agent')
    assert.deepEqual(await theirs(rollcall, agent.key), [...MEMORY, 'twitter__post'])
  })

  it('C2: hides what the organization or the member has switched off, from lists and calls', async () => {
    const frank = await acme.person('member', { settings: { notion: { search: false } } })
    await acme.account('notion', 'frank', { owner: frank.id })
    await untilListed(rollcall, frank.key, [...MEMORY, 'notion__create_page'])
    await acme.admin('PATCH', '/settings', { capabilities: { memory: false } })
    await untilListed(rollcall, frank.key, ['notion__create_page'])
    for (const name of ['notion__search', 'memory__search']) {
      const { error } = await callTool(rollcall, frank.key, name)
      assert.equal(error.message, `Tool not found: ${name}`)
    }
    await acme.admin('PATCH', '/settings', { capabilities: { memory: null } })
    await untilListed(rollcall, frank.key, [...MEMORY, 'notion__create_page'])
  })

  it('U.5 #10: has no tool of a feature that is off, and calls of one are of an unknown name', async () => {
    for (const name of [
      'manage__approval_wait',
      'manage__connectors_list',
      'manage__connectors_connect',
      'manage__connectors_wait',
      'manage__send_feedback',
    ]) {
      assert.ok(!(await namesOf(rollcall, alice.key)).includes(name))
      const { error } = await callTool(rollcall, alice.key, name)
      assert.deepEqual(error, { code: -32602, message: `Tool not found: ${name}` })
    }
  })

  it('C4, C13: lists and runs manage__whoami and manage__accounts_list for every key', async () => {
    const agent = await acme.person('agent')
    for (const { key, id } of [alice, agent]) {
      const { result } = await callTool(rollcall, key, 'manage__whoami')
      assert.equal(result.structuredContent.principal.id, id)
      assert.equal(result.structuredContent.organization.id, acme.organization)
    }
    const { result } = await callTool(rollcall, alice.key, 'manage__accounts_list')
    const rows = JSON.parse(result.content[0].text)
    assert.deepEqual(result.structuredContent, { accounts: rows })
    assert.ok(rows.some((row: object) => 'member_scope' in row && row.member_scope === true))
    const unknown = await callTool(rollcall, alice.key, 'manage__whoami', { extra: 1 })
    assert.equal(unknown.result.isError, true)
  })

  it('D11: describes at /connectors what the list has, and how its accounts are', async () => {
    const grace = await acme.person('member')
    await acme.account('twitter', 'grace', { owner: grace.id, state: 'needs_reauth' })
    const headers = { authorization: `Bearer ${grace.key}` }
    const { json, headers: sent } = await rollcall.send('/connectors', { headers })
    assert.equal(sent.get('cache-control'), 'no-store')
    const twitter = json.connectors.find(({ id }: { id: string }) => id === 'twitter')
    assert.deepEqual(twitter, {
      id: 'twitter',
      name: 'twitter',
      status: 'needs_reauth',
      tool_count: 1,
      accounts: [
        {
          alias: 'grace',
          identity: null,
          status: 'needs_reauth',
          member_scope: true,
          tools: null,
        },
      ],
    })
    assert.equal((await rollcall.send('/connectors')).status, 401)
  })

  it('D11: describes no connector or tool that is switched off, there and in the tools', async () => {
    const settings = { twitter: false }
    const henry = await acme.person('member', { settings })
    await acme.account('twitter', 'henry', { owner: henry.id })
    await acme.account('notion', 'henry', { owner: henry.id })
    const ivy = await acme.person('member')
    const described = async ({ key }: Person) => {
      const headers = { authorization: `Bearer ${key}` }
      const { json } = await rollcall.send('/connectors', { headers })
      return json.connectors.map(
        ({ id, tool_count }: { id: string; tool_count: number }) => `${id} ${tool_count}`,
      )
    }
    const connectorsOfAccounts = async ({ key }: Person) => {
      const { result } = await callTool(rollcall, key, 'manage__accounts_list')
      return new Set(
        result.structuredContent.accounts.map(({ connector }: { connector: string }) => connector),
      )
    }
    assert.deepEqual(await described(henry), ['notion 2'])
    assert.deepEqual(await connectorsOfAccounts(henry), new Set(['notion']))
    assert.deepEqual(await described(ivy), ['notion 2', 'twitter 1'])
    const capabilities = { notion: { search: false }, twitter: { post: false } }
    await acme.admin('PATCH', '/settings', { capabilities })
    assert.deepEqual(await described(henry), ['notion 1'])
    assert.deepEqual(await described(ivy), ['notion 1'])
    await acme.admin('PATCH', '/settings', { capabilities: { notion: null, twitter: null } })
    assert.deepEqual(await described(ivy), ['notion 2', 'twitter 1'])
    await untilListed(rollcall, henry.key, [...MEMORY, ...NOTION])
  })

  it('U.5 #11: shows nothing of another organization, whose names are like made-up ones', async () => {
    const other = await startAcme(rollcall, echo.url, 'other')
    const mallory = await other.person('member')
    await other.account('notion', 'mallory', { owner: mallory.id })
    await untilListed(rollcall, mallory.key, [...MEMORY, ...NOTION])
    const { result } = await callTool(rollcall, mallory.key, 'manage__accounts_list')
    assert.deepEqual(
      result.structuredContent.accounts.map(({ alias }: { alias: string }) => alias),
      ['mallory'],
    )
    const named = await callTool(rollcall, mallory.key, 'notion__search', { account: 'alice' })
    const madeUp = await callTool(rollcall, mallory.key, 'notion__search', { account: 'nobody' })
    const { error } = named.result.structuredContent
    assert.deepEqual(error.aliases, ['mallory'])
    assert.equal(JSON.stringify(named).replaceAll('alice', 'nobody'), JSON.stringify(madeUp))
    const env = await askGateway(rollcall, mallory.key, LIST, { path: '/mcp/env/support' })
    const none = await askGateway(rollcall, mallory.key, LIST, { path: '/mcp/env/no-such' })
    assert.deepEqual([env.status, env.text], [none.status, none.text])
  })
})
