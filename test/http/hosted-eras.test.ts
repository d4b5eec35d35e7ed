/** Which era a request belongs to, and what each refuses (`mcp-protocol.md` §1.2 to §1.5). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { envelope, legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'

describe('The era of a request', () => {
  let rollcall: Rollcall
  let path: string
  before(async () => {
    rollcall = await startRollcall()
    const made = await rollcall.admin('POST', '/servers', serverFile('Eras', [tool('a')]))
    path = made.json.endpoint
  })
  after(() => rollcall.close())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    rollcall.post(path, body, headers)
  const refused = async (
    body: unknown,
    headers: Record<string, string>,
    status: number,
    code: number,
  ) => {
    const answer = await post(body, headers)
    assert.deepEqual([answer.status, answer.json.error.code], [status, code], answer.text)
    return answer.json
  }
  const list = modern('tools/list')
  const headers = modernHeaders('tools/list')

  it('§9.2 #1: serves a modern request without anything before it', async () => {
    const { json } = await post(list, headers)
    assert.equal(json.result.resultType, 'complete')
    assert.equal(json.result.tools.length, 1)
  })

  it('§9.2 #2, #3: refuses a claim whose header is missing or another, in both directions', async () => {
    const { 'mcp-protocol-version': _, ...without } = headers
    await refused(list, without, 400, -32020)
    await refused(list, { ...headers, 'mcp-protocol-version': '2025-11-25' }, 400, -32020)
    const claim2027 = modern('tools/list', {}, { [VERSION]: '2027-01-01' })
    await refused(claim2027, headers, 400, -32020)
  })

  it('§9.2 #4: names what it supports to a client of an unknown revision', async () => {
    const future = { ...headers, 'mcp-protocol-version': '2027-01-01' }
    const { error, id } = await refused(
      modern('tools/list', {}, { [VERSION]: '2027-01-01' }, 'seven'),
      future,
      400,
      -32022,
    )
    assert.equal(id, 'seven')
    assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2027-01-01' })
    const found = await post(modern('server/discover'), modernHeaders('server/discover'))
    assert.deepEqual(found.json.result.supportedVersions, error.data.supported)
  })

  it('§9.2 #5: refuses a modern header without a whole envelope, but not without clientInfo', async () => {
    await refused(legacy('tools/list'), headers, 400, -32602)
    await refused(legacy('tools/list', { _meta: { progressToken: 1 } }), headers, 400, -32602)
    const { 'io.modelcontextprotocol/clientCapabilities': _, ...incomplete } = envelope()
    await refused(legacy('tools/list', { _meta: incomplete }), headers, 400, -32602)
    await refused(modern('tools/list', {}, { [VERSION]: 7 }), headers, 400, -32602)
    const badInfo = { 'io.modelcontextprotocol/clientInfo': { name: 1 } }
    await refused(modern('tools/list', {}, badInfo), headers, 400, -32602)
    assert.equal((await post(list, headers)).status, 200)
  })

  it('§9.2 #6: answers 404 to methods that this era does not have, the id echoed', async () => {
    const gone = ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'no/such']
    for (const method of [...gone, 'resources/unsubscribe', 'prompts/list']) {
      const { id } = await refused(modern(method, {}, {}, 0), modernHeaders(method), 404, -32601)
      assert.equal(id, 0)
    }
  })

  it('§9.2 #7, #8: initialize answers with the asked legacy revision, else with the newest', async () => {
    const asked = async (protocolVersion: string) => {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: 't', version: '1' } }
      const { json, status } = await post(legacy('initialize', params))
      assert.equal(status, 200)
      return json.result.protocolVersion
    }
    for (const known of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      assert.equal(await asked(known), known)
    }
    for (const other of ['2026-07-28', '1999-01-01', 'junk'])
      assert.equal(await asked(other), '2025-11-25')
  })

  it('§9.2 #9: serves a modern claim as modern whatever session id comes with it', async () => {
    const answer = await post(list, { ...headers, 'mcp-session-id': 'a'.repeat(64) })
    assert.equal(answer.json.result.resultType, 'complete')
    assert.equal(answer.headers.get('mcp-session-id'), null)
  })

  it('§9.2 #10: refuses an enveloped legacy revision', async () => {
    const legacyHeaders = { ...headers, 'mcp-protocol-version': '2025-11-25' }
    await refused(modern('tools/list', {}, { [VERSION]: '2025-11-25' }), legacyHeaders, 400, -32022)
  })

  it('§9.2 #11: enforces no modern header on a legacy request', async () => {
    const answer = await post(legacy('tools/list'), { 'mcp-method': 'other', 'mcp-name': 'x' })
    assert.equal(answer.status, 200)
    assert.equal(answer.json.result.resultType, undefined)
  })

  it('§1.4: initialize under a modern header without a claim is a header mismatch', async () => {
    await refused(legacy('initialize', { protocolVersion: '2025-11-25' }), headers, 400, -32020)
  })

  it('§9.2 #25: refuses an unsupported revision in the header of a legacy request', async () => {
    const bad = { 'mcp-protocol-version': '1999-01-01' }
    await refused(legacy('tools/list'), bad, 400, -32600)
    assert.equal(
      (await post(legacy('initialize', { protocolVersion: '2025-06-18' }), bad)).status,
      200,
    )
  })

  it('§9.2 #32: wants Mcp-Method and Mcp-Name right, whatever the case and padding of the header', async () => {
    await refused(list, { ...headers, 'mcp-method': 'TOOLS/LIST' }, 400, -32020)
    const { 'mcp-method': _, ...without } = headers
    await refused(list, without, 400, -32020)
    const call = modern('tools/call', { name: 'a' })
    await refused(call, modernHeaders('tools/call'), 400, -32020)
    await refused(call, modernHeaders('tools/call', 'A'), 400, -32020)
    const padded = await post(call, { ...modernHeaders('tools/call'), 'MCP-NAME': '  a ' })
    assert.equal(padded.json.result.content[0].text, 'a ran')
    const unnamed = await post(modern('tools/call'), modernHeaders('tools/call'))
    assert.deepEqual([unnamed.status, unnamed.json.error.code], [200, -32602])
  })

  it('§9.2 #33: reads a base64 Mcp-Name strictly', async () => {
    const call = modern('tools/call', { name: 'a' })
    const named = (value: string) => modernHeaders('tools/call', value)
    assert.equal((await post(call, named('=?base64?YQ==?='))).status, 200)
    await refused(call, named('=?base64?YQ?='), 400, -32020)
    await refused(call, named('=?base64?Y!==?='), 400, -32020)
    await refused(call, named('=?BASE64?YQ==?='), 400, -32020)
  })

  it('§9.2 #31, #35: gives result members and cache hints to modern clients alone', async () => {
    const { result } = (await post(list, headers)).json
    assert.deepEqual([result.ttlMs, result.cacheScope], [30_000, 'public'])
    assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'Eras')
    const old = (await post(legacy('tools/list'))).json.result
    assert.deepEqual(Object.keys(old), ['tools'])
    const call = await post(modern('tools/call', { name: 'a' }), modernHeaders('tools/call', 'a'))
    assert.deepEqual([call.json.result.resultType, call.json.result.ttlMs], ['complete', undefined])
  })

  it('§9.2 #37: discover says what is served', async () => {
    const { result } = (await post(modern('server/discover'), modernHeaders('server/discover')))
      .json
    assert.deepEqual(result.capabilities, { tools: { listChanged: true } })
    assert.deepEqual(
      [result.ttlMs, result.cacheScope, result.resultType],
      [30_000, 'public', 'complete'],
    )
    assert.equal(result._meta['io.modelcontextprotocol/serverInfo'].name, 'Eras')
  })

  it('§9.2 #40: refuses a log level that is none', async () => {
    const level = { 'io.modelcontextprotocol/logLevel': 'loud' }
    await refused(modern('tools/list', {}, level), headers, 400, -32602)
  })

  it('§1.2 step 8: judges a notification by its claim and headers', async () => {
    const note = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { _meta: envelope() },
    }
    const named = modernHeaders('notifications/cancelled')
    assert.equal((await post(note, named)).status, 202)
    await refused(note, { ...named, 'mcp-protocol-version': '2025-11-25' }, 400, -32020)
    await refused(note, { ...named, 'mcp-method': 'other' }, 400, -32020)
    const { 'mcp-method': _, ...withoutMethod } = named
    assert.equal((await post(note, withoutMethod)).status, 202)
    const bad = { ...note, params: { _meta: { [VERSION]: 1 } } }
    await refused(bad, named, 400, -32602)
  })
})
