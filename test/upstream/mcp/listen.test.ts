import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { LegacyConnection, ModernConnection } from '../../../src/upstream/mcp/connection.ts'
import { listen, type Wanted } from '../../../src/upstream/mcp/listen.ts'
import {
  eventOf,
  legacyConnection,
  modernConnection,
  sendEvents,
  sendError,
  startRemote,
  type Answers,
  type Remote,
} from '../../support/remote-mcp.ts'

const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

const ALL: Wanted = { uris: ['a:b'], lists: true }
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const quiet = new AbortController().signal

async function hear(
  connection: LegacyConnection | ModernConnection,
  answers: Answers,
  wanted = ALL,
  signal = quiet,
) {
  const remote = await startRemote(answers)
  open.push(remote)
  const heard: [string, unknown][] = []
  await listen(
    remote.post,
    connection,
    wanted,
    (method, { uri }) => heard.push([method, uri]),
    signal,
  )
  return { heard, remote }
}

const note = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params })
const toolsChanged = 'notifications/tools/list_changed'
const promptsChanged = 'notifications/prompts/list_changed'
const updated = 'notifications/resources/updated'
const acknowledged = 'notifications/subscriptions/acknowledged'

describe('listen, to a modern server', () => {
  /** Answers a listen with messages, each tagged with its id unless it says otherwise. */
  const answering = (
    ...messages: { method: string; params?: object; id?: unknown }[]
  ): Answers => ({
    'subscriptions/listen': (seen, to) => {
      const texts = messages.map(({ method, params, id = seen.body.id }) =>
        eventOf(note(method, { ...params, _meta: { [SUBSCRIPTION]: id } })),
      )
      sendEvents(to, ...texts, eventOf({ jsonrpc: '2.0', id: seen.body.id, result: {} }))
    },
  })
  const ack = (notifications: object) => ({ method: acknowledged, params: { notifications } })

  it('asks for what is wanted, and hears what was agreed to, until the graceful end', async () => {
    const { heard, remote } = await hear(
      modernConnection(),
      answering(
        ack({ toolsListChanged: true, promptsListChanged: false, resourceSubscriptions: ['a:b'] }),
        { method: toolsChanged },
        { method: promptsChanged },
        { method: 'notifications/message' },
        { method: toolsChanged, id: 'another' },
        { method: updated, params: { uri: 'a:b/c' } },
      ),
    )
    assert.deepEqual(heard, [
      [acknowledged, undefined],
      [toolsChanged, undefined],
      [updated, 'a:b/c'],
    ])
    const [{ params }] = remote.messages()
    assert.deepEqual(params.notifications, {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:b'],
    })
    assert.equal(remote.requests[0]?.headers['mcp-method'], 'subscriptions/listen')
  })

  it('asks for nothing that is not wanted, and hears none of it', async () => {
    const { heard, remote } = await hear(
      modernConnection(),
      answering(
        ack({ toolsListChanged: true, resourceSubscriptions: ['a:b'] }),
        { method: updated, params: { uri: 'a:b' } },
        { method: toolsChanged },
      ),
      { uris: [], lists: true },
    )
    assert.deepEqual(
      heard.map(([method]) => method),
      [acknowledged, toolsChanged],
    )
    assert.equal(remote.messages()[0].params.notifications.resourceSubscriptions, undefined)
  })

  const refused: [string, Answers][] = [
    ['agrees to nothing', answering(ack({}))],
    ['agrees to other things', answering(ack({ resourceSubscriptions: ['c:d'] }))],
    ['begins with something else', answering({ method: toolsChanged })],
  ]
  for (const [what, answers] of refused) {
    it(`is incompatible with one that ${what}`, async () => {
      await assert.rejects(hear(modernConnection(), answers), { kind: 'incompatible' })
    })
  }

  it('throws the error it is answered with, as JSON or on the stream', async () => {
    const error = { code: -32603, message: 'Too many streams' }
    const asJson: Answers = {
      'subscriptions/listen': (seen, to) => sendError(seen, to, error),
    }
    const asEvent: Answers = {
      'subscriptions/listen': (seen, to) =>
        sendEvents(to, eventOf({ jsonrpc: '2.0', id: seen.body.id, error })),
    }
    for (const answers of [asJson, asEvent]) {
      await assert.rejects(hear(modernConnection(), answers), { kind: 'rpc', code: -32603 })
    }
  })
})

describe('listen, to a legacy server', () => {
  const session = legacyConnection({ sessionId: 'session-1' })

  it('hears the GET stream to its end, broken or not, and answers pings', async () => {
    for (const isBroken of [false, true]) {
      const pong = Promise.withResolvers<void>()
      const { heard, remote } = await hear(session, {
        GET: async (_seen, to) => {
          sendEvents(
            to,
            ': hi\n\n',
            eventOf({ jsonrpc: '2.0', id: 1, method: 'ping' }),
            eventOf(note(toolsChanged)),
            eventOf(note('notifications/message', { data: 1 })),
            eventOf(note(updated, { uri: 'a:b' })),
          )
          await pong.promise
          if (isBroken) to.socket?.destroy()
          else to.end()
        },
        reply: (seen, to) => {
          assert.deepEqual(seen.body, { jsonrpc: '2.0', id: 1, result: {} })
          to.writeHead(202).end(pong.resolve)
        },
      })
      assert.deepEqual(heard, [
        [acknowledged, undefined],
        [toolsChanged, undefined],
        [updated, 'a:b'],
      ])
      assert.equal(remote.requests[0]?.headers['mcp-session-id'], 'session-1')
      assert.equal(remote.requests[0]?.headers['accept'], 'text/event-stream')
    }
  })

  it('throws where no stream is offered, or the session is lost', async () => {
    const answered = (status: number): Answers => ({
      GET: (_seen, to) => void to.writeHead(status).end(),
    })
    await assert.rejects(hear(session, answered(405)), { kind: 'status', status: 405 })
    await assert.rejects(hear(session, answered(404)), { kind: 'session_lost' })
  })
})
