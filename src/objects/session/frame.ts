/** Ready answers in a session: whether one may go out, and the form it goes out in. */
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import { EVENT_CLOSING, EVENT_OPENING, EVENT_STREAM_HEADERS } from '../../protocol/sse.ts'
import type { Packet } from './packet.ts'
import type { SessionRecord } from './record.ts'

const OPENING = encodeUtf8(EVENT_OPENING)
const CLOSING = encodeUtf8(EVENT_CLOSING)

/** Whether a packet was made for another revision than the session's, or from too old a catalog. */
export function isStale(record: SessionRecord, packet: Packet): boolean {
  if ((packet.catalogRevision ?? Infinity) < record.catalogRevision) return true
  return (
    packet.kind === 'answer' && packet.revision !== undefined && packet.revision !== record.revision
  )
}

/** A ready answer as the client takes it: one event, or plain JSON. */
export function frame(answer: Uint8Array, stream: boolean): Response {
  return stream
    ? new Response(concat([OPENING, answer, CLOSING]), { headers: EVENT_STREAM_HEADERS })
    : new Response(answer, { headers: { 'Content-Type': 'application/json' } })
}
