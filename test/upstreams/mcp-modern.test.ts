/** The stateless-era upstreams of the tests, met by the official client of SDK v2 and by plain fetch. */
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createInbox } from '../support/inbox.ts'
import {
  startModernMcp,
  type ModernMcp,
  type ModernOptions,
} from '../support/upstreams/mcp-modern.ts'

const REVISION = '2026-07-28'
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const WHO = { action: 'accept', content: { name: 'Ada' } }
const IDEA = { model: 'm', role: 'assistant', content: { type: 'text', text: 'an idea' } }
const WHERE = { roots: [{ uri: 'file:///home' }] }

async function start(t: TestContext, options: ModernOptions) {
  const upstream = await startModernMcp(options)
  t.after(() => upstream.close())
  return upstream
}

async function connect(t: TestContext, upstream: ModernMcp, mode: VersionNegotiationMode = 'auto') {
  const client = new Client(
    { name: 'client', version: '1.0.0' },
    { capabilities, versionNegotiation: { mode } },
  )
  client.setRequestHandler('elicitation/create', () => WHO as never)
  client.setRequestHandler('sampling/createMessage', () => IDEA as never)
  client.setRequestHandler('roots/list', () => WHERE)
  await client.connect(new StreamableHTTPClientTransport(new URL(upstream.url)))
  t.after(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args })
    const [block] = result.content as { text: string }[]
    return block?.text ?? ''
  }
  return { client, call }
}

/** One modern request by hand. */
async function post(
  upstream: ModernMcp,
  method: string,
  params: Record<string, unknown> = {},
  init: RequestInit & { clientCapabilities?: object } = {},
) {
  const name = params['name'] ?? params['uri']
  const response = await fetch(upstream.url, {
    method: 'POST',
    signal: init.signal,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
      ...(init.headers as Record<string, string> | undefined),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': REVISION,
          'io.modelcontextprotocol/clientCapabilities': init.clientCapabilities ?? capabilities,
        },
      },
    }),
  })
  const text = await response.text()
  return { status: response.status, ...(JSON.parse(text) as { result?: any; error?: any }) } // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

describe('The stateless-era upstreams of the tests', { timeout: 20_000 }, () => {
  for (const kind of ['modern', 'dual'] as const) {
    it(`offer tools, prompts, resources and completion with ${kind}`, async (t) => {
      const upstream = await start(t, { kind, pageSize: 4 })
      const { client, call } = await connect(t, upstream)
      assert.equal(client.getNegotiatedProtocolVersion(), REVISION)
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.slice(-2).map(({ name }) => name),
        ['value', 'region'],
      )
      assert.ok(upstream.requests.length > tools.length / 4)
      assert.equal(await call('echo', { text: 'hello' }), 'hello')
      await assert.rejects(client.callTool({ name: 'throws' }), { code: -32603 })
      await assert.rejects(client.callTool({ name: 'unknown' }), { code: -32602 })
      const note = await client.readResource({ uri: 'memo://notes/7' })
      assert.equal((note.contents[0] as { text: string }).text, 'note 7')
      await assert.rejects(client.readResource({ uri: 'memo://none' }), { code: -32602 })
    })
  }

  it('refuse the session era with modern, and serve it without sessions with dual', async (t) => {
    const initialize = (upstream: ModernMcp) =>
      fetch(upstream.url, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'initialize',
          params: {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          },
        }),
      })
    const refused = await initialize(await start(t, { kind: 'modern' }))
    assert.equal(refused.status, 400)
    assert.match(await refused.text(), /-32022/)
    const served = await initialize(await start(t, { kind: 'dual' }))
    assert.deepEqual([served.status, served.headers.get('mcp-session-id')], [200, null])
    const held = await initialize(await start(t, { kind: 'dual-sessions' }))
    assert.notEqual(held.headers.get('mcp-session-id'), null)
  })

  for (const mode of ['auto', 'legacy'] as const) {
    it(`ask the client for input, in one round and in several, mode ${mode}`, async (t) => {
      const upstream = await start(t, { kind: 'dual-sessions' })
      const { client, call } = await connect(t, upstream, mode)
      assert.deepEqual(JSON.parse(await call('elicit')), { who: WHO })
      assert.deepEqual(JSON.parse(await call('several')), { who: WHO, idea: IDEA, where: WHERE })
      assert.deepEqual(JSON.parse(await call('rounds')), { first: WHO, second: IDEA })
      assert.deepEqual(JSON.parse(await call('state_only')), { again: true })
      const prompt = await client.getPrompt({ name: 'asking' })
      assert.match(JSON.stringify(prompt.messages), /Ada/)
      const read = await client.readResource({ uri: 'memo://asking' })
      assert.match(JSON.stringify(read.contents), /Ada/)
    })
  }

  it('answer input_required as it stands on the wire, and refuse a state that is not theirs', async (t) => {
    const upstream = await start(t, { kind: 'modern' })
    const { result } = await post(upstream, 'tools/call', { name: 'rounds' })
    assert.equal(result.resultType, 'input_required')
    assert.deepEqual(Object.keys(result.inputRequests), ['first'])
    const again = { name: 'rounds', inputResponses: { first: WHO } }
    const next = await post(upstream, 'tools/call', { ...again, requestState: result.requestState })
    assert.deepEqual(Object.keys(next.result.inputRequests), ['second'])
    const tampered = { ...again, requestState: `${result.requestState}x` }
    assert.equal((await post(upstream, 'tools/call', tampered)).error.code, -32602)
    const poor = await post(upstream, 'tools/call', { name: 'elicit' }, { clientCapabilities: {} })
    assert.deepEqual([poor.status, poor.error.code], [400, -32021])
  })

  it('answer structured content that is no object', async (t) => {
    const upstream = await start(t, { kind: 'modern' })
    for (const value of [null, 0, false, [], 'text', { a: 1 }]) {
      const call = { name: 'value', arguments: { value } }
      const { result } = await post(upstream, 'tools/call', call)
      assert.deepEqual(result.structuredContent, value)
    }
  })

  it('want arguments in headers where the schema says so', async (t) => {
    const upstream = await start(t, { kind: 'modern' })
    const call = { name: 'region', arguments: { region: 'Köln', options: { dry: true } } }
    const bare = await post(upstream, 'tools/call', call)
    assert.deepEqual([bare.status, bare.error.code], [400, -32020])
    const headers = { 'mcp-param-region': '=?base64?S8O2bG4=?=', 'mcp-param-dry-run': 'true' }
    assert.equal((await post(upstream, 'tools/call', call, { headers })).status, 200)
  })

  it('tell listeners of changes', async (t) => {
    const upstream = await start(t, { kind: 'modern' })
    const { client } = await connect(t, upstream)
    const told = createInbox<string>()
    client.setNotificationHandler('notifications/tools/list_changed', () => told.put('tools'))
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      told.put(params.uri),
    )
    await client.listen({ toolsListChanged: true, resourceSubscriptions: ['memo://one'] })
    await upstream.world.addTool('later')
    assert.equal(await told.next(), 'tools')
    await upstream.world.updateResource('memo://one')
    assert.equal(await told.next(), 'memo://one')
  })

  it('see a slow call cancelled by a client that leaves', async (t) => {
    const upstream = await start(t, { kind: 'modern' })
    const abort = new AbortController()
    const call = { name: 'slow', arguments: { key: 'a' } }
    const answer = post(upstream, 'tools/call', call, { signal: abort.signal })
    assert.equal(await upstream.world.started.next(), 'a')
    abort.abort()
    await assert.rejects(answer)
    assert.equal(await upstream.world.cancelled.next(), 'a')
  })
})
