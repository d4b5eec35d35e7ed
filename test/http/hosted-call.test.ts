/** `tools/call` of static tools, as each revision wants the answer. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const PNG = 'iVBORw0KGgo='

const TOOLS = [
  tool('greet', {
    inputSchema: {
      type: 'object',
      properties: {
        who: { type: 'string', minLength: 1 },
        times: { type: 'integer', default: 1 },
        region: { type: 'string', 'x-mcp-header': 'Region' },
      },
      required: ['who'],
      additionalProperties: false,
    },
    handler: {
      kind: 'static',
      result: { content: [{ type: 'text', text: 'Hello {who} x{times} {unknown} {region}.' }] },
    },
  }),
  tool('rich', {
    outputSchema: { type: 'object', properties: { n: { type: 'integer' } } },
    handler: {
      kind: 'static',
      result: {
        content: [
          { type: 'image', data: PNG, mimeType: 'image/png' },
          { type: 'resource_link', uri: 'https://example.com/x', name: 'x' },
        ],
        structuredContent: { n: 1 },
      },
    },
  }),
  tool('needy', { requires: { elicitation: { url: {} } } }),
  tool('zero', {
    handler: { kind: 'static', result: { content: [], structuredContent: 0 } },
  }),
]

describe('tools/call on a hosted server', () => {
  let rollcall: Rollcall
  let path: string
  before(async () => {
    rollcall = await startRollcall()
    path = (await rollcall.admin('POST', '/servers', serverFile('Calls', TOOLS))).json.endpoint
  })
  after(() => rollcall.close())

  const call = async (name: unknown, args?: unknown, revision = '2025-11-25') => {
    const params = { name, ...(args !== undefined && { arguments: args }) }
    const headers = { 'mcp-protocol-version': revision }
    return (await rollcall.post(path, legacy('tools/call', params), headers)).json
  }
  const modernCall = (name: string, args: object, headers = {}, meta = {}) =>
    rollcall.post(path, modern('tools/call', { name, arguments: args }, meta), {
      ...modernHeaders('tools/call', name),
      ...headers,
    })

  it('fills arguments and defaults into the text, and leaves other braces alone', async () => {
    const { result } = await call('greet', { who: 'Ada' })
    assert.deepEqual(result, { content: [{ type: 'text', text: 'Hello Ada x1 {unknown} .' }] })
  })

  it('§9.2 #50: answers arguments that break the schema with isError, naming each field', async () => {
    const { result } = await call('greet', { who: '', times: 'x', extra: 1 })
    assert.equal(result.isError, true)
    for (const field of ['/who', '/times', 'extra'])
      assert.match(result.content[0].text, new RegExp(field))
    assert.match((await call('greet', {})).result.content[0].text, /who/)
  })

  it('§9.2 #56: takes a call without arguments, and refuses those that are no object', async () => {
    assert.match((await call('rich')).result.content[0].mimeType, /png/)
    for (const args of [[], 'x', 1, null])
      assert.equal((await call('rich', args)).error.code, -32602)
    for (const name of [undefined, '', 7]) assert.equal((await call(name)).error.code, -32602)
  })

  it('§9.2 #52: converts what an older revision cannot have', async () => {
    const oldest = (await call('rich', {}, '2025-03-26')).result
    assert.deepEqual(oldest.content[1], { type: 'text', text: 'x: https://example.com/x' })
    assert.equal(oldest.structuredContent, undefined)
    assert.deepEqual((await call('rich', {}, '2025-06-18')).result.structuredContent, { n: 1 })
    assert.equal((await call('zero', {}, '2025-11-25')).result.structuredContent, undefined)
    assert.equal((await modernCall('zero', {})).json.result.structuredContent, 0)
  })

  it('§9.2 #34: wants a Mcp-Param header for an annotated argument, on modern calls alone', async () => {
    const args = { who: 'Ada', region: 'eu' }
    const bare = await modernCall('greet', args)
    assert.deepEqual([bare.status, bare.json.error.code], [400, -32020])
    const other = await modernCall('greet', args, { 'mcp-param-region': 'us' })
    assert.equal(other.json.error.code, -32020)
    const right = await modernCall('greet', args, { 'Mcp-Param-Region': 'eu' })
    assert.match(right.json.result.content[0].text, / eu\./)
    assert.equal((await modernCall('greet', { who: 'Ada' })).status, 200)
    assert.equal((await call('greet', args)).result.isError, undefined)
  })

  it('§1.3 #10: names the client capabilities that a call cannot do without', async () => {
    const bare = await modernCall('needy', {})
    assert.deepEqual([bare.status, bare.json.error.code], [400, -32021])
    assert.deepEqual(bare.json.error.data, { requiredCapabilities: { elicitation: { url: {} } } })
    const able = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }
    assert.equal((await modernCall('needy', {}, {}, able)).json.result.content[0].text, 'needy ran')
    assert.equal((await call('needy')).result.isError, true)
  })

  it('§9.2 #46: ignores a legacy task, and makes none for a modern client', async () => {
    const params = { name: 'rich', task: { ttl: 1 } }
    assert.equal(
      (await rollcall.post(path, legacy('tools/call', params))).json.result.task,
      undefined,
    )
    assert.equal((await modernCall('rich', {})).json.result.resultType, 'complete')
  })
})
