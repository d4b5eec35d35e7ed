import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  formatError,
  formatResultOpening,
  INVALID_PARAMS,
  INVALID_REQUEST,
  parseMessage,
  RpcError,
} from '../../src/protocol/json-rpc.ts'

const parse = (text: string) => parseMessage(JSON.parse(text))
const withId = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`

describe('parseMessage', () => {
  for (const id of ['0', '-1', '1', '9007199254740991', '""', '"a"', '"0"', '"null"']) {
    it(`§9.2 #12: takes the id ${id} and echoes it with its type`, () => {
      const message = parse(withId(id))
      assert.deepEqual(message, {
        kind: 'request',
        id: JSON.parse(id),
        method: 'ping',
        params: undefined,
      })
      assert.equal(formatResultOpening(JSON.parse(id)), `{"jsonrpc":"2.0","id":${id},"result":`)
    })
  }

  for (const id of ['null', '1.5', '{}', '[1]', 'true', '9007199254740992', '1e300']) {
    it(`§9.2 #12: refuses the id ${id} with -32600 and no id`, () => {
      assert.throws(() => parse(withId(id)), { code: INVALID_REQUEST, status: 400, id: undefined })
    })
  }

  const none = [
    ['text', '"ping"'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a number', '1'],
    ['an empty object', '{}'],
    ['another version', '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7],
    ['no version', '{"id":7,"method":"ping"}', 7],
    ['no method', '{"jsonrpc":"2.0","id":7}', 7],
    ['a method that is a number', '{"jsonrpc":"2.0","id":"x","method":1}', 'x'],
    ['a method that is null', '{"jsonrpc":"2.0","id":0,"method":null}', 0],
  ] as const
  for (const [what, text, id] of none) {
    it(`refuses ${what} with -32600 and the id where it can be read`, () => {
      assert.throws(() => parse(text), { code: INVALID_REQUEST, status: 400, id })
    })
  }

  for (const params of ['[]', '[1]', 'null', '"x"', '1', 'true']) {
    it(`refuses params that are ${params} with -32602 in-band, the id kept`, () => {
      const text = `{"jsonrpc":"2.0","id":0,"method":"tools/list","params":${params}}`
      assert.throws(() => parse(text), { code: INVALID_PARAMS, status: 200, id: 0 })
    })
  }

  // A notification is never answered on 200: what is wrong with one is a 4xx (§2.3).
  it('refuses a notification whose params are an array with a 4xx and no id', () => {
    const text = '{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}'
    assert.throws(() => parse(text), { code: INVALID_PARAMS, status: 400, id: undefined })
  })

  it('reads a message without id as a notification', () => {
    assert.deepEqual(parse('{"jsonrpc":"2.0","method":"x","params":{"a":1}}'), {
      kind: 'notification',
      method: 'x',
      params: { a: 1 },
    })
  })

  for (const member of ['"result":{}', '"result":null', '"error":{"code":1,"message":"x"}']) {
    it(`reads ${member} without a method as a response`, () => {
      assert.equal(parse(`{"jsonrpc":"2.0","id":1,${member}}`).kind, 'response')
    })
  }

  it('lets unknown members through', () => {
    const message = parse('{"jsonrpc":"2.0","id":1,"method":"ping","extra":true}')
    assert.equal(message.kind, 'request')
  })

  it('keeps a parameter called __proto__ a parameter', () => {
    const message = parse('{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"a":1}}}')
    assert.ok(message.kind === 'request' && message.params)
    assert.deepEqual(Object.keys(message.params), ['__proto__'])
  })
})

describe('formatError', () => {
  const error = new RpcError(-32602, 'say "what"\u2028')
  const body = '"error":{"code":-32602,"message":"say \\"what\\"\u2028"}}'
  const cases = [
    [undefined, `{"jsonrpc":"2.0",${body}`],
    [null, `{"jsonrpc":"2.0","id":null,${body}`],
    [0, `{"jsonrpc":"2.0","id":0,${body}`],
    ['', `{"jsonrpc":"2.0","id":"",${body}`],
    ['"', `{"jsonrpc":"2.0","id":"\\"",${body}`],
  ] as const
  for (const [id, text] of cases) {
    it(`writes the id ${JSON.stringify(id)} as it is, and none where none could be read`, () => {
      assert.equal(formatError(error, id), text)
    })
  }

  it('carries data of any JSON kind', () => {
    for (const data of [null, 0, false, [], { supported: ['2026-07-28'] }]) {
      const text = formatError(new RpcError(-32022, 'm', { data }), 1)
      assert.deepEqual(JSON.parse(text).error.data, data)
    }
  })

  it('rides on 200 unless told otherwise', () => {
    assert.equal(new RpcError(-32601, 'm').status, 200)
    assert.equal(new RpcError(-32601, 'm', { status: 404 }).status, 404)
  })
})

describe('RpcError', () => {
  it('repeats no more of what a peer sent than can be read', () => {
    const { message } = new RpcError(-32601, `Method not found: ${'x'.repeat(1_000_000)}`)
    assert.equal(message.length, 4000)
    assert.match(message, /^Method not found: xxx/)
  })

  it('leaves half a character out where it is cut', () => {
    assert.ok(new RpcError(-32601, `x${'😀'.repeat(4000)}`).message.isWellFormed())
  })
})
