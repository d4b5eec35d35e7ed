import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readBytes } from '../../src/protocol/body.ts'

const LIMIT = 1024
const TOO_LARGE = { status: 413, code: 'body_too_large' }

/** A request that says how long its body is. */
const announced = (bytes: number) =>
  new Request('http://x/', {
    method: 'POST',
    body: new Uint8Array(bytes).fill(7),
    headers: { 'content-length': String(bytes) },
  })

/** A request in chunks that says nothing of its length; `cancelled` tells whether it was let go. */
function chunked(chunks: number, chunkBytes: number) {
  const state = { sent: 0, cancelled: false }
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (state.sent === chunks) return controller.close()
      state.sent++
      return controller.enqueue(new Uint8Array(chunkBytes).fill(7))
    },
    cancel() {
      state.cancelled = true
    },
  })
  const init = { method: 'POST', body, duplex: 'half' }
  return { request: new Request('http://x/', init), state }
}

describe('readBytes', () => {
  for (const bytes of [0, 1, LIMIT]) {
    it(`reads ${bytes} bytes, announced or in chunks`, async () => {
      assert.equal((await readBytes(announced(bytes), LIMIT)).length, bytes)
      assert.equal((await readBytes(chunked(bytes, 1).request, LIMIT)).length, bytes)
    })
  }

  it('puts chunks together in order', async () => {
    const body = new Blob(['{"a":', '"grü', 'ß"}']).stream()
    const init = { method: 'POST', body, duplex: 'half' }
    const bytes = await readBytes(new Request('http://x/', init), LIMIT)
    assert.equal(new TextDecoder().decode(bytes), '{"a":"grüß"}')
  })

  it('§9.2 #63: refuses an announced body over the limit with 413, unread', async () => {
    const request = announced(LIMIT + 1)
    await assert.rejects(readBytes(request, LIMIT), TOO_LARGE)
    assert.equal(request.bodyUsed, false)
  })

  it('§9.2 #63: refuses a chunked body over the limit with 413, and lets the rest go', async () => {
    const { request, state } = chunked(1_000_000, 512)
    await assert.rejects(readBytes(request, LIMIT), TOO_LARGE)
    assert.equal(state.cancelled, true)
    assert.ok(state.sent < 10, `${state.sent} chunks were taken`)
  })

  it('reads a request without a body as nothing', async () => {
    assert.equal((await readBytes(new Request('http://x/'), LIMIT)).length, 0)
  })

  it('names the limit in MiB', async () => {
    const limit = 4 * 1024 * 1024
    await assert.rejects(readBytes(announced(limit + 1), limit), /at most 4 MiB/)
  })
})
