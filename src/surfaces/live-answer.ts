/**
 * Answers a call of the stateless era that may have to talk before it is done: plain JSON where
 * nothing precedes the result and it comes within a second, else one request-scoped event stream
 * (`surfaces.md` D3). The client leaving is its cancellation (`mcp-protocol.md` §4.9).
 */
import type { Envelope } from '../protocol/envelope.ts'
import {
  acceptsEventStream,
  EVENT_STREAM_HEADERS,
  formatComment,
  formatEvent,
} from '../protocol/sse.ts'
import { decodeUtf8, encodeUtf8 } from '../protocol/bytes.ts'
import { logError } from '../protocol/log.ts'
import { Cancelling } from '../upstream/cancellation.ts'
import type { Talk } from '../upstream/run-steps.ts'
import type { Answer } from './messages.ts'
import type { Visit } from './platform.ts'

const PATIENCE_MS = 1000
/** A client that has left is noticed by the second write after it, and then known within six seconds. */
const COMMENT_MS = 2000

/**
 * An answer to send as it is, or the stream that it became; `answer` makes it, and may talk where the
 * client takes a stream.
 */
export function answerLive(
  envelope: Envelope,
  { request, waitUntil }: Pick<Visit, 'request' | 'waitUntil'>,
  answer: (talk: Talk | undefined) => Answer | Promise<Answer>,
): Answer | Promise<Answer | Response> {
  if (!acceptsEventStream(request.headers.get('accept'))) return answer(undefined)
  const leaving = new Cancelling()
  const stream = new LiveStream(leaving)
  const given = answer({
    progressToken: envelope.progressToken,
    logLevel: envelope.logLevel,
    signal: leaving,
    notify: (notification) => stream.send(JSON.stringify(notification)),
  })
  return stream.answer(Promise.resolve(given), waitUntil)
}

/** The stream, which begins when something is first sent on it or the patience ends. */
class LiveStream {
  readonly #leaving: Cancelling
  #body: ReadableStream<Uint8Array> | undefined
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  /** Does what is to be done when something is first sent. */
  #begin = (): void => {}

  constructor(leaving: Cancelling) {
    this.#leaving = leaving
  }

  /** The answer, or the stream once it has to be one: something was sent, or a second is over. */
  answer(pending: Promise<Answer>, waitUntil: Visit['waitUntil']): Promise<Answer | Response> {
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        this.#begin = () => {}
        settle()
      }
      const begin = () => {
        // Shows that the call is at work, and notices a client that has left.
        this.#timer = setInterval(() => this.#write(formatComment('working')), COMMENT_MS)
        // Kept when the client has left: the remote server is told that nobody waits any more.
        waitUntil(
          pending.then(
            ({ body }) => this.#finish(body),
            (error: unknown) => this.#fail(error),
          ),
        )
        resolve(new Response(this.#open(), { headers: EVENT_STREAM_HEADERS }))
      }
      const timer = setTimeout(() => end(begin), PATIENCE_MS)
      if (this.#body !== undefined) return end(begin)
      this.#begin = () => end(begin)
      pending.then(
        (answer) => end(() => resolve(answer)),
        (error: Error) => end(() => reject(error)),
      )
    })
  }

  /** What the client reads. Most answers never become a stream, so it is made when one does. */
  #open(): ReadableStream<Uint8Array> {
    this.#body ??= new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#close()
        this.#leaving.abort()
      },
    })
    return this.#body
  }

  send(message: string): void {
    this.#open()
    this.#write(formatEvent({ data: message }))
    this.#begin()
  }

  #finish(body: Answer['body']): void {
    const text = typeof body === 'string' ? body : body && decodeUtf8(body)
    if (text !== undefined) this.#write(formatEvent({ data: text }))
    const controller = this.#controller
    this.#close()
    controller?.close()
  }

  #fail(error: unknown): void {
    logError('an answer failed', error)
    const controller = this.#controller
    this.#close()
    controller?.error(error)
  }

  #write(text: string): void {
    this.#controller?.enqueue(encodeUtf8(text))
  }

  #close(): void {
    this.#controller = undefined
    if (this.#timer !== undefined) clearInterval(this.#timer)
  }
}
