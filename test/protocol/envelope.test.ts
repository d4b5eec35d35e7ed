import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CLAIM, requireEnvelope } from '../../src/protocol/envelope.ts'
import { isObject, parseMessage, type RpcError } from '../../src/protocol/json-rpc.ts'
import { MODERN_REVISION, SUPPORTED_VERSIONS } from '../../src/protocol/revisions.ts'
import { modern, modernHeaders } from '../support/messages.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const INFO = 'io.modelcontextprotocol/clientInfo'
const LEVEL = 'io.modelcontextprotocol/logLevel'

type Sent = { meta: Record<string, unknown>; headers: Record<string, string> }

const sent = (): Sent => ({ meta: {}, headers: modernHeaders('tools/call', 'weather') })

function check(
  { meta, headers }: Sent,
  method = 'tools/call',
  params: object = { name: 'weather' },
) {
  const message = parseMessage(modern(method, params, meta, 7))
  assert.ok(message.kind === 'request' && isObject(message.params?.['_meta']))
  return requireEnvelope(message, message.params['_meta'], new Headers(headers))
}

const withHeader = (name: string, value: string | undefined): Sent => {
  const { meta, headers } = sent()
  if (value === undefined) delete headers[name]
  else headers[name] = value
  return { meta, headers }
}

/** A step of the ladder: how a request fails it, and what is answered then. */
const STEPS: [string, (sent: Sent) => void, object][] = [
  [
    '1, a claim that is a string',
    ({ meta }) => (meta[CLAIM] = 42),
    { code: -32602, data: { envelope: { key: CLAIM, problem: 'must be a string' } } },
  ],
  [
    '2, the version header',
    ({ headers }) => delete headers['mcp-protocol-version'],
    { code: -32020, message: /MCP-Protocol-Version is missing/ },
  ],
  [
    '3, the header that says what the claim says',
    ({ headers }) => (headers['mcp-protocol-version'] = '2025-11-25'),
    { code: -32020, message: /MCP-Protocol-Version says '2025-11-25'/ },
  ],
  [
    '4, a revision we speak',
    ({ meta, headers }) => {
      meta[CLAIM] = '2027-01-01'
      headers['mcp-protocol-version'] = '2027-01-01'
    },
    { code: -32022, data: { supported: SUPPORTED_VERSIONS, requested: '2027-01-01' } },
  ],
  [
    '5, the client capabilities',
    ({ meta }) => (meta[CAPABILITIES] = []),
    { code: -32602, data: { envelope: { key: CAPABILITIES, problem: 'must be an object' } } },
  ],
  [
    '6, the method header',
    ({ headers }) => (headers['mcp-method'] = 'tools/list'),
    { code: -32020, message: /Mcp-Method says 'tools\/list'/ },
  ],
  [
    '7, the name header',
    ({ headers }) => delete headers['mcp-name'],
    { code: -32020, message: /Mcp-Name is missing/ },
  ],
]

describe('requireEnvelope', () => {
  it('gives the client capabilities of a request that agrees with its headers', () => {
    const meta = { [CAPABILITIES]: { elicitation: {} } }
    assert.deepEqual(check({ ...sent(), meta }).clientCapabilities, { elicitation: {} })
  })

  for (const [index, [step, fail, answer]] of STEPS.entries()) {
    it(`refuses a request that fails step ${step}, with 400 and its id`, () => {
      const request = sent()
      fail(request)
      assert.throws(() => check(request), { status: 400, id: 7, ...answer })
    })

    it(`lets step ${step} answer before the later ones`, () => {
      const request = sent()
      for (const [, failLater] of STEPS.slice(index).toReversed()) failLater(request)
      assert.throws(() => check(request), answer)
    })
  }

  it('§9.2 #5: refuses a request without client capabilities', () => {
    const meta = { [CAPABILITIES]: undefined }
    assert.throws(() => check({ ...sent(), meta }), { code: -32602, status: 400 })
  })

  const good: [string, object][] = [
    ['§9.2 #5: no client info', {}],
    ['client info', { [INFO]: { name: 'x', version: '1', extra: 1 } }],
    ['a log level', { [LEVEL]: 'emergency' }],
    ['a progress token of text', { progressToken: '' }],
    ['a progress token of 0', { progressToken: 0 }],
    ['trace context', { traceparent: '00-…', baggage: 'a=b' }],
    ['a key it does not know', { 'io.modelcontextprotocol/later': 1 }],
  ]
  for (const [what, meta] of good) {
    it(`serves a request with ${what}`, () => {
      assert.deepEqual(check({ ...sent(), meta: { ...meta } }).clientCapabilities, {})
    })
  }

  it('gives the log level and the progress token', () => {
    const { logLevel, progressToken } = check({
      ...sent(),
      meta: { [LEVEL]: 'info', progressToken: 0 },
    })
    assert.deepEqual([logLevel, progressToken], ['info', 0])
  })

  const bad: [string, unknown][] = [
    [INFO, 'x'],
    [INFO, { name: 'x' }],
    [INFO, { name: 1, version: '1' }],
    [INFO, null],
    [LEVEL, 'loud'],
    [LEVEL, 'ERROR'],
    [LEVEL, null],
    ['progressToken', 1.5],
    ['progressToken', null],
    ['progressToken', {}],
  ]
  for (const [key, value] of bad) {
    it(`${key === LEVEL ? '§9.2 #40: ' : ''}refuses ${key} ${JSON.stringify(value)} with -32602 naming the key`, () => {
      assert.throws(
        () => check({ ...sent(), meta: { [key]: value } }),
        (error: RpcError) => {
          const { code, status, data } = error
          assert.partialDeepStrictEqual(
            { code, status, data },
            { code: -32602, status: 400, data: { envelope: { key } } },
          )
          return true
        },
      )
    })
  }
})

describe('requireEnvelope, Mcp-Method and Mcp-Name', () => {
  it('§9.2 #32: accepts padded values and any case of the header names', () => {
    const headers = {
      'MCP-PROTOCOL-VERSION': ` ${MODERN_REVISION} `,
      'mcp-METHOD': '\ttools/call',
      'MCP-name': ' weather ',
    }
    assert.ok(check({ meta: {}, headers }))
  })

  it('§9.2 #33: accepts a name in the base64 form', () => {
    assert.ok(check(withHeader('mcp-name', '=?base64?d2VhdGhlcg==?=')))
  })

  const wrong: [string, string | undefined][] = [
    ['mcp-method', undefined],
    ['mcp-method', 'TOOLS/CALL'],
    ['mcp-method', '=?base64?dG9vbHMvY2FsbA==?='],
    ['mcp-name', 'Weather'],
    ['mcp-name', 'weather,weather'],
    ['mcp-name', ''],
    ['mcp-name', '=?base64?d2VhdGhlcg?='],
    ['mcp-name', '=?BASE64?d2VhdGhlcg==?='],
  ]
  for (const [name, value] of wrong) {
    it(`§9.2 #32: refuses ${name} ${value ?? 'absent'} with -32020`, () => {
      assert.throws(() => check(withHeader(name, value)), { code: -32020, status: 400, id: 7 })
    })
  }

  it('asks no name header where the body has no name: that is for the method to refuse', () => {
    assert.ok(check(withHeader('mcp-name', undefined), 'tools/call', {}))
    assert.ok(check(withHeader('mcp-name', undefined), 'tools/call', { name: 5 }))
  })

  const named: [string, object, string][] = [
    ['prompts/get', { name: 'p' }, 'p'],
    ['resources/read', { uri: 'file:///a' }, 'file:///a'],
    ['tools/call', { name: '' }, ''],
    ['tools/call', { name: 'wétter' }, '=?base64?d8OpdHRlcg==?='],
  ]
  for (const [method, params, header] of named) {
    it(`wants Mcp-Name '${header}' for ${method} ${JSON.stringify(params)}`, () => {
      assert.ok(check({ meta: {}, headers: modernHeaders(method, header) }, method, params))
      const { 'mcp-name': _, ...headers } = modernHeaders(method, header)
      assert.throws(() => check({ meta: {}, headers }, method, params), { code: -32020 })
    })
  }
})
