/** Meeting and calling the official SDK's servers, of each kind. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { connect } from '../../../src/upstream/mcp/connect.ts'
import type { Connection } from '../../../src/upstream/mcp/connection.ts'
import { endSession } from '../../../src/upstream/mcp/end-session.ts'
import { UpstreamFault } from '../../../src/upstream/mcp/fault.ts'
import { listAll } from '../../../src/upstream/mcp/list-all.ts'
import { listen, type OnNotification } from '../../../src/upstream/mcp/listen.ts'
import { sendRequest } from '../../../src/upstream/mcp/request.ts'
import { eventually } from '../../support/eventually.ts'
import { createInbox } from '../../support/inbox.ts'
import { postTo, sendError, startRemote } from '../../support/remote-mcp.ts'
import { startLegacyMcp, type LegacyMcp } from '../../support/upstreams/mcp-legacy.ts'
import { startModernMcp, type ModernMcp } from '../../support/upstreams/mcp-modern.ts'

type Upstream = LegacyMcp | ModernMcp

const NOW = 1_000_000
const open: { close(): Promise<void> }[] = []
after(() => Promise.all(open.map((one) => one.close())))

function keep<T extends { close(): Promise<void> }>(one: T): T {
  open.push(one)
  return one
}

const meet = ({ url }: { url: string }, transport: 'auto' | 'sse' = 'auto') =>
  connect(postTo(url), { transport, capabilities: { elicitation: {} }, now: NOW })

const isEmpty = (list: readonly string[]) => list.length === 0

const call = (name: string, args: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
})

const KINDS: [string, () => Promise<Upstream>, Connection['era']][] = [
  ['sessions and SSE', () => startLegacyMcp({ kind: 'sessions', pageSize: 4 }), 'legacy'],
  ['sessions and JSON', () => startLegacyMcp({ kind: 'json' }), 'legacy'],
  ['no sessions', () => startLegacyMcp({ kind: 'stateless' }), 'legacy'],
  ['HTTP+SSE', () => startLegacyMcp({ kind: 'sse', pageSize: 9 }), 'sse'],
  ['the stateless era', () => startModernMcp({ kind: 'modern' }), 'modern'],
  [
    'the stateless era as SSE',
    () => startModernMcp({ kind: 'modern', responseMode: 'sse', pageSize: 3 }),
    'modern',
  ],
  ['both eras', () => startModernMcp({ kind: 'dual' }), 'modern'],
  ['both eras with sessions', () => startModernMcp({ kind: 'dual-sessions' }), 'modern'],
]

for (const [kind, start, era] of KINDS) {
  describe(`A server of the official SDK with ${kind}`, () => {
    it('is met, listed and called; a call is one request', async () => {
      const upstream = keep(await start())
      const post = postTo(upstream.url)
      const connection = await meet(upstream, era === 'sse' ? 'sse' : 'auto')
      assert.equal(connection.era, era)
      assert.equal(connection.revision, era === 'modern' ? '2026-07-28' : '2025-11-25')
      assert.equal(connection.checkedAt, NOW)
      assert.deepEqual(JSON.parse(JSON.stringify(connection)), connection)
      assert.match(String(connection.serverInfo?.['name']), /-upstream$/)
      assert.ok('tools' in connection.capabilities)
      assert.ok(connection.instructions)

      const { items, left, isTruncated } = await listAll(post, connection, 'tools')
      assert.deepEqual([left, isTruncated], [[], false])
      assert.deepEqual(
        items.map(({ name }) => name),
        [...upstream.world.tools.keys()],
      )
      assert.deepEqual(items[0]?.['_meta'], { 'example.com/kept': { deep: [1] } })

      const before = upstream.requests.length
      const result = await sendRequest(post, connection, call('echo', { text: 'grüß' }))
      assert.deepEqual(result['content'], [{ type: 'text', text: 'grüß' }])
      if (era !== 'sse') assert.equal(upstream.requests.length, before + 1)
      await endSession(post, connection)
      await eventually(async () => upstream.sessionIds(), isEmpty)
    })

    it('answers its own errors and unknown methods as faults of kind rpc', async () => {
      const upstream = keep(await start())
      const post = postTo(upstream.url)
      const connection = await meet(upstream, era === 'sse' ? 'sse' : 'auto')
      await assert.rejects(sendRequest(post, connection, call('throws')), {
        kind: 'rpc',
        code: -32603,
        said: /the upstream broke/,
      })
      await assert.rejects(sendRequest(post, connection, { method: 'no/such' }), {
        kind: 'rpc',
        code: -32601,
      })
    })
  })
}

describe('A server of the official SDK with sessions', () => {
  it('asks us in the middle of a call, and hears the answer', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const connection = await meet(upstream)
    const asked: string[] = []
    const result = await sendRequest(postTo(upstream.url), connection, call('elicit'), {
      ask: async (method) => {
        asked.push(method)
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    assert.deepEqual(asked, ['elicitation/create'])
    assert.match(JSON.stringify(result), /Ada/)
  })

  it('is told by -32601 that nobody answers its requests', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const connection = await meet(upstream)
    const result = await sendRequest(postTo(upstream.url), connection, call('elicit'))
    assert.equal(result['isError'], true)
    assert.match(JSON.stringify(result), /-32601/)
  })

  it('ends its stream before the answer, and is asked for the rest of it', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions', retryMs: 20 }))
    const connection = await meet(upstream)
    const logs: unknown[] = []
    const result = sendRequest(postTo(upstream.url), connection, call('poll'), {
      log: ({ data }) => logs.push(data),
    })
    await upstream.untilRequest(({ method, headers }) =>
      method === 'GET' ? headers['last-event-id'] !== undefined : false,
    )
    upstream.world.release('poll')
    assert.match(JSON.stringify(await result), /poll finished/)
    assert.deepEqual(logs, ['before the stream ends', 'after the stream ended'])
  })

  it('67: loses a session, which is said as session_lost and without its id', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const connection = await meet(upstream)
    const [id] = upstream.sessionIds()
    await upstream.loseSessions()
    await assert.rejects(
      sendRequest(postTo(upstream.url), connection, call('echo')),
      (fault: Error) => {
        assert.ok(fault instanceof UpstreamFault)
        assert.deepEqual([fault.kind, fault.status], ['session_lost', 404])
        assert.ok(id !== undefined && !`${fault.message} ${fault.stack}`.includes(id))
        return true
      },
    )
  })

  it('72: hears notifications/cancelled when we give up', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const connection = await meet(upstream)
    const abort = new AbortController()
    const result = sendRequest(postTo(upstream.url), connection, call('slow'), {
      signal: abort.signal,
    })
    await upstream.world.started.next()
    abort.abort()
    await assert.rejects(result, { kind: 'cancelled' })
    assert.equal(await upstream.world.cancelled.next(), 'slow')
  })
})

describe('A server of the official SDK of the stateless era', () => {
  it('72: sees the stream closed when we give up, and no message', async () => {
    const upstream = keep(await startModernMcp({ kind: 'modern' }))
    const connection = await meet(upstream)
    const result = sendRequest(postTo(upstream.url), connection, call('slow'), { timeoutMs: 150 })
    await assert.rejects(result, { kind: 'timeout' })
    assert.equal(await upstream.world.cancelled.next(), 'slow')
    assert.equal(upstream.requests.at(-1)?.body.method, 'tools/call')
  })

  it('is given input_required through as it is', async () => {
    const upstream = keep(await startModernMcp({ kind: 'modern' }))
    const connection = await meet(upstream)
    const result = await sendRequest(postTo(upstream.url), connection, call('elicit'), {
      clientCapabilities: { elicitation: {} },
    })
    assert.equal(result['resultType'], 'input_required')
    assert.deepEqual(Object.keys(Object(result['inputRequests'])), ['who'])
  })

  it('74: refuses what needs a capability, which is not ours to relay', async () => {
    const upstream = keep(await startModernMcp({ kind: 'modern' }))
    const connection = await meet(upstream)
    await assert.rejects(sendRequest(postTo(upstream.url), connection, call('elicit')), {
      kind: 'rpc',
      code: -32021,
    })
  })
})

for (const kind of ['sessions', 'modern'] as const) {
  describe(`Listening to a server of the official SDK (${kind})`, () => {
    it('hears of changed lists and updated resources', async () => {
      const upstream = keep(
        kind === 'modern'
          ? await startModernMcp({ kind })
          : await startLegacyMcp({ kind, resumable: false }),
      )
      const post = postTo(upstream.url)
      const connection = await meet(upstream)
      assert.ok(connection.era !== 'sse')
      const uri = 'memo://one'
      if (connection.era === 'legacy') {
        await sendRequest(post, connection, { method: 'resources/subscribe', params: { uri } })
      }
      const abort = new AbortController()
      const heard = createInbox<{ method: string; uri: unknown }>()
      const onNotification: OnNotification = (method, params) =>
        heard.put({ method, uri: params['uri'] })
      const listening = listen(
        post,
        connection,
        { uris: [uri], lists: true },
        onNotification,
        abort.signal,
      )
      const { method } = await heard.next()
      assert.equal(method, 'notifications/subscriptions/acknowledged')
      await upstream.world.addTool('new')
      assert.equal((await heard.next()).method, 'notifications/tools/list_changed')
      await upstream.world.updateResource(uri)
      assert.deepEqual(await heard.next(), { method: 'notifications/resources/updated', uri })
      abort.abort()
      await assert.rejects(listening, { kind: 'cancelled' })
    })
  })
}

describe('connect', () => {
  it('goes back to HTTP+SSE only where that was said', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sse' }))
    await assert.rejects(meet(upstream), { kind: 'rpc', status: 405 })
  })

  const silent: [string, number, string][] = [
    ['401', 401, 'unauthorized'],
    ['403', 403, 'forbidden'],
    ['429', 429, 'rate_limited'],
    ['500', 500, 'status'],
    ['503', 503, 'status'],
  ]
  for (const [what, status, kind] of silent) {
    it(`66: does not initialize after ${what}`, async () => {
      const remote = keep(
        await startRemote({
          'server/discover': (seen, response) =>
            sendError(seen, response, { code: -32601, message: 'no' }, status),
        }),
      )
      await assert.rejects(meet(remote), { kind, status })
      assert.equal(remote.requests.length, 1)
    })
  }

  it('66: does not initialize after a time-out', async () => {
    const remote = keep(await startRemote({ 'server/discover': () => undefined }))
    const options = { transport: 'auto', capabilities: {}, now: NOW, timeoutMs: 100 } as const
    await assert.rejects(connect(remote.post, options), { kind: 'timeout' })
    assert.equal(remote.requests.length, 1)
  })

  it('66: does not initialize after a connection that broke, before the answer or in it', async () => {
    for (const isBegun of [false, true]) {
      const remote = keep(
        await startRemote({
          'server/discover': (_seen, response) => {
            if (isBegun) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':')
            setImmediate(() => response.socket?.destroy())
          },
        }),
      )
      await assert.rejects(meet(remote), { isBroken: true })
      assert.equal(remote.requests.length, 1)
    }
  })
})
