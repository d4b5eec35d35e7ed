import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  EVENT_LOG_SCHEMA,
  KEPT_AFTER_MS,
  dropEndedStreams,
} from '../../../src/objects/session/event-log.ts'
import { Streams } from '../../../src/objects/session/streams.ts'
import { createSql } from '../../support/sql.ts'

const NOW = 1000
const lost = (request: string) => `{"lost":${request}}`
const never = () => assert.fail('nothing was lost')

const event = (id: string, data: string) => `id: ${id}\nevent: message\ndata: ${data}\n\n`
const PRIMING = 'id: 1.0\nretry: 1000\ndata:\n\n'

/** All of a stream that has ended. */
async function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  assert.ok(stream)
  return new Response(stream).text()
}

function begin() {
  const sql = createSql(EVENT_LOG_SCHEMA)
  const streams = new Streams(sql)
  return { sql, streams, stream: streams.begin('7') }
}

describe('Streams', () => {
  it('§9.2 #30: sends what comes with ids, after an event that only carries one, and closes', async () => {
    const { streams, stream } = begin()
    const reading = textOf(streams.read(stream, true))
    streams.send(stream, '{"a":1}')
    streams.send(stream, '{"a":2}')
    streams.end(stream, NOW)
    assert.equal(await reading, PRIMING + event('1.1', '{"a":1}') + event('1.2', '{"a":2}'))
  })

  it('§9.2 #30: sends no empty event where the client does not know those', async () => {
    const { streams, stream } = begin()
    const reading = textOf(streams.read(stream, false))
    streams.send(stream, '{}')
    streams.end(stream, NOW)
    assert.equal(await reading, event('1.1', '{}'))
  })

  it('§9.2 #28: goes on when its reader has left, and tells who comes back what it missed', async () => {
    const { streams, stream } = begin()
    const reader = streams.read(stream, true)
    streams.send(stream, '{"a":1}')
    await reader.cancel()
    streams.send(stream, '{"a":2}')
    const resumed = streams.resume('1.1', never, NOW)
    streams.send(stream, '{"a":3}')
    assert.equal(streams.isLive(stream), true)
    streams.end(stream, NOW)
    assert.equal(streams.isLive(stream), false)
    assert.equal(await textOf(resumed), event('1.2', '{"a":2}') + event('1.3', '{"a":3}'))
  })

  it('replays a stream that has ended, from any of its events, and closes', async () => {
    const { streams, stream } = begin()
    streams.send(stream, '{"a":1}')
    streams.send(stream, '{"a":2}')
    streams.end(stream, NOW)
    const events = event('1.1', '{"a":1}') + event('1.2', '{"a":2}')
    assert.equal(await textOf(streams.resume('1.0', never, NOW)), events)
    assert.equal(await textOf(streams.resume('1.1', never, NOW)), event('1.2', '{"a":2}'))
    assert.equal(await textOf(streams.resume('1.2', never, NOW)), '')
  })

  it('§9.2 #30: replays no other stream', async () => {
    const { streams, stream } = begin()
    const other = streams.begin('8')
    streams.send(other, '{"other":1}')
    streams.send(stream, '{"a":1}')
    streams.end(stream, NOW)
    assert.equal(await textOf(streams.resume('1.0', never, NOW)), event('1.1', '{"a":1}'))
    streams.end(other, NOW)
  })

  it('knows no event that was not sent', () => {
    const { sql, streams, stream } = begin()
    streams.send(stream, '{}')
    for (const id of ['1.2', '2.0', '2.1', '0.0', '', 'x']) {
      assert.equal(streams.resume(id, never, NOW), undefined, id)
    }
    streams.end(stream, NOW)
    dropEndedStreams(sql, NOW + KEPT_AFTER_MS)
    assert.equal(streams.resume('1.0', never, NOW), undefined)
  })

  it('ends a stream whose work died with an earlier instance, once, after what it had sent', async () => {
    const { sql, streams, stream } = begin()
    streams.send(stream, '{"a":1}')
    const later = new Streams(sql)
    const events = event('1.1', '{"a":1}') + event('1.2', '{"lost":7}')
    assert.equal(await textOf(later.resume('1.0', lost, NOW)), events)
    assert.equal(await textOf(later.resume('1.0', never, NOW)), events)
    assert.equal(await textOf(later.resume('1.1', never, NOW)), event('1.2', '{"lost":7}'))
  })

  it('tells that a replay is lost where the log has gaps', async () => {
    const { streams, stream } = begin()
    for (let n = 1; n <= 101; n++) streams.send(stream, `{"n":${n}}`)
    assert.equal(await textOf(streams.resume('1.0', lost, NOW)), event('1.101', '{"lost":7}'))
    streams.end(stream, NOW)
    assert.match(await textOf(streams.resume('1.1', never, NOW)), /^id: 1\.2\n/)
  })
})
