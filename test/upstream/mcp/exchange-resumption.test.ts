/** How a request goes on when the stream of its answer ends early. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  LEGACY,
  MODERN,
  RESULT,
  SECRET,
  answerOf,
  ask,
  remoteOf,
  response,
} from '../../support/remote-call.ts'
import { eventOf, sendEvents, type Write } from '../../support/remote-mcp.ts'

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
