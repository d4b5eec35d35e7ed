/** One request and its answer, message by message, against servers that do it well or badly. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Connection } from '../../../src/upstream/mcp/connection.ts'
import type { Hooks } from '../../../src/upstream/mcp/exchange.ts'
import type { UpstreamFault } from '../../../src/upstream/mcp/fault.ts'
import { sendRequest } from '../../../src/upstream/mcp/request.ts'
import {
  eventOf,
  legacyConnection,
  modernConnection,
  sendError,
  sendEvents,
  sendResult,
  startRemote,
  type Answers,
  type Remote,
  type Write,
} from '../../support/remote-mcp.ts'
import { sendJson, sendText } from '../../support/upstreams/recording.ts'

const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

const SECRET = 'the-session-id-nobody-may-read'
const LEGACY = legacyConnection({ sessionId: SECRET })
const MODERN = modernConnection()
const CALL = { method: 'tools/call', params: { name: 'x', arguments: { a: 1 } } }
const RESULT = { content: [], extra: { kept: [1, null] }, resultType: 'complete' }

async function remoteOf(call: Write | object, others: Answers = {}): Promise<Remote> {
  const remote = await startRemote({ 'tools/call': call, ...others })
  open.push(remote)
  return remote
}

const ask = (remote: Remote, connection: Connection, hooks: Hooks = {}) =>
  sendRequest(remote.post, connection, CALL, hooks)

/** What a call is answered with, whatever the server writes. */
async function answerOf(write: Write, connection: Connection = LEGACY, hooks: Hooks = {}) {
  return ask(await remoteOf(write), connection, hooks)
}

const response = (id: unknown, result: unknown = RESULT) => ({ jsonrpc: '2.0', id, result })
const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })

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

describe('While a request runs', () => {
  // What is told and asked is walked by recursion, which ended in an error of ours.
  for (const [what, deep] of [
    ['a notification', (params: object) => note('notifications/message', params)],
    ['a question', (params: object) => ({ ...note('elicitation/create', params), id: 'q' })],
    ['an error', (data: object) => ({ jsonrpc: '2.0', id: null, error: { code: 1, data } })],
  ] as const) {
    it(`takes nothing that nests too deeply from ${what}`, async () => {
      const depth = 5000
      const text = JSON.stringify(deep({ deep: 'DEEP' }))
      const bomb = text.replace('"DEEP"', '['.repeat(depth) + ']'.repeat(depth))
      const answer = answerOf((_, to) => sendEvents(to, `data: ${bomb}\n\n`), LEGACY)
      await assert.rejects(answer, { kind: 'malformed' })
    })
  }

  it('progress is heard as long as it rises, under our token', async () => {
    const heard: unknown[] = []
    const write: Write = (seen, to) => {
      const { id } = seen.body
      const progress = (value: unknown, progressToken: unknown = id) =>
        eventOf(note('notifications/progress', { progressToken, progress: value }))
      sendEvents(
        to,
        progress(1) + progress(1) + progress(0.5) + progress(2, 'other') + progress('3'),
        progress(2.5) + eventOf(response(id)),
      )
    }
    const hooks: Hooks = { progress: ({ progress }) => heard.push(progress) }
    await answerOf(write, LEGACY, hooks)
    assert.deepEqual(heard, [1, 2.5])
  })

  it('logs are heard of a legacy server, and of a modern one if they were asked for', async () => {
    const write: Write = (seen, to) =>
      sendEvents(
        to,
        eventOf(note('notifications/message', { level: 'info', data: 1 })),
        eventOf(note('notifications/tools/list_changed')),
        eventOf(response(seen.body.id)),
      )
    const heard = async (connection: Connection, hooks: Hooks = {}) => {
      const all: unknown[] = []
      await answerOf(write, connection, {
        ...hooks,
        log: ({ data }) => all.push(data),
        listChanged: (kind) => all.push(kind),
      })
      return all
    }
    assert.deepEqual(await heard(LEGACY), [1, 'tools'])
    assert.deepEqual(await heard(MODERN), ['tools'])
    assert.deepEqual(await heard(MODERN, { logLevel: 'info' }), [1, 'tools'])
  })

  it('a ping is answered, another request refused, in the session', async () => {
    const replies: object[] = []
    let finish: () => void = () => undefined
    const remote = await remoteOf(
      (seen, to) => {
        sendEvents(
          to,
          eventOf({ jsonrpc: '2.0', id: 'p', method: 'ping' }),
          eventOf({ jsonrpc: '2.0', id: 1, method: 'roots/list' }),
        )
        finish = () => to.write(eventOf(response(seen.body.id)))
      },
      {
        reply: (seen, to) => {
          assert.equal(seen.headers['mcp-session-id'], SECRET)
          to.writeHead(202).end()
          replies.push(seen.body)
          if (replies.length === 2) finish()
        },
      },
    )
    await ask(remote, LEGACY)
    assert.deepEqual(
      new Set(replies),
      new Set([
        { jsonrpc: '2.0', id: 'p', result: {} },
        { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } },
      ]),
    )
  })

  it('a request of a modern server is dropped', async () => {
    const remote = await remoteOf((seen, to) =>
      sendEvents(
        to,
        eventOf({ jsonrpc: '2.0', id: 'p', method: 'ping' }),
        eventOf(response(seen.body.id)),
      ),
    )
    await ask(remote, MODERN)
    assert.equal(remote.requests.length, 1)
  })

  it('what is asked of us is given up when the remote server cancels it', async () => {
    const aborted = Promise.withResolvers<void>()
    const remote = await remoteOf((seen, to) => {
      sendEvents(
        to,
        eventOf({ jsonrpc: '2.0', id: 5, method: 'elicitation/create' }),
        eventOf(note('notifications/cancelled', { requestId: 5 })),
      )
      void aborted.promise.then(() => to.write(eventOf(response(seen.body.id))))
    })
    await ask(remote, LEGACY, {
      ask: (_method, _params, signal) =>
        new Promise(() => signal.addEventListener('abort', () => aborted.resolve())),
    })
    assert.equal(remote.requests.length, 1)
  })

  it('our time to answer is no silence of the remote server', async () => {
    const remote = await remoteOf(
      (_seen, to) =>
        sendEvents(to, eventOf({ jsonrpc: '2.0', id: 5, method: 'elicitation/create' })),
      {
        reply: (seen, to) => {
          to.writeHead(202).end()
          assert.deepEqual(seen.body.result, { action: 'decline' })
        },
      },
    )
    const answered = Promise.withResolvers<void>()
    const result = ask(remote, LEGACY, {
      timeoutMs: 50,
      maxMs: 5_000,
      ask: () =>
        new Promise((resolve) => {
          setTimeout(() => {
            answered.resolve()
            resolve({ action: 'decline' })
          }, 200)
        }),
    })
    const fault = assert.rejects(result, { kind: 'timeout' }) // the silence after the answer
    await answered.promise
    await fault
    assert.ok(remote.messages().some(({ id }) => id === 5))
  })
})

describe('72: A time-out', () => {
  it('cancels by a message to a legacy server', async () => {
    const remote = await remoteOf(() => undefined)
    await assert.rejects(ask(remote, LEGACY, { timeoutMs: 50 }), {
      kind: 'timeout',
      message: 'The remote server did not answer within 0.05 s',
    })
    const [call, cancelled] = remote.messages()
    assert.deepEqual(cancelled, note('notifications/cancelled', { requestId: call.id }))
    assert.equal(remote.requests[1]?.headers['mcp-session-id'], SECRET)
    await remote.requests[0]?.aborted
  })

  it('closes the connection to a modern server, and sends nothing', async () => {
    const remote = await remoteOf((_seen, to) => sendEvents(to, ': hi\n\n'))
    await assert.rejects(ask(remote, MODERN, { timeoutMs: 50 }), { kind: 'timeout' })
    await remote.requests[0]?.aborted
    assert.equal(remote.requests.length, 1)
  })

  it('72: is put off by progress, but not beyond the maximum', async () => {
    const progressing: Write = (seen, to) => {
      const { id } = seen.body
      sendEvents(to)
      let progress = 0
      const timer = setInterval(() => {
        progress += 1
        to.write(eventOf(note('notifications/progress', { progressToken: id, progress })))
      }, 20)
      to.once('close', () => clearInterval(timer))
    }
    const started = Date.now()
    await assert.rejects(answerOf(progressing, MODERN, { timeoutMs: 150, maxMs: 600 }), {
      kind: 'timeout',
      message: 'The remote server did not answer within 0.6 s',
    })
    assert.ok(Date.now() - started >= 590)
  })

  it('of the caller, before the request, sends nothing', async () => {
    const remote = await remoteOf(RESULT)
    await assert.rejects(ask(remote, LEGACY, { signal: AbortSignal.abort() }), {
      kind: 'cancelled',
    })
    assert.equal(remote.requests.length, 0)
  })

  it('hands its message to waitUntil where there is one', async () => {
    const remote = await remoteOf(() => undefined)
    const kept: Promise<unknown>[] = []
    const waitUntil = (promise: Promise<unknown>) => void kept.push(promise)
    await assert.rejects(ask(remote, LEGACY, { timeoutMs: 50, waitUntil }), { kind: 'timeout' })
    assert.equal(kept.length, 1)
    await Promise.all(kept)
    assert.equal(remote.messages()[1].method, 'notifications/cancelled')
  })
})

describe('A stream that ends early', () => {
  const firstPart: Write = (_seen, to) => {
    sendEvents(to, 'id: a1\nretry: 10\ndata:\n\n')
    to.end()
  }

  it('is gone on with by GET, as often as it brings something', async () => {
    let id: unknown
    let parts = 0
    const remote = await remoteOf(
      (seen, to) => {
        id = seen.body.id
        return firstPart(seen, to)
      },
      {
        GET: (_seen, to) => {
          parts += 1
          if (parts === 2) {
            to.socket?.destroy()
          } else {
            sendEvents(to, parts < 6 ? `id: a${parts + 1}\ndata:\n\n` : eventOf(response(id)))
            to.end()
          }
        },
      },
    )
    assert.deepEqual(await ask(remote, LEGACY), RESULT)
    const [, ...gets] = remote.requests
    assert.deepEqual(
      gets.map(({ headers }) => headers['last-event-id']),
      ['a1', 'a2', 'a2', 'a4', 'a5', 'a6'],
    )
    assert.equal(gets[0]?.headers['accept'], 'text/event-stream')
    assert.equal(gets[0]?.headers['mcp-session-id'], SECRET)
  })

  it('is given up when nothing more comes', async () => {
    const remote = await remoteOf(firstPart, {
      GET: (_seen, to) => {
        sendEvents(to)
        to.end()
      },
    })
    await assert.rejects(ask(remote, LEGACY), { kind: 'stream_ended' })
    assert.equal(remote.requests.length, 4)
  })

  it('is no lost session, whatever the rest is refused with: the request was taken', async () => {
    const remote = await remoteOf(firstPart)
    await assert.rejects(ask(remote, LEGACY), { kind: 'stream_ended' })
    assert.equal(remote.requests.length, 2)
  })

  it('is lost without an event id, and in the stateless era', async () => {
    const write: Write = (_seen, to) => {
      sendEvents(to, ': hi\n\n')
      to.end()
    }
    await assert.rejects(answerOf(write, LEGACY), { kind: 'stream_ended', isBroken: false })
    await assert.rejects(answerOf(firstPart, MODERN), { kind: 'stream_ended' })
    const broken: Write = (_seen, to) => {
      sendEvents(to, ': hi\n\n')
      setImmediate(() => to.socket?.destroy())
    }
    await assert.rejects(answerOf(broken, MODERN), { kind: 'stream_ended', isBroken: true })
  })
})
