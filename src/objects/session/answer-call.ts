/**
 * A call as its client sees it: one answer, or the stream that it runs on. What is sent on a stream is
 * logged first, so the work goes on whoever reads (`mcp-protocol.md` §3.5).
 */
import { EVENT_STREAM_HEADERS } from '../../protocol/sse.ts'
import type { Ask } from '../../upstream/run-steps.ts'
import type { Calls } from './calls.ts'
import type { CallBody } from './packet.ts'
import type { SessionRecord } from './record.ts'
import { runCall, type RunContext } from './run-call.ts'
import type { Streams } from './streams.ts'

export type Desk = Pick<RunContext, 'world' | 'note' | 'session' | 'waitUntil'> & {
  calls: Calls
  streams: Streams
}

/** Runs a call to its end: one answer as JSON, or 202 when it was cancelled. */
export async function answerOnce(
  { calls, ...context }: Desk,
  record: SessionRecord,
  call: CallBody,
): Promise<Response> {
  const running = calls.begin(call.id)
  const { signal } = running.abort
  try {
    const answer = await runCall(call, record, { ...context, signal, send: () => {} })
    if (answer === undefined) return new Response(null, { status: 202 })
    return new Response(answer, { headers: { 'Content-Type': 'application/json' } })
  } finally {
    calls.end(running)
  }
}

/** Begins a call on a stream of its own; `done` settles when the stream has had its answer. */
export function answerOnStream(
  { calls, streams, ...context }: Desk,
  record: SessionRecord,
  call: CallBody,
): { response: Response; done: Promise<void> } {
  const running = calls.begin(call.id)
  const { signal } = running.abort
  const stream = streams.begin(JSON.stringify(call.id))
  // Read from before the call runs: what is sent to nobody is in the log alone.
  const body = streams.read(stream, record.revision === '2025-11-25')
  const send = (message: string) => {
    if (!signal.aborted) streams.send(stream, message)
  }
  const ask: Ask = (...question) =>
    calls.ask((message) => send(JSON.stringify(message)), ...question)
  const done = runCall(call, record, { ...context, signal, send, ask })
    .finally(() => calls.end(running))
    .then((answer) => {
      if (!streams.isLive(stream)) return // the session has ended under it
      if (answer !== undefined) send(answer)
      streams.end(stream, Date.now())
    })
  return { response: new Response(body, { headers: EVENT_STREAM_HEADERS }), done }
}
