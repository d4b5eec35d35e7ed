/** What the gateway demands of a request and how it answers: U.5 check 7, C21–C30, D4, D8, D9. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { askGateway, BOTH, onlyEvent, startAcme, type Acme, type Person } from '../support/acme.ts'
import { callTool, namesOf } from '../support/gateway-client.ts'
import { eventually } from '../support/eventually.ts'
import { legacy, LIST, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'

const TRICKY = 'before\u2028after\u2029and\u0085end'

describe('POST /mcp', { concurrency: 1 }, () => {
  let rollcall: Rollcall
  let acme: Acme
  let alice: Person
  before(async () => {
    rollcall = await startRollcall()
    acme = await startAcme(rollcall, 'https://api.example.com')
    alice = await acme.person('member')
    const file = { description: TRICKY }
    await acme.admin('PATCH', `/servers/${acme.servers.memory}/tools/search`, file)
    await eventually(
      () => askGateway(rollcall, alice.key, LIST),
      ({ text }) => /before[^ ]+after/.test(text),
    )
  })
  after(() => rollcall.close())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    rollcall.post('/mcp', body, { authorization: `Bearer ${alice.key}`, accept: BOTH, ...headers })
  const codeOf = ({ json }: Answer) => json?.error?.code

  it('C27: answers a 2025 request as one event with one data line, and nothing after it', async () => {
    const answer = await post(LIST)
    assert.equal(onlyEvent(answer).id, LIST.id)
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
    assert.equal(answer.headers.get('mcp-session-id'), null)
  })

  it('C29: escapes what some take for a line end', async () => {
    const { result } = onlyEvent(await post(LIST))
    const tool = result.tools.find(({ name }: { name: string }) => name === 'memory__search')
    assert.equal(tool.description, TRICKY)
  })

  it('C23: answers 406 unless both media types are named, in the words of the transport', async () => {
    const text =
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}'
    for (const accept of ['application/json', 'text/event-stream', '*/*', 'text/html']) {
      const answer = await post(LIST, { accept })
      assert.deepEqual([answer.status, answer.text], [406, text])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
    for (const accept of [
      'text/event-stream,application/json',
      'Application/JSON;q=0.9 , TEXT/Event-Stream',
    ]) {
      assert.equal((await post(LIST, { accept })).status, 200)
    }
  })

  it('C24: answers 415 for another media type, before it looks at Accept', async () => {
    const text =
      '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Unsupported Media Type: Content-Type must be application/json"},"id":null}'
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const answer = await post(LIST, { 'content-type': type, accept: '*/*' })
      assert.deepEqual([answer.status, answer.text], [415, text])
    }
    assert.equal(
      (await post(LIST, { 'content-type': 'application/json; charset=utf-8' })).status,
      200,
    )
  })

  it('C26: refuses every array, letter by letter', async () => {
    const text =
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"JSON-RPC batch requests are not supported; send one request per tool call."}}'
    for (const body of [[LIST], [], [{ jsonrpc: '2.0', method: 'notifications/x' }]]) {
      const answer = await post(body)
      assert.deepEqual([answer.status, answer.text], [400, text])
    }
  })

  it('X22: answers what is no JSON, or no message, by status', async () => {
    assert.deepEqual(
      [await post('{'), await post('3'), await post({ id: 1 })].map(({ status, json }) => [
        status,
        json.error.code,
        json.id,
      ]),
      [
        [400, -32700, null],
        [400, -32600, null],
        [400, -32600, 1],
      ],
    )
  })

  it('D8: asks who calls before all else of the request', async () => {
    const unknown = { authorization: 'Bearer nobody', 'content-type': 'text/plain' }
    const answer = await rollcall.send('/mcp', { method: 'POST', headers: unknown, body: '[' })
    assert.deepEqual([answer.status, answer.json.error.type], [401, 'authentication_error'])
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const none = await rollcall.send('/mcp')
    assert.deepEqual([none.status, codeOf(none)], [401, 'missing_authorization'])
    assert.ok(none.headers.has('www-authenticate'))
  })

  it('C37: answers every other method with 405 and what there is', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const headers = { authorization: `Bearer ${alice.key}` }
      const answer = await rollcall.send('/mcp', { method, headers })
      assert.deepEqual([answer.status, codeOf(answer)], [405, 'method_not_allowed'])
      assert.equal(answer.headers.get('allow'), 'POST')
    }
  })

  it('D25: refuses a page of elsewhere, and lets one of this machine in', async () => {
    const elsewhere = await post(LIST, { origin: 'https://evil.example' })
    assert.deepEqual([elsewhere.status, codeOf(elsewhere)], [403, 'origin_not_allowed'])
    const here = await post(LIST, { origin: 'http://localhost:3000' })
    assert.equal(here.headers.get('access-control-allow-origin'), 'http://localhost:3000')
    const headers = { origin: 'http://localhost:3000' }
    assert.equal((await rollcall.send('/mcp', { method: 'OPTIONS', headers })).status, 204)
  })

  it('X1: serves nothing at /mcp/env and below the name of an environment', async () => {
    for (const path of ['/mcp/env', '/mcp/env/', '/mcp/env/a/b']) {
      const answer = await rollcall.post(path, LIST, { authorization: `Bearer ${alice.key}` })
      assert.deepEqual([answer.status, codeOf(answer)], [404, 'endpoint_not_found'], path)
    }
  })

  it('C25: ignores a cursor, and sends none', async () => {
    const { result } = onlyEvent(await post(legacy('tools/list', { cursor: 'junk' })))
    assert.deepEqual(Object.keys(result), ['tools'])
  })

  it('D9: answers initialize and ping without a session, and unknown methods in-band', async () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }
    const opened = await post(legacy('initialize', params))
    const { result } = onlyEvent(opened)
    assert.equal(result.protocolVersion, '2025-06-18')
    assert.deepEqual(result.capabilities, { tools: {} })
    assert.equal(opened.headers.get('mcp-session-id'), null)
    assert.deepEqual(onlyEvent(await post(legacy('ping'))).result, {})
    for (const method of ['prompts/list', 'resources/list', 'logging/setLevel', 'constructor']) {
      assert.equal(onlyEvent(await post(legacy(method))).error.code, -32601)
    }
    const note = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([note.status, note.text], [202, ''])
    const dead = { 'mcp-session-id': 'f'.repeat(64) }
    assert.equal((await post(LIST, dead)).status, 200)
  })

  it('serves each 2025 revision what it knows, and whoever names none the newest', async () => {
    const bare = await callTool(rollcall, alice.key, 'manage__whoami')
    assert.ok('structuredContent' in bare.result)
    const headers = { 'mcp-protocol-version': '2025-03-26' }
    const old = await callTool(rollcall, alice.key, 'manage__whoami', {}, { headers })
    assert.ok(!('structuredContent' in old.result))
    const odd = await post(LIST, { 'mcp-protocol-version': '1999-01-01' })
    assert.deepEqual([odd.status, odd.json.error.code], [400, -32600])
  })

  it('C30: serves 2026-07-28 as JSON whatever Accept says, private and stale at once', async () => {
    const answer = await post(modern('tools/list'), {
      ...modernHeaders('tools/list'),
      accept: 'application/json',
    })
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { resultType, ttlMs, cacheScope } = answer.json.result
    assert.deepEqual([resultType, ttlMs, cacheScope], ['complete', 0, 'private'])
    const found = await post(modern('server/discover'), modernHeaders('server/discover'))
    assert.deepEqual(found.json.result.capabilities, { tools: { listChanged: true }, logging: {} })
    const unknown = await post(modern('initialize'), modernHeaders('initialize'))
    assert.deepEqual([unknown.status, unknown.json.error.code], [404, -32601])
    const called = await post(
      modern('tools/call', { name: 'memory__search', arguments: {} }),
      modernHeaders('tools/call', 'memory__search'),
    )
    assert.equal(called.json.result.content[0].text, 'search ran')
    assert.equal(called.json.result._meta['io.modelcontextprotocol/serverInfo'].name, 'Rollcall')
  })

  it('X16: lists by the id of the capability, then its own order', async () => {
    const names = await namesOf(rollcall, alice.key)
    const ours = names.filter((name) => name.startsWith('manage__'))
    assert.deepEqual(names, [...ours, 'memory__search'])
    assert.equal(ours[0], 'manage__whoami')
  })

  it('refuses arguments that are none, and names of no tool', async () => {
    const call = (params: object) => post(legacy('tools/call', params))
    assert.equal(onlyEvent(await call({ name: 3 })).error.code, -32602)
    assert.equal(
      onlyEvent(await call({ name: 'memory__search', arguments: [] })).error.code,
      -32602,
    )
    for (const name of ['memory', 'memory__', '__search', 'manage__', 'manage__toString']) {
      assert.equal(onlyEvent(await call({ name })).error.message, `Tool not found: ${name}`)
    }
  })
})

describe('GATEWAY_LIMIT', () => {
  it('C42: counts each request of a credential, and answers 429 with when to come again', async () => {
    const rollcall = await startRollcall({ vars: { GATEWAY_LIMIT: '2' } })
    try {
      const acme = await startAcme(rollcall, 'https://api.example.com')
      const [one, other] = [await acme.person('member'), await acme.person('agent')]
      const statuses = []
      for (let n = 0; n < 3; n++) statuses.push((await askGateway(rollcall, one.key, LIST)).status)
      assert.deepEqual(statuses, [200, 200, 429])
      const refused = await askGateway(rollcall, one.key, LIST)
      assert.equal(refused.json.error.code, 'rate_limit_exceeded')
      assert.equal(refused.headers.get('retry-after'), '60')
      assert.equal((await askGateway(rollcall, other.key, LIST)).status, 200)
    } finally {
      await rollcall.close()
    }
  })
})
