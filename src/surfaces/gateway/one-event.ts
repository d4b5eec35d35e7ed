/**
 * The answer to a 2025 request: one event with one `data: ` line, and the stream ends (`surfaces.md`
 * C27–C29). What is rendered once is looked through for line ends once.
 */
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import type { Result } from '../../methods/exchange.ts'
import { singleLine, singleLineBytes } from '../../protocol/single-line.ts'
import { EVENT_CLOSING, EVENT_OPENING, EVENT_STREAM_HEADERS } from '../../protocol/sse.ts'

const OPENING = encodeUtf8(EVENT_OPENING)
const CLOSING = encodeUtf8(EVENT_CLOSING)

const known = new WeakMap<Uint8Array, Uint8Array>()

/** The response with an answer as its only event; bytes are of `onOneLine` already. */
export function formatOneEvent(
  answer: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
): Response {
  const body =
    typeof answer === 'string'
      ? EVENT_OPENING + singleLine(answer) + EVENT_CLOSING
      : concat([OPENING, answer, CLOSING])
  return new Response(body, { headers: { ...EVENT_STREAM_HEADERS, ...headers } })
}

/** A result whose bytes have nothing that anybody takes for a line end. */
export function onOneLine(result: Result): Result {
  const { open } = result
  if (!(open instanceof Uint8Array)) return result
  const line = known.get(open) ?? singleLineBytes(open)
  known.set(open, line)
  return { ...result, open: line }
}
