/** One request and its answer, message by message, against servers that do it well or badly. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Seen } from '../../../src/upstream/mcp/events.ts'
import type { UpstreamFault } from '../../../src/upstream/mcp/fault.ts'
import { sendRequest } from '../../../src/upstream/mcp/request.ts'
import {
  CALL,
  LEGACY,
  MODERN,
  RESULT,
  SECRET,
  answerOf,
  ask,
  note,
  remoteOf,
  response,
} from '../../support/remote-call.ts'
import {
  eventOf,
  legacyConnection,
  sendError,
  sendEvents,
  sendResult,
  type Write,
} from '../../support/remote-mcp.ts'
import { sendJson, sendText } from '../../support/upstreams/recording.ts'

describe('What is sent', () => {
  it('is one POST with session id and revision, ids of our own, to a legacy server', async () => {
    const remote = await remoteOf(RESULT)
    const params = { ...CALL.params, _meta: { progressToken: 'theirs', traceparent: '00-1' } }
    await sendRequest(remote.post, LEGACY, { ...CALL, params })
    await sendRequest(remote.post, LEGACY, CALL, { progress: () => undefined })
    const [first, second] = remote.requests
    assert.equal(remote.requests.length, 2)
    assert.equal(first?.headers['accept'], 'application/json, text/event-stream')
    assert.equal(first?.headers['content-type'], 'application/json')
    assert.equal(first?.headers['mcp-session-id'], SECRET)
    assert.equal(first?.headers['mcp-protocol-version'], '2025-11-25')
    assert.equal(first?.headers['mcp-method'], undefined)
    assert.deepEqual(first?.body.params, { ...CALL.params, _meta: { traceparent: '00-1' } })
    assert.deepEqual(second?.body.params._meta, { progressToken: second?.body.id })
    assert.ok(Number.isSafeInteger(first?.body.id) && first?.body.id !== second?.body.id)
  })

  it('names no revision in a header to a server of 2025-03-26', async () => {
    const remote = await remoteOf(RESULT)
    await ask(remote, legacyConnection({ revision: '2025-03-26' }))
    assert.equal(remote.requests[0]?.headers['mcp-protocol-version'], undefined)
    assert.equal(remote.requests[0]?.headers['mcp-session-id'], undefined)
  })

  it('has the whole envelope and its headers for a modern server', async () => {
    const remote = await remoteOf(RESULT)
    const params = {
      name: 'grüß',
      _meta: { 'io.modelcontextprotocol/clientInfo': { name: 'downstream' }, traceparent: '00-1' },
    }
    await sendRequest(
      remote.post,
      MODERN,
      { method: 'tools/call', params, paramHeaders: { 'Mcp-Param-Region': 'eu' } },
      { clientCapabilities: { roots: {} }, logLevel: 'info', progress: () => undefined },
    )
    const [seen] = remote.requests
    assert.equal(seen?.headers['mcp-protocol-version'], '2026-07-28')
    assert.equal(seen?.headers['mcp-method'], 'tools/call')
    assert.equal(seen?.headers['mcp-name'], '=?base64?Z3LDvMOf?=')
    assert.equal(seen?.headers['mcp-param-region'], 'eu')
    assert.equal(seen?.headers['mcp-session-id'], undefined)
    assert.deepEqual(seen?.body.params._meta, {
      traceparent: '00-1',
      progressToken: seen?.body.id,
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { roots: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'Rollcall', version: '0.1.0' },
      'io.modelcontextprotocol/logLevel': 'info',
    })
  })
})

describe('68: An answer', () => {
  const forms: [string, Write][] = [
    ['as JSON', (seen, to) => sendResult(seen, to, RESULT)],
    ['as JSON in an array', (seen, to) => sendJson(to, [note('x'), response(seen.body.id)])],
    [
      'as JSON of another media type',
      (seen, to) => sendText(to, JSON.stringify(response(seen.body.id))),
    ],
    [
      'as an event, the stream left open',
      (seen, to) => sendEvents(to, eventOf(response(seen.body.id))),
    ],
    [
      'after comments, primings, unknown events and messages for others',
      (seen, to) =>
        sendEvents(
          to,
          ': hi\n\nid: 1\ndata:\n\nevent: ping\ndata: {not json\n\n',
          eventOf(note('notifications/unknown')),
          eventOf(response('another')),
          eventOf(response(String(seen.body.id), { isOurs: false })),
          `event: message\r\ndata: ${JSON.stringify(response(seen.body.id))}\r\n\r\n`,
        ),
    ],
    [
      'in a batch of a stream',
      (seen, to) => sendEvents(to, eventOf([note('x'), response(seen.body.id)])),
    ],
  ]
  for (const [what, write] of forms) {
    it(`is read ${what}, and given untouched`, async () => {
      for (const connection of [LEGACY, MODERN]) {
        assert.deepEqual(await answerOf(write, connection), RESULT)
      }
    })
  }

  it('has its status and size put down, also where it is a refusal', async () => {
    const sizes: number[] = []
    const counted: Write = ({ body }, to) => {
      const text = JSON.stringify(response(body.id))
      sizes.push(text.length)
      sendText(to, text)
    }
    const seen: Seen = { bytes: 0 }
    await answerOf(counted, LEGACY, { seen })
    assert.deepEqual(seen, { status: 200, bytes: sizes[0] })
    const streamed: Write = ({ body }, to) => {
      sizes.push(eventOf(response(body.id)).length)
      sendEvents(to, eventOf(response(body.id)))
    }
    await answerOf(streamed, MODERN, { seen })
    assert.deepEqual(seen, { status: 200, bytes: sizes[1] })
    const refused: Write = (_, to) => void to.writeHead(503).end('away')
    await assert.rejects(answerOf(refused, MODERN, { seen }))
    assert.deepEqual(seen, { status: 503, bytes: 4 })
  })

  it('lets the stream go once it is there', async () => {
    const remote = await remoteOf((seen, to) => sendEvents(to, eventOf(response(seen.body.id))))
    await ask(remote, LEGACY)
    await remote.requests[0]?.aborted
  })

  it('without resultType is complete, of an unknown one malformed, of a legacy server any', async () => {
    const typed = (resultType?: string) => (seen: Parameters<Write>[0], to: Parameters<Write>[1]) =>
      sendResult(seen, to, { resultType })
    assert.deepEqual(await answerOf(typed(), MODERN), {})
    assert.deepEqual(await answerOf(typed('input_required'), MODERN), {
      resultType: 'input_required',
    })
    await assert.rejects(answerOf(typed('task'), MODERN), { kind: 'malformed' })
    assert.deepEqual(await answerOf(typed('task'), LEGACY), { resultType: 'task' })
  })
})

describe('A refusal', () => {
  const error = { code: -32602, message: 'Unknown\ttool \u0007x', data: { a: 1 } }
  const rpc = { kind: 'rpc', code: -32602, data: { a: 1 }, said: 'Unknown tool x' } as const
  const faults: [string, Write, Partial<UpstreamFault>][] = [
    ['in-band', (seen, to) => sendError(seen, to, error), { ...rpc, status: 200 }],
    ['69: with 400', (seen, to) => sendError(seen, to, error, 400), { ...rpc, status: 400 }],
    [
      'without an id',
      (_seen, to) => sendJson(to, { jsonrpc: '2.0', error, id: null }, 400),
      { ...rpc, status: 400 },
    ],
    [
      'on a stream, without an id',
      (_seen, to) => sendEvents(to, eventOf({ jsonrpc: '2.0', error })),
      rpc,
    ],
    [
      'with 401',
      (seen, to) => sendError(seen, to, error, 401),
      { kind: 'unauthorized', status: 401, code: undefined, said: 'Unknown tool x' },
    ],
    [
      'with 403',
      (_seen, to) => sendText(to, 'Bearer sk-12345 may not', undefined, 403),
      { kind: 'forbidden', status: 403, said: 'Bearer … may not' },
    ],
    [
      'with 429',
      (_seen, to) => void to.writeHead(429, { 'retry-after': '7' }).end(),
      { kind: 'rate_limited', status: 429, retryAfterMs: 7000 },
    ],
    [
      'with 503',
      (_seen, to) => void to.writeHead(503, { 'retry-after': '99999999' }).end('<html>x</html>'),
      { kind: 'status', status: 503, retryAfterMs: 3_600_000, said: undefined },
    ],
    [
      'with 500 and JSON-RPC',
      (seen, to) => sendError(seen, to, error, 500),
      { kind: 'status', status: 500, code: undefined, said: 'Unknown tool x' },
    ],
    [
      'with a redirect',
      (_seen, to) => void to.writeHead(304).end(),
      { kind: 'status', status: 304 },
    ],
    ['with nothing', (_seen, to) => void to.writeHead(202).end(), { kind: 'malformed' }],
    ['with a page', (_seen, to) => sendText(to, '<p>Hi</p>', 'text/html'), { kind: 'malformed' }],
    ['for others', (_seen, to) => sendJson(to, response(0)), { kind: 'malformed' }],
    ['that is no message', (_seen, to) => sendJson(to, 7), { kind: 'malformed' }],
    ['without a code', (seen, to) => sendError(seen, to, {}), { kind: 'malformed' }],
    ['as a text', (seen, to) => sendResult(seen, to, 'text'), { kind: 'malformed' }],
    [
      'with broken JSON on a stream',
      (_seen, to) => sendEvents(to, 'data: {"a\n\n'),
      { kind: 'malformed' },
    ],
    [
      'nested without end',
      (seen, to) =>
        sendText(to, `{"id":${seen.body.id},"result":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`),
      { kind: 'malformed' },
    ],
    [
      'too large',
      (seen, to) => sendResult(seen, to, { text: 'x'.repeat(5 * 1024 * 1024) }),
      { kind: 'too_large' },
    ],
    [
      'too large on a stream',
      (seen, to) =>
        sendEvents(to, eventOf(response(seen.body.id, { text: 'x'.repeat(5 * 1024 * 1024) }))),
      { kind: 'too_large' },
    ],
  ]
  for (const [what, write, fault] of faults) {
    it(`${what} is ${fault.kind}`, async () => {
      await assert.rejects(answerOf(write), fault)
    })
  }

  it('69: with 404 and -32601 of a modern server is a method it lacks', async () => {
    const write: Write = (seen, to) =>
      sendError(seen, to, { code: -32601, message: 'Method not found' }, 404)
    await assert.rejects(answerOf(write, MODERN), { kind: 'rpc', code: -32601, status: 404 })
    await assert.rejects(answerOf(write, legacyConnection()), { kind: 'rpc', status: 404 })
    await assert.rejects(answerOf(write, LEGACY), { kind: 'session_lost', status: 404 })
  })

  it('quotes 300 characters of whole words at most, and never the session id', async () => {
    const message = `${SECRET} ${'word '.repeat(200)}${'x'.repeat(1000)} ${SECRET}`
    for (const status of [200, 400, 500]) {
      const write: Write = (seen, to) => sendError(seen, to, { code: -32000, message }, status)
      await assert.rejects(
        answerOf(write),
        ({ said = '', message: text, stack }: UpstreamFault) => {
          assert.match(said, /^[^x]{290,300}…$/)
          assert.ok(!`${said} ${text} ${stack}`.includes(SECRET))
          return true
        },
      )
    }
  })

  it('is unreachable where the seam throws, with nothing of what it threw', async () => {
    const post = () => Promise.reject(new Error('https://user:password@example.com refused'))
    await assert.rejects(sendRequest(post, LEGACY, CALL), {
      kind: 'unreachable',
      message: 'The remote server cannot be reached',
    })
  })
})
