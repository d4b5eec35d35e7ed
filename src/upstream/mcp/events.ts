/**
 * Reading what a remote server sends: a bounded text, or the events of a stream. Line ends, split
 * chunks, comments and a byte order mark are the parser's work.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { lengthThatFits } from '../bounded-body.ts'
import { UpstreamFault } from './fault.ts'

/** One message, or an answer that is one text. */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024

/** A stream carries the messages around an answer too; nobody needs more of them than this. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024

/** What was seen of an answer, put down while it is read. */
export type Seen = { status?: number; bytes: number }

export type ReadOptions = {
  maxBytes: number
  /** Ends the reading; its reason is thrown. */
  signal: AbortSignal
  /** Is added what is read. */
  seen?: Seen | undefined
}

/** The text of a body, or the fault `too_large`. */
export async function readText(
  response: Pick<Response, 'body' | 'headers' | 'text'>,
  { maxBytes, signal, seen }: ReadOptions,
): Promise<string> {
  const { body, headers } = response
  const length = lengthThatFits(headers, maxBytes)
  if (length !== undefined) {
    if (seen !== undefined) seen.bytes += length
    // A body whose request was aborted is broken off too.
    return response.text().catch(() => {
      throw faultOfBreak(signal)
    })
  }
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of chunksOf(body, { signal, seen })) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

export type EventOptions = ReadOptions & {
  /** An event id was seen, of an event without data too. */
  onId?: (id: string) => void
  /** How long to wait before coming back. */
  onRetry?: (ms: number) => void
}

/** The events of a stream that have data; leaving the loop lets the stream go. */
export async function* eventsOf(
  body: Body | null,
  { maxBytes, signal, seen, onId, onRetry }: EventOptions,
): AsyncGenerator<EventSourceMessage> {
  let events: EventSourceMessage[] = []
  let overflow = false
  const parser = createParser({
    maxBufferSize: maxBytes,
    onEvent: (event) => events.push(event),
    onError: (error) => (overflow ||= error.type === 'max-buffer-size-exceeded'),
    ...(onId && { onId }),
    ...(onRetry && { onRetry }),
  })
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  const limit = Math.max(MAX_STREAM_BYTES, maxBytes)
  let bytes = 0
  for await (const chunk of chunksOf(body, { signal, seen })) {
    bytes += chunk.length
    if (bytes > limit) throw tooLarge(limit)
    parser.feed(decoder.decode(chunk, { stream: true }))
    const heard = events
    events = []
    for (const event of heard) {
      if (event.data.length > maxBytes) throw tooLarge(maxBytes)
      if (event.data !== '') yield event
    }
    if (overflow) throw tooLarge(maxBytes)
  }
}

type Body = ReadableStream<Uint8Array>

async function* chunksOf(
  body: Body | null,
  { signal, seen }: Pick<ReadOptions, 'signal' | 'seen'>,
): AsyncGenerator<Uint8Array> {
  if (body === null) return
  const reader = body.getReader()
  let isWhole = false
  const stop = () => {
    reader.cancel().catch(() => undefined) // it may have broken already
  }
  signal.addEventListener('abort', stop)
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read().catch(() => {
        throw faultOfBreak(signal)
      })
      if (signal.aborted) break
      isWhole = done
      if (done) return
      if (seen !== undefined) seen.bytes += value.length
      yield value
    }
    throw signal.reason
  } finally {
    signal.removeEventListener('abort', stop)
    if (!isWhole) stop()
  }
}

/** Why a body ended too early: nobody waits for it any more, or the connection broke off. */
function faultOfBreak(signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  const message = 'The connection to the remote server broke off'
  return new UpstreamFault('unreachable', message, { isBroken: true })
}

function tooLarge(bytes: number): UpstreamFault {
  const message = `The remote server's answer is larger than ${bytes / 1024 / 1024} MiB`
  return new UpstreamFault('too_large', message)
}
