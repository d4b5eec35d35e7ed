import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  acceptsEventStream,
  formatComment,
  formatEvent,
  type Event,
} from '../../src/protocol/sse.ts'

describe('formatEvent', () => {
  const table: [Event, string][] = [
    [{ data: '{"a":1}' }, 'event: message\ndata: {"a":1}\n\n'],
    [{ data: '{}', id: '3-7' }, 'id: 3-7\nevent: message\ndata: {}\n\n'],
    [{ data: '', id: '3-0' }, 'id: 3-0\ndata:\n\n'],
    [{ data: '', id: '3-0', retryMs: 500 }, 'id: 3-0\nretry: 500\ndata:\n\n'],
    [{ data: '"\u2028 \u2029 \u0085"' }, 'event: message\ndata: "\u2028 \u2029 \u0085"\n\n'],
  ]
  for (const [event, text] of table) {
    it(`writes ${JSON.stringify(event)} as ${JSON.stringify(text)}`, () => {
      assert.equal(formatEvent(event), text)
    })
  }

  for (const end of ['\n', '\r', '\r\n']) {
    it(`refuses ${JSON.stringify(end)} in the data and in the id`, () => {
      assert.throws(() => formatEvent({ data: `a${end}b` }), TypeError)
      assert.throws(() => formatEvent({ data: '', id: `1${end}data: x` }), TypeError)
    })
  }

  it('writes comments that a client skips', () => {
    assert.equal(formatComment('keep-alive'), ': keep-alive\n\n')
  })
})

describe('acceptsEventStream', () => {
  const table: [string | null, boolean][] = [
    ['application/json, text/event-stream', true],
    ['text/event-stream', true],
    ['TEXT/Event-Stream;q=0.5', true],
    ['*/*', false],
    ['application/json', false],
    ['text/event-streams', false],
    ['x/y; a="text/event-stream"', false],
    ['', false],
    [null, false],
  ]
  for (const [accept, takes] of table) {
    it(`finds ${takes ? 'one' : 'none'} in '${accept}'`, () => {
      assert.equal(acceptsEventStream(accept), takes)
    })
  }
})
