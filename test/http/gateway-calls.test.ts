/** Calls through the gateway: what its servers get of them, how they talk, who is refused. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, BOTH, serveEcho, startAcme, type Acme, type Person } from '../support/acme.ts'
import { ADA } from '../support/asked.ts'
import { createServer, inOrganization } from '../support/admin.ts'
import { CAPABILITIES_KEY } from '../support/downstreams.ts'
import { eventually } from '../support/eventually.ts'
import { openStream } from '../support/event-stream.ts'
import { callTool, theirs, untilListed } from '../support/gateway-client.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { startModernMcp } from '../support/upstreams/mcp-modern.ts'

const ECHO_ACCOUNT = {
  inputSchema: { type: 'object', properties: { account: { type: 'string' } } },
  handler: { kind: 'static', result: { content: [{ type: 'text', text: 'for {account}' }] } },
}

describe('A call through the gateway', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let echo: Awaited<ReturnType<typeof serveEcho>>
  let acme: Acme
  let alice: Person
  before(async () => {
    echo = await serveEcho()
    rollcall = await startRollcall({ vars: { ALLOW_PRIVATE_UPSTREAMS: '1' } })
    acme = await startAcme(rollcall, echo.url)
    const slow = tool('slow', {
      handler: {
        kind: 'static',
        steps: [{ progress: { progress: 1, total: 2 } }, { log: { level: 'info', data: 'half' } }],
        result: { content: [{ type: 'text', text: 'slow ran' }] },
      },
    })
    const file = serverFile('Media', [slow, tool('echo', ECHO_ACCOUNT)], { gateway: 'media' })
    await createServer(rollcall, file, inOrganization('acme'))
    await acme.admin('POST', `/servers/${acme.servers.twitter}/tools`, tool('own', ECHO_ACCOUNT))
    alice = await acme.person('member')
    await acme.account('twitter', 'alice', { owner: alice.id })
    const names = ['media__slow', 'media__echo', 'memory__search', 'twitter__post', 'twitter__own']
    await untilListed(rollcall, alice.key, names)
  })
  after(async () => {
    await rollcall.close()
    await echo.close()
  })

  it('talks on its own stream to a client of 2026-07-28, under the id of the request', async () => {
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' }
    const stream = await openStream(`${rollcall.url}/mcp`, {
      method: 'POST',
      headers: {
        ...modernHeaders('tools/call', 'media__slow'),
        'content-type': 'application/json',
        authorization: `Bearer ${alice.key}`,
      },
      body: JSON.stringify(modern('tools/call', { name: 'media__slow', arguments: {} }, meta, 9)),
    })
    const progress = await stream.message()
    assert.equal(progress.method, 'notifications/progress')
    assert.equal((await stream.message()).method, 'notifications/message')
    const { id, result } = await stream.message()
    assert.deepEqual([id, result.content[0].text], [9, 'slow ran'])
    assert.equal(await stream.message(), undefined)
  })

  it('is one event to a client of 2025, whatever token it sends', async () => {
    const params = { name: 'media__slow', arguments: {}, _meta: { progressToken: 1 } }
    const { text } = await askGateway(rollcall, alice.key, legacy('tools/call', params))
    assert.equal(text.split('\n\n').length, 2)
    assert.match(text, /slow ran/)
  })

  it('adds `account` to the schema of a connector alone, and to none that has its own', async () => {
    const { text } = await askGateway(rollcall, alice.key, legacy('tools/list'))
    const { tools } = JSON.parse(text.slice(text.indexOf('{'))).result
    const propertiesOf = (name: string) =>
      tools.find((one: { name: string }) => one.name === name).inputSchema.properties
    assert.equal(propertiesOf('twitter__post').account.type, 'string')
    assert.deepEqual(propertiesOf('twitter__own').account, { type: 'string' })
    assert.equal(propertiesOf('memory__search'), undefined)
  })

  it('leaves `account` to a tool that has one of its own', async () => {
    for (const name of ['media__echo', 'twitter__own']) {
      const { result } = await callTool(rollcall, alice.key, name, { account: 'bob' })
      assert.equal(result.content[0].text, 'for bob')
    }
  })

  it('mcp-protocol.md §4.8: answers what a remote server asked with the account it was asked for', async () => {
    const upstream = await startModernMcp({ kind: 'modern' })
    try {
      const { id: server } = await acme.admin('POST', '/servers', {
        name: 'Asking',
        kind: 'remote',
        account: 'required',
        auth: 'key',
        gateway: 'asking',
        remote: { url: upstream.url, auth: { type: 'bearer', token: { account: 'token' } } },
      })
      const carol = await acme.person('member')
      const account = (alias: string, owner?: string) =>
        acme.admin('POST', '/accounts', {
          server,
          alias,
          credential: { token: `token-of-${alias}` },
          owner,
        })
      await Promise.all([account('read'), account('one', carol.id), account('two', carol.id)])
      await eventually(
        () => theirs(rollcall, carol.key),
        (names) => names.includes('asking__rounds'),
      )
      const ask = async (alias: string, params: object = {}) => {
        const name = 'asking__rounds'
        const message = modern(
          'tools/call',
          { name, arguments: { account: alias }, ...params },
          { [CAPABILITIES_KEY]: { elicitation: { form: {} }, sampling: {} } },
        )
        const headers = modernHeaders('tools/call', name)
        const { text } = await askGateway(rollcall, carol.key, message, { headers })
        return JSON.parse(text.slice(text.indexOf('{')))
      }
      const { requestState } = (await ask('one')).result
      const answered = { requestState, inputResponses: { first: ADA } }
      const other = await ask('two', answered)
      assert.equal(other.error?.code, -32602, JSON.stringify(other))
      assert.match(other.error.message, /requestState/)
      const { result } = await ask('one', answered)
      assert.deepEqual(Object.keys(result.inputRequests), ['second'])
    } finally {
      await upstream.close()
    }
  })

  it('is refused once a key has made all its calls of the month', async () => {
    const { secret } = await acme.admin('POST', '/keys', {
      name: 'capped',
      kind: 'member',
      principal: alice.id,
      monthlyCap: 1,
    })
    const first = await callTool(rollcall, secret, 'memory__search')
    assert.equal(first.result.content[0].text, 'search ran')
    const { result } = await callTool(rollcall, secret, 'memory__search')
    assert.equal(result.isError, true)
    assert.equal(result.structuredContent.error.code, 'key_spend_limit_exceeded')
    assert.ok((await theirs(rollcall, secret)).includes('memory__search'))
  })

  it('is refused as a tool that is not there once it is paused, at once', async () => {
    const at = `/servers/${acme.servers.memory}/tools/search`
    await acme.admin('PATCH', at, { status: 'paused' })
    const { error } = await callTool(rollcall, alice.key, 'memory__search')
    assert.deepEqual(error, { code: -32602, message: 'Tool not found: memory__search' })
    await acme.admin('PATCH', at, { status: 'active' })
  })

  it('is refused with its key, by whichever isolate still knows that', async () => {
    const agent = await acme.person('agent')
    await callTool(rollcall, agent.key, 'media__echo', { account: 'x' })
    await acme.admin('DELETE', `/keys/${agent.keyId}`)
    const message = legacy('tools/call', { name: 'media__echo', arguments: {} })
    const { status, json, headers } = await askGateway(rollcall, agent.key, message)
    assert.deepEqual([status, json.error.code], [401, 'invalid_api_key'])
    assert.match(headers.get('www-authenticate') ?? '', /invalid_token/)
  })

  it('is in the call log of its server, with the credential and no arguments', async () => {
    const { items } = await eventually(
      () => acme.admin('GET', `/calls?server=${acme.servers.twitter}`),
      (page) => page.items.length > 0,
    )
    const { tool: name, caller, outcome } = items[0]
    assert.deepEqual([name, caller, outcome], ['own', alice.keyId, 'ok'])
  })

  it('design.md §8: is foretold by the preview, with the rule of each tool that is withheld', async () => {
    const bob = await acme.person('member', { settings: { media: { echo: false } } })
    const preview = async (server: string, query: string) => {
      const path = `/servers/${server}/preview?surface=gateway&principal=${query}`
      const { tools, withheld } = await acme.admin('GET', path)
      return [tools.map(({ name }: { name: string }) => name), withheld]
    }
    const { twitter, notion } = acme.servers
    assert.deepEqual(await preview(twitter, alice.id), [['twitter__post', 'twitter__own'], []])
    assert.deepEqual(await preview(twitter, bob.id), [
      [],
      [
        { name: 'twitter__post', rule: 'no_account' },
        { name: 'twitter__own', rule: 'no_account' },
      ],
    ])
    await acme.admin('PUT', '/environments/none', { entries: [{ server: notion }] })
    const [, withheld] = await preview(twitter, `${alice.id}&environment=none`)
    assert.equal(withheld[0].rule, 'not_in_environment')
    const { items } = await acme.admin('GET', '/servers')
    const { id: media } = items.find(({ name }: { name: string }) => name === 'Media')
    assert.deepEqual(await preview(media, bob.id), [
      ['media__slow'],
      [{ name: 'media__echo', rule: 'member_setting' }],
    ])
    const missing = [
      ['', 422],
      ['&principal=mem_nobody', 404],
      [`&principal=${alice.id}&environment=no-such`, 404],
    ] as const
    for (const [query, status] of missing) {
      const path = `/servers/${media}/preview?surface=gateway${query}`
      const answer = await rollcall.admin('GET', path, undefined, inOrganization('acme'))
      assert.equal(answer.status, status, answer.text)
    }
    const path = `/servers/${twitter}/preview?surface=gateway&principal=${alice.id}`
    const asBob = await rollcall.send(`/api/v1${path}`, {
      headers: { authorization: `Bearer ${bob.key}`, accept: BOTH },
    })
    assert.deepEqual([asBob.status, asBob.json.error.code], [403, 'admin_required'])
  })
})
