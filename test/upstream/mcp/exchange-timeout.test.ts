/** How a request ends that is not answered in time. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  LEGACY,
  MODERN,
  RESULT,
  SECRET,
  answerOf,
  ask,
  note,
  remoteOf,
} from '../../support/remote-call.ts'
import { eventOf, sendEvents, type Write } from '../../support/remote-mcp.ts'

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
