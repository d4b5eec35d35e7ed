/** The HTTP+SSE transport where the official server does not go. */
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, describe, it } from 'node:test'
import { connect } from '../../../src/upstream/mcp/connect.ts'
import { sendRequest } from '../../../src/upstream/mcp/request.ts'
import { eventOf, postTo, sendEvents } from '../../support/remote-mcp.ts'
import {
  startRecording,
  type Recording,
  type SeenRequest,
} from '../../support/upstreams/recording.ts'

const open: Recording[] = []
after(() => Promise.all(open.map((one) => one.close())))

type Answer = (seen: SeenRequest, stream: ServerResponse, posted: ServerResponse) => void

/** A server that names an endpoint, and answers what is POSTed there on its newest stream. */
async function start(endpoint: string, answer: Answer): Promise<Recording> {
  let stream: ServerResponse
  const recording = await startRecording((seen, response) => {
    if (seen.method === 'GET') {
      stream = response
      return sendEvents(response, ': hi\n\n', `event: endpoint\ndata: ${endpoint}\n\n`)
    }
    if (!seen.path.startsWith('/messages')) return void response.writeHead(405).end()
    const { id, method } = seen.body
    if (method === 'initialize') {
      const result = {
        protocolVersion: '2024-11-05',
        capabilities: {},
        serverInfo: { name: 'old' },
      }
      stream.write(eventOf({ jsonrpc: '2.0', id, result }))
    } else if (id !== undefined || method === undefined) {
      answer(seen, stream, response)
    }
    if (!response.writableEnded) response.writeHead(202).end('Accepted')
  })
  open.push(recording)
  return recording
}

const meet = ({ url }: Recording) =>
  connect(postTo(`${url}/sse`), { transport: 'sse', capabilities: {}, now: 5 })

const CALL = { method: 'tools/call', params: { name: 'x' } }

describe('A server of HTTP+SSE', () => {
  it('is met after POST was refused, and each call is a stream that is closed after it', async () => {
    const recording = await start('/messages?session=1', ({ body }, stream) => {
      stream.write(eventOf({ jsonrpc: '2.0', id: 'p', method: 'ping' }))
      stream.write(eventOf({ jsonrpc: '2.0', id: body.id, result: { content: [] } }))
    })
    const connection = await meet(recording)
    assert.deepEqual(connection, {
      era: 'sse',
      revision: '2024-11-05',
      capabilities: {},
      serverInfo: { name: 'old' },
      checkedAt: 5,
    })
    const result = await sendRequest(postTo(recording.url), connection, CALL)
    assert.deepEqual(result, { content: [] })
    const streams = recording.requests.filter(({ method }) => method === 'GET')
    assert.equal(streams.length, 2)
    await Promise.all(streams.map(({ aborted }) => aborted))
    await recording.untilRequest(({ body }) => body?.id === 'p' && body.result !== undefined)
    const methods = recording.requests.map(({ body }) => body?.method).filter((one) => one)
    assert.deepEqual(methods.slice(-3), ['initialize', 'notifications/initialized', 'tools/call'])
  })

  it('is not sent anything to another origin', async () => {
    for (const endpoint of ['http://example.com/messages', '//example.com/messages', 'http://[']) {
      const recording = await start(endpoint, () => undefined)
      await assert.rejects(meet(recording), { kind: 'incompatible' })
      assert.ok(!recording.requests.some(({ path }) => path.startsWith('/messages')))
    }
  })

  it('fails a call that is refused, whose stream ends, or that takes too long', async () => {
    let answer: Answer = () => undefined
    const recording = await start('/messages', (...all) => answer(...all))
    const connection = await meet(recording)
    const ask = () => sendRequest(postTo(recording.url), connection, CALL, { timeoutMs: 100 })

    await assert.rejects(ask(), { kind: 'timeout' })
    const { body } = await recording.untilRequest(({ body: sent }) => sent?.method === CALL.method)
    const cancelled = await recording.untilRequest(
      ({ body: sent }) => sent?.method === 'notifications/cancelled',
    )
    assert.deepEqual(cancelled.body.params, { requestId: body.id })

    answer = (_seen, _stream, posted) => void posted.writeHead(401).end()
    await assert.rejects(ask(), { kind: 'unauthorized' })
    answer = (_seen, stream) => void stream.end()
    await assert.rejects(ask(), { kind: 'stream_ended' })
    answer = (seen, stream) => {
      const error = { code: -32602, message: 'no' }
      stream.write(eventOf({ jsonrpc: '2.0', id: seen.body.id, error }))
    }
    await assert.rejects(ask(), { kind: 'rpc', code: -32602 })
  })
})
