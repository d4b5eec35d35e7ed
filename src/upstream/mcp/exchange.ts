/**
 * One request and its answer over Streamable HTTP, of either era (`mcp-protocol.md` §8.2, §8.4).
 */
import { essenceOf } from '../../protocol/headers.ts'
import { readAnswer } from './answer-stream.ts'
import { startDeadline, type Limits } from './deadline.ts'
import { MAX_MESSAGE_BYTES, readText, type ReadOptions, type Seen } from './events.ts'
import { excerptOf, UpstreamFault } from './fault.ts'
import { createInbox, type Inbox, type InboxHooks } from './inbox.ts'
import {
  nextId,
  requestBody,
  requestHeaders,
  type Addressee,
  type EnvelopeOptions,
  type OutgoingRequest,
} from './outgoing.ts'
import type { Post } from './post.ts'
import { parseJson, readRefusal, send, sendMessage, tellCancelled } from './send.ts'

export type Hooks = Limits &
  InboxHooks &
  EnvelopeOptions & {
    /** The largest message or answer. */
    maxBytes?: number | undefined
    /** Is put down what is seen of the answer. */
    seen?: Seen | undefined
    /** Keeps what is still to be told after the answer was given up; without it the fault waits for it. */
    waitUntil?: ((promise: Promise<unknown>) => void) | undefined
  }

export type Answer = { result: Record<string, unknown>; headers: Headers }

/** Sends a request and gives its result untouched, with the headers it came with. */
export async function exchange(
  post: Post,
  to: Addressee,
  request: OutgoingRequest,
  hooks: Hooks,
): Promise<Answer> {
  const id = nextId()
  const deadline = startDeadline(hooks)
  const secret = to.era === 'legacy' ? to.sessionId : undefined
  const inbox = createInbox({
    id,
    deadline,
    hooks,
    hasLogs: to.era === 'legacy' || hooks.logLevel !== undefined,
    ...(to.era === 'legacy' && {
      reply: (message: Record<string, unknown>) => sendMessage(post, to, message),
    }),
    secret,
  })
  let isSent = false
  try {
    deadline.signal.throwIfAborted()
    isSent = true
    const response = await send(post, deadline, {
      method: 'POST',
      headers: requestHeaders(to, request),
      body: requestBody(to, id, request, hooks, hooks.progress !== undefined),
    })
    const { seen } = hooks
    if (seen !== undefined) Object.assign(seen, { status: response.status, bytes: 0 })
    const { signal } = deadline
    if (!response.ok) throw await readRefusal(response, id, { signal, seen }, secret)
    const maxBytes = hooks.maxBytes ?? MAX_MESSAGE_BYTES
    const result =
      essenceOf(response.headers.get('content-type')) === 'text/event-stream'
        ? await readAnswer({ post, to, response, inbox, deadline, maxBytes, seen })
        : await readJson(response, inbox, { maxBytes, signal, seen }, secret)
    return { result, headers: response.headers }
  } catch (error) {
    if (!deadline.signal.aborted) throw error
    // A modern server reads the closed stream; `initialize` cannot be cancelled (§3.1).
    if (isSent && to.era === 'legacy' && request.method !== 'initialize') {
      await tellCancelled(post, to, id, hooks.waitUntil)
    }
    throw deadline.signal.reason
  } finally {
    inbox.close()
    deadline.end()
  }
}

async function readJson(
  response: Response,
  inbox: Inbox,
  options: ReadOptions,
  secret: string | undefined,
): Promise<Record<string, unknown>> {
  const text = await readText(response, options)
  const message = parseJson(text)
  const { status } = response
  if (message === undefined) {
    const said = /^\s*</.test(text) ? undefined : excerptOf(text, secret)
    const what = text === '' ? 'nothing' : 'what is no JSON'
    throw new UpstreamFault('malformed', `The remote server answered with ${what}`, {
      status,
      said,
    })
  }
  const result = inbox.receive(message)
  if (result !== undefined) return result
  throw new UpstreamFault('malformed', 'The remote server did not answer the request', { status })
}
