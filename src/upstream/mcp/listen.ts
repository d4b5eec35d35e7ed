/**
 * News of a remote server outside of any request: the GET stream of a legacy one, whose caller has
 * subscribed to resources by requests, or `subscriptions/listen` of a modern one (§3.4, §4.6).
 */
import { essenceOf } from '../../protocol/headers.ts'
import { isObject, isRequestId } from '../../protocol/json-rpc.ts'
import type { LegacyConnection, ModernConnection } from './connection.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import { eventsOf, MAX_MESSAGE_BYTES } from './events.ts'
import { faultOfError, UpstreamFault } from './fault.ts'
import { createInbox } from './inbox.ts'
import { nextId, requestBody, requestHeaders, streamHeadersFor } from './outgoing.ts'
import type { Post } from './post.ts'
import { parseJson, readRefusal, send, sendMessage } from './send.ts'

type Members = Record<string, unknown>

export type Wanted = {
  /** Resources whose updates are wanted. */
  uris: readonly string[]
  /** Whether changes of the lists are wanted. */
  lists: boolean
}

export type OnNotification = (method: string, params: Members) => void

export const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const SUBSCRIPTION_ID = 'io.modelcontextprotocol/subscriptionId'
const SUBSCRIPTIONS = 'resourceSubscriptions'
const UPDATED = 'notifications/resources/updated'

/** The member of a listen filter that asks for a notification. */
const FILTERS: ReadonlyMap<string, string> = new Map([
  ['notifications/tools/list_changed', 'toolsListChanged'],
  ['notifications/prompts/list_changed', 'promptsListChanged'],
  ['notifications/resources/list_changed', 'resourcesListChanged'],
])

/** The stream must open in this time; from then on only `signal` ends it. */
const OPEN_TIMEOUT_MS = 30_000
const DAY_MS = 86_400_000

/**
 * Hears what is wanted until the stream ends; the caller comes back, and lists anew. The first
 * notification is the acknowledgement: a modern server's own, or that a legacy stream is open.
 */
export async function listen(
  post: Post,
  connection: LegacyConnection | ModernConnection,
  wanted: Wanted,
  onNotification: OnNotification,
  signal: AbortSignal,
): Promise<void> {
  const id = nextId()
  const deadline = startDeadline({ signal, timeoutMs: OPEN_TIMEOUT_MS, maxMs: DAY_MS })
  let isOpen = false
  try {
    deadline.signal.throwIfAborted()
    const response =
      connection.era === 'modern'
        ? await send(post, deadline, modernRequest(connection, id, wanted))
        : await send(post, deadline, { method: 'GET', headers: streamHeadersFor(connection) })
    const secret = connection.era === 'legacy' ? connection.sessionId : undefined
    const isStream = essenceOf(response.headers.get('content-type')) === 'text/event-stream'
    if (!response.ok || !isStream) {
      throw await readRefusal(response, id, deadline, secret)
    }
    const take =
      connection.era === 'modern'
        ? modernTaker(id, wanted, onNotification)
        : legacyTaker(post, connection, deadline, id, wanted, onNotification)
    isOpen = true
    if (connection.era === 'legacy') onNotification(ACKNOWLEDGED, {})
    deadline.hold()
    const events = eventsOf(response.body, {
      maxBytes: MAX_MESSAGE_BYTES,
      signal: deadline.signal,
    })
    for await (const { event, data } of events) {
      if (event !== undefined && event !== 'message') continue
      const message = parseJson(data)
      if (take(isObject(message) ? message : {})) return
    }
  } catch (error) {
    // A stream that breaks is one that ended, once it was there.
    if (!(isOpen && error instanceof UpstreamFault && error.isBroken)) throw error
  } finally {
    deadline.end()
  }
}

function modernRequest(connection: ModernConnection, id: number, { uris, lists }: Wanted) {
  const notifications = {
    ...(lists && Object.fromEntries([...FILTERS.values()].map((name) => [name, true]))),
    ...(uris.length > 0 && { [SUBSCRIPTIONS]: uris }),
  }
  const request = { method: 'subscriptions/listen', params: { notifications } }
  return {
    method: 'POST' as const,
    headers: requestHeaders(connection, request),
    body: requestBody(connection, id, request, {}, false),
  }
}

/** Takes a message of a modern stream; true ends it. */
function modernTaker(id: number, wanted: Wanted, onNotification: OnNotification) {
  let agreed: Members | undefined
  return (message: Members): boolean => {
    const { method } = message
    if (typeof method !== 'string') {
      if (message['id'] === id && 'error' in message) throw faultOfError(message['error'], 200)
      return message['id'] === id // a graceful end
    }
    const params = isObject(message['params']) ? message['params'] : {}
    const meta = isObject(params['_meta']) ? params['_meta'] : {}
    if (meta[SUBSCRIPTION_ID] !== id) return false
    if (agreed === undefined) {
      agreed = method === ACKNOWLEDGED ? agreedFilter(params['notifications'], wanted) : undefined
      if (agreed === undefined) {
        const problem = 'The remote server did not agree to send any of the notifications'
        throw new UpstreamFault('incompatible', problem)
      }
      onNotification(method, params)
    } else if (isWanted(method, wanted) && agreed[memberFor(method)] !== undefined) {
      onNotification(method, params)
    }
    return false
  }
}

/** What was agreed to of what is wanted; undefined when that is nothing. */
function agreedFilter(notifications: unknown, { uris, lists }: Wanted): Members | undefined {
  if (!isObject(notifications)) return undefined
  const agreed = Object.entries(notifications).filter(([name, value]) =>
    name === SUBSCRIPTIONS
      ? Array.isArray(value) && uris.some((uri) => value.includes(uri))
      : value === true && lists,
  )
  return agreed.length > 0 ? Object.fromEntries(agreed) : undefined
}

/** Takes a message of a legacy stream, which may carry requests too. */
function legacyTaker(
  post: Post,
  connection: LegacyConnection,
  deadline: Deadline,
  id: number,
  wanted: Wanted,
  onNotification: OnNotification,
) {
  const inbox = createInbox({
    id,
    deadline,
    hooks: {},
    hasLogs: false,
    reply: (message) => sendMessage(post, connection, message),
  })
  return (message: Members): boolean => {
    const { method, params } = message
    if (isRequestId(message['id'])) inbox.receive(message)
    else if (typeof method === 'string' && isWanted(method, wanted)) {
      onNotification(method, isObject(params) ? params : {})
    }
    return false
  }
}

function memberFor(method: string): string {
  return method === UPDATED ? SUBSCRIPTIONS : (FILTERS.get(method) ?? '')
}

function isWanted(method: string, { uris, lists }: Wanted): boolean {
  // The updated resource may be one below a resource that was subscribed to.
  return method === UPDATED ? uris.length > 0 : lists && FILTERS.has(method)
}
