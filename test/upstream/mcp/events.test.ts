import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventsOf, readText } from '../../../src/upstream/mcp/events.ts'

const MAX_BYTES = 1000
const quiet = new AbortController().signal

/** A body of these bytes in pieces of a size. */
function bodyOf(text: string, size: number, onCancel?: () => void): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
    cancel: () => onCancel?.(),
  })
}

async function read(text: string, size: number) {
  const ids: string[] = []
  const retries: number[] = []
  const data: [string | undefined, string][] = []
  const events = eventsOf(bodyOf(text, size), {
    maxBytes: MAX_BYTES,
    signal: quiet,
    onId: (id) => ids.push(id),
    onRetry: (ms) => retries.push(ms),
  })
  for await (const event of events) data.push([event.event, event.data])
  return { data, ids, retries }
}

describe('68: eventsOf', () => {
  const streams: [string, string, Partial<Awaited<ReturnType<typeof read>>>][] = [
    ['one event', 'event: message\ndata: {}\n\n', { data: [['message', '{}']] }],
    ['one without a type', 'data: {}\n\n', { data: [[undefined, '{}']] }],
    [
      'CRLF',
      'event: message\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n',
      {
        data: [
          ['message', '1'],
          [undefined, '2'],
        ],
      },
    ],
    [
      'CR',
      'data: 1\r\rdata: 2\r\r',
      {
        data: [
          [undefined, '1'],
          [undefined, '2'],
        ],
      },
    ],
    ['comments', ': hi\n\ndata: 1\n: there\n\n:\n\n', { data: [[undefined, '1']] }],
    ['data on two lines', 'data: {"a":\ndata: 1}\n\n', { data: [[undefined, '{"a":\n1}']] }],
    ['no space after the colon', 'data:1\n\n', { data: [[undefined, '1']] }],
    ['a byte order mark', '\ufeffdata: 1\n\n', { data: [[undefined, '1']] }],
    ['letters beyond ASCII', 'data: "grüß 😀"\n\n', { data: [[undefined, '"grüß 😀"']] }],
    [
      'empty data with an id',
      'id: 7\ndata:\n\ndata: 1\n\n',
      {
        data: [[undefined, '1']],
        ids: ['7'],
      },
    ],
    ['an id without data', 'id: 7\n\n', { data: [], ids: ['7'] }],
    [
      'an id that was cut off',
      'id: 7\ndata: 1\n\nid: 8\ndata',
      {
        data: [[undefined, '1']],
        ids: ['7'],
      },
    ],
    ['retry', 'retry: 40\n\nretry: soon\n\n', { data: [], retries: [40] }],
    ['unknown fields and types', 'event: ping\nfoo: bar\ndata: 1\n\n', { data: [['ping', '1']] }],
    ['an event without its end', 'data: 1', { data: [] }],
    ['nothing', '', { data: [] }],
  ]
  for (const [what, text, expected] of streams) {
    it(`reads ${what}, in pieces of any size`, async () => {
      for (const size of [1, 2, 3, 7, 1000]) {
        assert.deepEqual(await read(text, size), { ids: [], retries: [], ...expected })
      }
    })
  }

  it('cuts an event larger than the bound, at once or in pieces', async () => {
    const long = 'x'.repeat(MAX_BYTES + 1)
    for (const text of [`data: ${long}\n\n`, `data: ${long}`, `data: a\ndata: ${long}`]) {
      for (const size of [100, 10_000]) {
        await assert.rejects(read(text, size), { kind: 'too_large' })
      }
    }
  })

  it('lets the stream go when the reader has what it wanted', async () => {
    const cancelled = Promise.withResolvers<void>()
    const body = bodyOf('data: 1\n\ndata: 2\n\n', 9, cancelled.resolve)
    for await (const { data } of eventsOf(body, { maxBytes: MAX_BYTES, signal: quiet })) {
      assert.equal(data, '1')
      break
    }
    await cancelled.promise
  })

  it('ends a silent stream with the reason of its signal', async () => {
    const abort = new AbortController()
    const body = new ReadableStream<Uint8Array>()
    const reading = eventsOf(body, { maxBytes: MAX_BYTES, signal: abort.signal }).next()
    abort.abort(new Error('enough'))
    await assert.rejects(reading, /enough/)
  })

  it('says that a connection broke', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('reset')),
    })
    await assert.rejects(eventsOf(body, { maxBytes: MAX_BYTES, signal: quiet }).next(), {
      kind: 'unreachable',
      isBroken: true,
    })
  })
})

describe('readText', () => {
  it('joins letters that were split between chunks', async () => {
    const body = bodyOf('grüß 😀', 1)
    assert.equal(
      await readText(new Response(body), { maxBytes: MAX_BYTES, signal: quiet }),
      'grüß 😀',
    )
  })

  it('reads up to the bound, and no further', async () => {
    const options = { maxBytes: MAX_BYTES, signal: quiet }
    assert.equal((await readText(new Response(bodyOf('x'.repeat(1000), 99)), options)).length, 1000)
    const cancelled = Promise.withResolvers<void>()
    const long = new Response(bodyOf('x'.repeat(1e6), 99, cancelled.resolve))
    await assert.rejects(readText(long, options), { kind: 'too_large' })
    await cancelled.promise
  })

  it('reads no body as nothing', async () => {
    assert.equal(await readText(new Response(null), { maxBytes: MAX_BYTES, signal: quiet }), '')
  })
})
