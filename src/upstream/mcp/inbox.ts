/**
 * What arrives on the stream of one request: its answer, news of it, and on legacy streams requests
 * of the remote server's, which are answered by POST (`mcp-protocol.md` §8.2).
 */
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import {
  INTERNAL_ERROR,
  isObject,
  isRequestId,
  METHOD_NOT_FOUND,
  RpcError,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import type { Deadline } from './deadline.ts'
import { faultOfError, UpstreamFault } from './fault.ts'

type Members = Record<string, unknown>
export type ListKind = 'tools' | 'prompts' | 'resources'

export type InboxHooks = {
  /** Asks the remote server for progress and hears it, as long as it rises. */
  progress?: ((params: Members) => void) | undefined
  log?: ((params: Members) => void) | undefined
  listChanged?: ((kind: ListKind) => void) | undefined
  /** How deep a result may nest. */
  maxDepth?: number
  /**
   * Answers a request of a legacy server; undefined refuses the method, an RpcError is passed on.
   * `signal` aborts when nobody waits for the answer any more.
   */
  ask?:
    | ((method: string, params: Members, signal: AbortSignal) => Promise<Members | undefined>)
    | undefined
}

export type Inbox = {
  /** Takes a message, or a batch of them; gives the result once it is among them. */
  receive: (message: unknown) => Members | undefined
  /** The exchange is over: what the remote server still asks for is of no use. */
  close: () => void
}

/** Requests of the remote server that are not answered yet; each costs a request of ours. */
const MAX_UNANSWERED = 100

/** What is in a result may itself be as deep as anything of ours. */
const MAX_MESSAGE_DEPTH = 2 * MAX_DEPTH

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/

/** The inbox of the request with `id`. */
export function createInbox(options: {
  id: number
  deadline: Deadline
  hooks: InboxHooks
  /** Whether logs were asked for. */
  hasLogs: boolean
  /** Sends a response to a request of the remote server; absent where it may have none. */
  reply?: ((message: Members) => Promise<void>) | undefined
  /** The session id, which no fault may quote. */
  secret?: string | undefined
}): Inbox {
  const { id, deadline, hooks, hasLogs, reply, secret } = options
  const asking = new Map<RequestId, AbortController>()
  let unanswered = 0
  let lastProgress = -Infinity

  const answer = async (requestId: RequestId, method: string, params: Members) => {
    const abort = new AbortController()
    const release = deadline.hold()
    asking.set(requestId, abort)
    try {
      const outcome = await answerTo(method, params, abort.signal, hooks.ask)
      if (!abort.signal.aborted) await reply?.({ jsonrpc: '2.0', id: requestId, ...outcome })
    } finally {
      unanswered -= 1
      asking.delete(requestId)
      release()
    }
  }

  const onRequest = (requestId: RequestId, method: string, params: Members) => {
    if (reply === undefined) return
    if (unanswered >= MAX_UNANSWERED) throw malformed('sent too many requests of its own')
    unanswered += 1
    // A reply that fails to arrive is the remote server's to time out.
    answer(requestId, method, params).catch(() => undefined)
  }

  const onNotification = (method: string, params: Members) => {
    const { progressToken, progress, requestId } = params
    const kind = LIST_CHANGED.exec(method)?.[1]
    if (kind !== undefined) {
      hooks.listChanged?.(kind as ListKind)
    } else if (method === 'notifications/progress') {
      if (progressToken !== id || typeof progress !== 'number' || progress <= lastProgress) return
      lastProgress = progress
      hooks.progress?.(params)
    } else if (method === 'notifications/message') {
      if (hasLogs) hooks.log?.(params)
    } else if (method === 'notifications/cancelled' && isRequestId(requestId)) {
      asking.get(requestId)?.abort()
    }
  }

  const receiveOne = (message: unknown): Members | undefined => {
    if (!isObject(message)) throw malformed('sent what is no message')
    if (isDeeperThan(message, hooks.maxDepth ?? MAX_MESSAGE_DEPTH))
      throw malformed('nests its message too deeply')
    const { method } = message
    if (typeof method === 'string') {
      const params = isObject(message['params']) ? message['params'] : {}
      if (isRequestId(message['id'])) onRequest(message['id'], method, params)
      else onNotification(method, params)
      return undefined
    }
    // An error without an id, where only one request was made, is its answer.
    const isOurs = message['id'] === id || ('error' in message && (message['id'] ?? null) === null)
    if (!isOurs) return undefined
    if ('error' in message) throw faultOfError(message['error'], 200, secret)
    const { result } = message
    if (!isObject(result)) throw malformed('answered with a result that is no object')
    return result
  }

  return {
    receive(message) {
      deadline.extend()
      if (!Array.isArray(message)) return receiveOne(message)
      for (const one of message) {
        const result = receiveOne(one)
        if (result !== undefined) return result
      }
      return undefined
    },
    close() {
      for (const abort of asking.values()) abort.abort()
    },
  }
}

async function answerTo(
  method: string,
  params: Members,
  signal: AbortSignal,
  ask: InboxHooks['ask'],
): Promise<Members> {
  if (method === 'ping') return { result: {} }
  try {
    const result = await ask?.(method, params, signal)
    if (result !== undefined) return { result }
    return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } }
  } catch (error) {
    if (!(error instanceof RpcError)) {
      return { error: { code: INTERNAL_ERROR, message: 'Internal error' } }
    }
    const { code, message, data } = error
    return { error: { code, message, data } }
  }
}

function malformed(what: string): UpstreamFault {
  return new UpstreamFault('malformed', `The remote server ${what}`)
}
