/**
 * The call streams of a session that are under way: each message is logged first and then sent to
 * whoever reads it now. A reader may leave and come back; the work goes on (`mcp-protocol.md` §3.5).
 */
import { formatEvent } from '../../protocol/sse.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import {
  appendEvent,
  beginStream,
  endStream,
  eventsAfter,
  findStream,
  formatEventId,
  parseEventId,
} from './event-log.ts'

/** How long a client waits before it asks for the rest of a stream that broke. */
const RETRY_MS = 1000

type Reader = ReadableStreamDefaultController<Uint8Array>

export class Streams {
  readonly #sql: SqlStorage
  readonly #readers = new Map<number, Set<Reader>>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Begins the stream of a request (its id as JSON text). */
  begin(request: string): number {
    const stream = beginStream(this.#sql, request)
    this.#readers.set(stream, new Set())
    return stream
  }

  /** Whether the work of a stream is under way in this instance of the object. */
  isLive(stream: number): boolean {
    return this.#readers.has(stream)
  }

  /** Logs a message and sends it to who reads the stream. */
  send(stream: number, message: string): void {
    const sequence = appendEvent(this.#sql, stream, message)
    this.#write(stream, { data: message, id: formatEventId(stream, sequence) })
  }

  /** Ends a stream: it has had its answer, or will have none. */
  end(stream: number, now: number): void {
    endStream(this.#sql, stream, now)
    for (const reader of this.#readers.get(stream) ?? []) closeReader(reader)
    this.#readers.delete(stream)
  }

  /** Ends every stream that is under way. */
  endAll(now: number): void {
    for (const stream of this.#readers.keys()) this.end(stream, now)
  }

  /** The stream from its beginning, with an event that only carries an id where the client has those. */
  read(stream: number, primed: boolean): ReadableStream<Uint8Array> {
    const priming = formatEvent({ data: '', id: formatEventId(stream, 0), retryMs: RETRY_MS })
    return this.#attach(stream, primed ? [priming] : [])
  }

  /**
   * What a client missed after an event, and what is still to come. Undefined when the event is not
   * one of ours or its stream is no longer kept; `lost` makes the last message of one whose work
   * ended with an earlier instance of this object, or whose log has gaps.
   */
  resume(
    lastEventId: string,
    lost: (request: string) => string,
    now: number,
  ): ReadableStream<Uint8Array> | undefined {
    const at = parseEventId(lastEventId)
    const stored = at && findStream(this.#sql, at.stream)
    if (at === undefined || stored === undefined || at.sequence > stored.sent) return undefined
    const { stream } = at
    const missed = eventsAfter(this.#sql, stored, at.sequence)
    if (missed === undefined) {
      const data = lost(stored.request)
      return this.#attach(-1, [formatEvent({ data, id: formatEventId(stream, stored.sent) })])
    }
    if (stored.endedAt === undefined && !this.isLive(stream)) {
      const message = lost(stored.request)
      missed.push({ sequence: appendEvent(this.#sql, stream, message), body: message })
      endStream(this.#sql, stream, now)
    }
    // It is taken over: a message goes out on one stream, and who comes back reads the other no more.
    for (const reader of this.#readers.get(stream) ?? []) closeReader(reader)
    this.#readers.get(stream)?.clear()
    const texts = missed.map(({ sequence, body }) =>
      formatEvent({ data: body, id: formatEventId(stream, sequence) }),
    )
    return this.#attach(stream, texts)
  }

  #attach(stream: number, first: readonly string[]): ReadableStream<Uint8Array> {
    let attached: Reader | undefined
    return new ReadableStream<Uint8Array>({
      start: (reader) => {
        attached = reader
        for (const text of first) reader.enqueue(encodeUtf8(text))
        const readers = this.#readers.get(stream)
        if (readers === undefined) reader.close()
        else readers.add(reader)
      },
      cancel: () => {
        if (attached !== undefined) this.#readers.get(stream)?.delete(attached)
      },
    })
  }

  #write(stream: number, event: { data: string; id: string }): void {
    const bytes = encodeUtf8(formatEvent(event))
    for (const reader of this.#readers.get(stream) ?? []) {
      try {
        reader.enqueue(bytes)
      } catch {
        this.#readers.get(stream)?.delete(reader) // it has left; the log has the message
      }
    }
  }
}

function closeReader(reader: Reader): void {
  try {
    reader.close()
  } catch {
    // it has left already
  }
}
