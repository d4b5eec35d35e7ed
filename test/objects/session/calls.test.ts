import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Calls } from '../../../src/objects/session/calls.ts'
import type { RequestId } from '../../../src/protocol/json-rpc.ts'

type Sent = { id?: RequestId; method: string; params: { requestId?: string } }

const TEN_MINUTES_MS = 600_000

/** Asks, and gives what is sent meanwhile. */
function ask(calls: Calls, signal = new AbortController().signal) {
  const sent: Sent[] = []
  const answered = calls.ask((message) => sent.push(message as Sent), 'roots/list', {}, signal)
  return { sent, answered }
}

describe('A question to a client', () => {
  it('is taken back after ten minutes', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const { sent, answered } = ask(new Calls())
    t.mock.timers.tick(TEN_MINUTES_MS)
    await assert.rejects(answered, /not waited for/)
    assert.deepEqual(
      sent.map(({ method }) => method),
      ['roots/list', 'notifications/cancelled'],
    )
    assert.equal(sent[1]?.params.requestId, sent[0]?.id)
  })

  it('of a call that was cancelled is not asked', async () => {
    const { sent, answered } = ask(new Calls(), AbortSignal.abort())
    await assert.rejects(answered, /cancelled/)
    assert.deepEqual(sent, [])
  })

  it('is one of a hundred at most, until one is answered', async () => {
    const calls = new Calls()
    const open = Array.from({ length: 100 }, () => ask(calls))
    await assert.rejects(ask(calls).answered, /too many/)
    const [first, ...others] = open
    calls.answer({ kind: 'response', id: first?.sent[0]?.id ?? '', result: { roots: [] } })
    assert.deepEqual(await first?.answered, { roots: [] })
    const next = ask(calls)
    for (const { sent, answered } of [...others, next]) {
      calls.answer({ kind: 'response', id: sent[0]?.id ?? '', error: { code: -1, message: 'no' } })
      await assert.rejects(answered, { message: 'no', code: -1 })
    }
  })
})
