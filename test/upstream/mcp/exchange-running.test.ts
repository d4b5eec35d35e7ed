/** What a remote server tells and asks while a request runs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Connection } from '../../../src/upstream/mcp/connection.ts'
import type { Hooks } from '../../../src/upstream/mcp/exchange.ts'
import {
  LEGACY,
  MODERN,
  SECRET,
  answerOf,
  ask,
  note,
  remoteOf,
  response,
} from '../../support/remote-call.ts'
import { eventOf, sendEvents, type Write } from '../../support/remote-mcp.ts'

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
