/**
 * The HTTP+SSE transport of 2024-11-05, for servers that have nothing newer (`surfaces.md` D27).
 * A session is as long as its GET stream, so each request has a stream and a handshake of its own.
 */
import { essenceOf } from '../../protocol/headers.ts'
import type { LegacyRevision } from '../../protocol/revisions.ts'
import { knownOf, MAX_GREETING_BYTES, type SseConnection } from './connection.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import { eventsOf, MAX_MESSAGE_BYTES } from './events.ts'
import type { Hooks } from './exchange.ts'
import { UpstreamFault } from './fault.ts'
import { createInbox } from './inbox.ts'
import { INITIALIZED, initializeRequest, requireRevision } from './open-session.ts'
import {
  headersFor,
  nextId,
  requestBody,
  streamHeadersFor,
  type Addressee,
  type OutgoingRequest,
} from './outgoing.ts'
import type { Post } from './post.ts'
import { parseJson, readRefusal, send, sendMessage, tellCancelled } from './send.ts'

type Members = Record<string, unknown>
type Visit = {
  revision: LegacyRevision
  initialized: Members
  /** Sends a further request over the stream. */
  ask: (request: OutgoingRequest, hooks: Hooks) => Promise<Members>
}

/** Meets a server of the HTTP+SSE transport. */
export async function connectSse(
  post: Post,
  now: number,
  capabilities: Readonly<Record<string, unknown>>,
  hooks: Pick<Hooks, 'signal' | 'timeoutMs'>,
): Promise<SseConnection> {
  const bounded = { ...hooks, maxBytes: MAX_GREETING_BYTES }
  return visit(post, capabilities, bounded, async ({ revision, initialized }) => ({
    era: 'sse',
    revision,
    ...knownOf(initialized, initialized['serverInfo'], now),
  }))
}

/** Sends one request in a session of its own, and gives its result untouched. */
export async function exchangeOverSse(
  post: Post,
  request: OutgoingRequest,
  hooks: Hooks,
): Promise<Members> {
  const capabilities = hooks.clientCapabilities ?? {}
  return visit(post, capabilities, hooks, ({ ask }) => ask(request, hooks))
}

async function visit<T>(
  post: Post,
  capabilities: Readonly<Record<string, unknown>>,
  hooks: Hooks,
  use: (visit: Visit) => Promise<T>,
): Promise<T> {
  const deadline = startDeadline(hooks)
  const { signal } = deadline
  let stream: ReturnType<typeof eventsOf> | undefined
  try {
    signal.throwIfAborted()
    const to: Addressee = { era: 'legacy' }
    const opened = await send(post, deadline, { method: 'GET', headers: streamHeadersFor(to) })
    if (!opened.ok) throw await readRefusal(opened, undefined, deadline)
    if (essenceOf(opened.headers.get('content-type')) !== 'text/event-stream') {
      await opened.body?.cancel()
      throw new UpstreamFault('malformed', 'The remote server opened no event stream')
    }
    const { maxBytes = MAX_MESSAGE_BYTES, seen } = hooks
    stream = eventsOf(opened.body, { maxBytes, signal, seen })
    const endpoint = await readEndpoint(stream)
    const talk = { post, to, endpoint, stream, deadline }
    const initialized = await askOver(talk, initializeRequest(capabilities), {})
    const revision = requireRevision(initialized)
    const settled = { ...talk, to: { ...to, revision } }
    await sendMessage(post, settled.to, INITIALIZED, endpoint)
    return await use({
      revision,
      initialized,
      ask: (request, asked) => askOver(settled, request, asked),
    })
  } finally {
    deadline.end()
    await stream?.return(undefined)
  }
}

type Talk = {
  post: Post
  to: Addressee
  endpoint: string
  stream: ReturnType<typeof eventsOf>
  deadline: Deadline
}

/** Where messages go, as the remote server says it. */
async function readEndpoint(stream: Talk['stream']): Promise<string> {
  for (;;) {
    const { done, value } = await stream.next()
    if (done === true) {
      throw new UpstreamFault('stream_ended', 'The remote server named no endpoint for messages')
    }
    if (value.event === 'endpoint') return value.data
  }
}

async function askOver(talk: Talk, request: OutgoingRequest, hooks: Hooks): Promise<Members> {
  const { post, to, endpoint, stream, deadline } = talk
  const id = nextId()
  const inbox = createInbox({
    id,
    deadline,
    hooks,
    hasLogs: true,
    reply: (message) => sendMessage(post, to, message, endpoint),
  })
  try {
    const posted = await send(post, deadline, {
      method: 'POST',
      endpoint,
      headers: headersFor(to),
      body: requestBody(to, id, request, {}, hooks.progress !== undefined),
    })
    const { seen } = hooks
    if (seen !== undefined) Object.assign(seen, { status: posted.status, bytes: 0 })
    if (!posted.ok) throw await readRefusal(posted, id, { signal: deadline.signal, seen })
    await posted.body?.cancel()
    for (;;) {
      const { done, value } = await stream.next()
      if (done === true) {
        const message = 'The remote server ended its stream before the answer'
        throw new UpstreamFault('stream_ended', message)
      }
      if (value.event !== undefined && value.event !== 'message') continue
      const result = inbox.receive(parseJson(value.data))
      if (result !== undefined) return result
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error
    if (request.method !== 'initialize') {
      await tellCancelled(post, to, id, hooks.waitUntil, endpoint)
    }
    throw deadline.signal.reason
  } finally {
    inbox.close()
  }
}
