/** JSON-RPC over a hosted server's path: ids, malformed messages, batches, notifications. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

describe('JSON-RPC on a hosted server', () => {
  let rollcall: Rollcall
  let path: string
  before(async () => {
    rollcall = await startRollcall()
    path = (await rollcall.admin('POST', '/servers', serverFile('Rpc', [tool('a')]))).json.endpoint
  })
  after(() => rollcall.close())

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    rollcall.post(path, body, headers)
  const refused = async (body: unknown, status: number, code: number, headers = {}) => {
    const answer = await post(body, headers)
    assert.deepEqual([answer.status, answer.json?.error.code], [status, code], answer.text)
    return answer
  }

  it('§9.2 #12: echoes an id with its type', async () => {
    for (const id of [0, '', 'x', -5, 2 ** 53 - 1, '\u2028', '🚀']) {
      assert.deepEqual((await post(legacy('ping', {}, id))).json, {
        jsonrpc: '2.0',
        id,
        result: {},
      })
    }
  })

  it('§9.2 #12: refuses ids that are none, without one in the answer', async () => {
    for (const id of ['null', '1.5', '{}', '[]', 'true', '9007199254740993']) {
      const { text } = await refused(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`, 400, -32600)
      assert.doesNotMatch(text, /"id"/)
    }
  })

  it('§9.2 #13: refuses what is not JSON, or not UTF-8, without an id', async () => {
    for (const body of ['{', '', 'null x', '{"a":1}}', '\uFEFF\uFEFF{}']) {
      assert.doesNotMatch((await refused(body, 400, -32700)).text, /"id"/)
    }
    const latin1 = await rollcall.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from('{"jsonrpc":"2.0","id":"\xe9","method":"ping"}', 'latin1'),
    })
    assert.deepEqual([latin1.status, latin1.json.error.code], [400, -32700])
  })

  it('refuses JSON that is no message', async () => {
    for (const body of ['1', 'null', '"x"', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}']) {
      await refused(body, 400, -32600)
    }
    await refused('{"jsonrpc":"2.0","id":1}', 400, -32600)
    await refused('{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600)
    await refused('{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', 200, -32602)
    await refused(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(100_000)}`,
      400,
      -32700,
    )
  })

  it('survives names that objects have by nature', async () => {
    for (const method of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      await refused(legacy(method), 200, -32601)
    }
    const polluted =
      '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"method":"x"},"params":{"__proto__":{}}}'
    assert.deepEqual((await post(polluted)).json.result, {})
  })

  it('§9.2 #14: refuses an empty batch', async () => {
    await refused('[]', 400, -32600)
  })

  it('§9.2 #15: answers a batch of 2025-03-26 by an array, each in its place', async () => {
    const batch = [
      legacy('ping', {}, 1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      legacy('initialize', { protocolVersion: '2025-03-26' }, 2),
      { jsonrpc: '2.0', id: null, method: 'ping' },
      7,
      legacy('tools/list', {}, 'three'),
    ]
    const named: Record<string, string> = { 'mcp-protocol-version': '2025-03-26' }
    for (const headers of [{}, named]) {
      const { status, json } = await post(batch, headers)
      assert.equal(status, 200)
      assert.deepEqual(
        json.map((one: any) => [one.id, one.error?.code]), // oxlint-disable-line typescript/no-explicit-any
        [
          [1, undefined],
          [2, -32600],
          [null, -32600],
          [null, -32600],
          ['three', undefined],
        ],
      )
    }
  })

  it('§9.2 #15: answers a batch of notifications with 202, and later revisions with 400', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const answer = await post([note, note])
    assert.deepEqual([answer.status, answer.text], [202, ''])
    for (const revision of ['2025-06-18', '2025-11-25', '2026-07-28', '2024-11-05', 'junk']) {
      await refused([legacy('ping')], 400, -32600, { 'mcp-protocol-version': revision })
    }
  })

  it('bounds a batch at fifty messages', async () => {
    const pings = Array.from({ length: 51 }, (_, id) => legacy('ping', {}, id))
    assert.equal((await post(pings.slice(0, 50))).json.length, 50)
    await refused(pings, 400, -32600)
  })
  it('runs the calls of a batch side by side', async () => {
    const steps = [{ waitMs: 300 }]
    const result = { content: [{ type: 'text', text: 'late' }] }
    const late = tool('late', { handler: { kind: 'static', result, steps } })
    const made = await rollcall.admin('POST', '/servers', serverFile('Late', [late]))
    const batch = Array.from({ length: 10 }, (_, id) => legacy('tools/call', { name: 'late' }, id))
    const began = Date.now()
    const { json } = await rollcall.post(made.json.endpoint, batch, {
      'mcp-protocol-version': '2025-03-26',
    })
    assert.deepEqual(
      json.map(({ id }: { id: number }) => id),
      batch.map(({ id }) => id),
    )
    assert.ok(Date.now() - began < 10 * 300)
  })

  it('§9.2 #16: refuses a batch that holds a claim', async () => {
    await refused([legacy('ping'), modern('tools/list')], 400, -32600)
  })

  it('§9.2 #17: accepts notifications of both eras with 202 and no body', async () => {
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    for (const headers of [{}, modernHeaders('notifications/initialized')]) {
      const answer = await post(note, headers)
      assert.deepEqual([answer.status, answer.text], [202, ''])
    }
  })

  it('§9.2 #18: answers an unknown legacy method in-band', async () => {
    for (const method of ['no/such', 'server/discover', 'logging/setLevel', 'prompts/list']) {
      await refused(legacy(method), 200, -32601)
    }
  })

  it('§9.2 #19: takes a posted response of the legacy era, and refuses one of the modern', async () => {
    const response = { jsonrpc: '2.0', id: 1, result: {} }
    assert.equal((await post(response)).status, 202)
    await refused(response, 400, -32600, modernHeaders('x'))
  })
})
