/** Rules of sessions that stand between others: batches, capabilities, headers of GET and DELETE. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { resource, serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'

const text = (data: string) => ({ content: [{ type: 'text', text: data }] })
const LOGS = {
  handler: {
    kind: 'static',
    result: text('said'),
    steps: [{ log: { level: 'info', data: 'info' } }, { log: { level: 'error', data: 'error' } }],
  },
}
const TOOLS = [
  tool('logs', LOGS),
  tool('needy', { requires: { elicitation: { url: {} } } }),
  tool('broken', {
    outputSchema: { type: 'object', required: ['n'] },
    handler: { kind: 'static', result: { content: [], structuredContent: { m: 1 } } },
  }),
]

describe('Within a session', () => {
  let rollcall: Rollcall
  let path: string
  let server: string
  before(async () => {
    rollcall = await startRollcall()
    const file = serverFile('Rules', TOOLS, { resources: [resource('docs://a')] })
    const { json } = await rollcall.admin('POST', '/servers', file)
    path = json.endpoint
    server = json.id
  })
  after(() => rollcall.close())

  it('takes settings in a batch as it takes them alone', async () => {
    const session = await openSession(rollcall, path, { revision: '2025-03-26' })
    const { json } = await session.post([
      legacy('logging/setLevel', { level: 'error' }, 1),
      legacy('resources/subscribe', { uri: 'docs://a' }, 2),
      legacy('resources/subscribe', { uri: 'docs://none' }, 3),
    ])
    assert.deepEqual(
      json.map((one: { id: number; error?: { code: number } }) => [one.id, one.error?.code]),
      [
        [1, undefined],
        [2, undefined],
        [3, -32002],
      ],
    )
    const stream = await session.stream(legacy('tools/call', { name: 'logs' }))
    assert.equal((await stream.message()).params.data, 'error')
    await stream.rest()
  })

  it('answers a batch from no older list than the session knows of', async () => {
    const session = await openSession(rollcall, path, { revision: '2025-03-26' })
    const stream = await session.listen()
    await stream.nextAny()
    await rollcall.admin('POST', `/servers/${server}/tools`, tool('later'))
    assert.match((await stream.message()).method, /list_changed/)
    stream.close()
    const { json } = await session.post([legacy('tools/list')])
    assert.match(JSON.stringify(json), /"later"/)
  })

  it('runs a tool that needs a capability for a client that declared it when it opened', async () => {
    const able = { elicitation: { url: {} } }
    const call = legacy('tools/call', { name: 'needy' })
    for (const [capabilities, isError] of [
      [able, undefined],
      [{}, true],
    ] as const) {
      const opened = await rollcall.post(
        path,
        legacy('initialize', { protocolVersion: '2025-11-25', capabilities }),
      )
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
      assert.equal((await rollcall.post(path, call, headers)).json.result.isError, isError)
    }
  })

  it('§6.2: answers with isError where a result is not what the tool promises', async () => {
    const { result } = (await rollcall.post(path, legacy('tools/call', { name: 'broken' }))).json
    assert.equal(result.isError, true)
    assert.match(result.content[0].text, /promises/)
  })

  it('§9.2 #25, #42: looks at the revision that GET and DELETE name', async () => {
    const session = await openSession(rollcall, path)
    const accept = { accept: 'text/event-stream' }
    for (const method of ['GET', 'DELETE']) {
      const as = (revision: string) =>
        rollcall.send(path, {
          method,
          headers: { ...session.headers, ...accept, 'mcp-protocol-version': revision },
        })
      assert.equal((await as('2026-07-28')).status, 405)
      assert.equal((await as('1999-01-01')).status, 400)
    }
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })

  it('§1.2 step 7c: refuses params that are no object with 400 under a modern header', async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: [] }
    const modern = await rollcall.post(path, body, modernHeaders('tools/list'))
    assert.deepEqual([modern.status, modern.json.error.code], [400, -32602])
    assert.equal((await rollcall.post(path, body)).status, 200)
  })

  it('bounds what the answers to a batch come to together', async () => {
    const tools = Array.from({ length: 400 }, (_, n) =>
      tool(`t${n}`, { description: 'x'.repeat(4000) }),
    )
    const { endpoint } = (await rollcall.admin('POST', '/servers', serverFile('Large', tools))).json
    const batch = Array.from({ length: 20 }, (_, id) => legacy('tools/list', {}, id))
    const answer = await rollcall.post(endpoint, batch)
    assert.deepEqual([answer.status, answer.json.error.code], [400, -32600])
    assert.equal((await rollcall.post(endpoint, batch.slice(0, 5))).json.length, 5)
  })

  it('ends its streams when the server is closed to those who opened them', async () => {
    const file = serverFile('Turned', [tool('a')])
    const { json } = await rollcall.admin('POST', '/servers', file)
    for (const change of [{ notifications: false }, { notifications: true, auth: 'key' }]) {
      const session = await openSession(rollcall, json.endpoint)
      const stream = await session.listen()
      await stream.nextAny()
      await rollcall.admin('PATCH', `/servers/${json.id}`, change)
      assert.deepEqual(
        (await stream.rest()).filter(({ data }) => data),
        [],
      )
      await rollcall.admin('PATCH', `/servers/${json.id}`, { notifications: true, auth: 'none' })
    }
  })
})
