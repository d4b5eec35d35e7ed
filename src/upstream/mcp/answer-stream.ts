/**
 * The stream that a request was answered with. A legacy stream that ends early is gone on with where
 * the remote server gave its events ids; a modern one has lost the request (`mcp-protocol.md` §8.4).
 */
import { essenceOf } from '../../protocol/headers.ts'
import type { Deadline } from './deadline.ts'
import { eventsOf, type Seen } from './events.ts'
import { UpstreamFault } from './fault.ts'
import type { Inbox } from './inbox.ts'
import { streamHeadersFor, type Addressee } from './outgoing.ts'
import type { Post } from './post.ts'
import { parseJson, send } from './send.ts'

/** A server may end its stream after each event and let us poll. */
const MAX_RESUMES = 200
/** Tries in a row that brought no new event. */
const MAX_FRUITLESS_RESUMES = 3
const DEFAULT_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

/** Reads to the answer, and lets the stream go. */
export async function readAnswer(options: {
  post: Post
  to: Addressee
  response: Response
  inbox: Inbox
  deadline: Deadline
  maxBytes: number
  seen?: Seen | undefined
}): Promise<Record<string, unknown>> {
  const { post, to, inbox, deadline, maxBytes, seen } = options
  const { signal } = deadline
  let response: Response | undefined = options.response
  let lastEventId = ''
  let retryMs = DEFAULT_RETRY_MS
  let isBroken = false

  /** The answer, if this response has it. */
  const read = async ({ body }: Response) => {
    const events = eventsOf(body, {
      maxBytes,
      signal,
      seen,
      onId: (id) => (lastEventId = id),
      onRetry: (ms) => (retryMs = Math.min(ms, MAX_RETRY_MS)),
    })
    for await (const { event, data } of events) {
      if (event !== undefined && event !== 'message') continue
      const result = inbox.receive(parseJson(data))
      if (result !== undefined) return result
    }
    return undefined
  }

  for (let resumes = 0, fruitless = 0; ; resumes++) {
    const before = lastEventId
    if (response !== undefined) {
      try {
        const result = await read(response)
        if (result !== undefined) return result
        isBroken = false
      } catch (error) {
        if (!(error instanceof UpstreamFault && error.isBroken)) throw error
        isBroken = true
      }
    }
    fruitless = lastEventId === before && resumes > 0 ? fruitless + 1 : 0
    const canResume = to.era === 'legacy' && lastEventId !== ''
    if (!canResume || resumes >= MAX_RESUMES || fruitless >= MAX_FRUITLESS_RESUMES) {
      const message = 'The remote server ended its stream before the answer'
      throw new UpstreamFault('stream_ended', message, { isBroken })
    }
    await deadline.race(new Promise((resolve) => setTimeout(resolve, retryMs)))
    response = await resume(lastEventId)
  }

  /** The stream after an event; undefined when the remote server cannot be reached now. */
  async function resume(id: string): Promise<Response | undefined> {
    const headers = { ...streamHeadersFor(to), 'Last-Event-ID': id }
    try {
      const resumed = await send(post, deadline, { method: 'GET', headers })
      if (resumed.ok && essenceOf(resumed.headers.get('content-type')) === 'text/event-stream') {
        return resumed
      }
      await resumed.body?.cancel()
    } catch (error) {
      if (!(error instanceof UpstreamFault && error.isBroken)) throw error
      return undefined
    }
    // Whatever the status: the request was taken, so nothing here may read as if it was not.
    const message = 'The remote server ended its stream before the answer, and offers no rest of it'
    throw new UpstreamFault('stream_ended', message)
  }
}
