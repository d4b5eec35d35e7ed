/**
 * Single HTTP requests to a remote server: sent under a deadline, their refusals read
 * (`mcp-protocol.md` §8.2: the JSON-RPC body of a 400 or 404 counts).
 */
import { isObject } from '../../protocol/json-rpc.ts'
import { startDeadline, type Deadline } from './deadline.ts'
import { readText, type ReadOptions } from './events.ts'
import { faultOfError, faultOfStatus, UpstreamFault } from './fault.ts'
import { headersFor, type Addressee } from './outgoing.ts'
import type { Post, PostRequest } from './post.ts'

/** A body that says what went wrong. */
const MAX_REFUSAL_BYTES = 64 * 1024

/** A message that waits for no answer. */
const NOTIFY_TIMEOUT_MS = 5_000

/** Sends one HTTP request under a deadline; what the seam throws becomes a fault. */
export async function send(post: Post, deadline: Deadline, request: PostRequest) {
  try {
    return await deadline.race(post({ ...request, signal: deadline.signal }))
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason
    if (error instanceof UpstreamFault) throw error
    throw new UpstreamFault('unreachable', 'The remote server cannot be reached', {
      isBroken: true,
    })
  }
}

/** POSTs a notification or a response, and throws what its status says. */
export async function sendMessage(
  post: Post,
  to: Addressee,
  message: Record<string, unknown>,
  endpoint?: string,
): Promise<void> {
  const deadline = startDeadline({ timeoutMs: NOTIFY_TIMEOUT_MS })
  try {
    const response = await send(post, deadline, {
      method: 'POST',
      headers: headersFor(to),
      body: JSON.stringify(message),
      ...(endpoint !== undefined && { endpoint }),
    })
    if (!response.ok) throw await readRefusal(response, undefined, deadline)
    await response.body?.cancel()
  } finally {
    deadline.end()
  }
}

/** Tells a legacy server that nobody waits for the answer to `id`. */
export async function tellCancelled(
  post: Post,
  to: Addressee,
  id: number,
  waitUntil: ((promise: Promise<unknown>) => void) | undefined,
  endpoint?: string,
): Promise<void> {
  const message = {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: id },
  }
  // Best effort: the fault that is on its way says more than one of this.
  const told = sendMessage(post, to, message, endpoint).catch(() => undefined)
  if (waitUntil === undefined) await told
  else waitUntil(told)
}

/** The fault of an answer that is no success: its JSON-RPC error, or its status. */
export async function readRefusal(
  response: Response,
  id: number | undefined,
  reading: Pick<ReadOptions, 'signal' | 'seen'>,
  secret?: string,
): Promise<UpstreamFault> {
  const { status } = response
  const text = await readText(response, { maxBytes: MAX_REFUSAL_BYTES, ...reading }).catch(
    () => '', // the status says enough
  )
  if (status === 404 && secret !== undefined) {
    return new UpstreamFault('session_lost', 'The remote server has ended the session', { status })
  }
  const message = parseJson(text)
  const error = isObject(message) ? message['error'] : undefined
  const isOurs = isObject(message) && (message['id'] === id || (message['id'] ?? null) === null)
  const isRpc = isObject(error) && Number.isSafeInteger(error['code']) && isOurs
  const isAboutRequest = status < 500 && ![401, 403, 429].includes(status)
  if (isRpc && isAboutRequest) return faultOfError(error, status, secret)
  const said = isRpc && typeof error['message'] === 'string' ? error['message'] : text
  return faultOfStatus(response, said, secret)
}

/** The value of a JSON text; undefined when it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // not JSON
  }
}
