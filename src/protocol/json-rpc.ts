/**
 * JSON-RPC 2.0 as MCP uses it (`mcp-protocol.md` §2): what a message is, the codes, and the text of
 * an answer. HTTP statuses ride on the error, since some of them depend on where it was found.
 */

export type RequestId = string | number
export type Params = Readonly<Record<string, unknown>>

export type Request = { kind: 'request'; id: RequestId; method: string; params: Params | undefined }
export type Notification = { kind: 'notification'; method: string; params: Params | undefined }
/** A client's answer to a request of ours; what it holds is as it was sent. */
export type Response = { kind: 'response'; id: RequestId; result?: unknown; error?: unknown }
export type Message = Request | Notification | Response

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const METHOD_NOT_FOUND = -32601
export const INVALID_PARAMS = -32602
export const INTERNAL_ERROR = -32603
/** A tool's own rate limit; `data.retry_after` in seconds (`surfaces.md` A28). */
export const RATE_LIMITED = -32000
export const HEADER_MISMATCH = -32020
export const MISSING_CLIENT_CAPABILITY = -32021
export const UNSUPPORTED_VERSION = -32022

export type RpcErrorExtras = { status?: number; data?: unknown; id?: RequestId }

/** A message may repeat what a peer sent: a name, a method. */
const MAX_MESSAGE_LENGTH = 4000

/**
 * An error that is answered as a JSON-RPC error object, its message cut at 4,000 characters. `status` is
 * the HTTP status, 200 where the error rides in-band (§2.3); `id` the request's, where it could be read.
 */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly status: number
  readonly data: unknown
  readonly id: RequestId | undefined

  constructor(code: number, message: string, extras: RpcErrorExtras = {}) {
    super(message.slice(0, MAX_MESSAGE_LENGTH).toWellFormed())
    this.code = code
    this.status = extras.status ?? 200
    this.data = extras.data
    this.id = extras.id
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An id is echoed, kept and compared, so it is bounded. */
const MAX_ID_LENGTH = 1024

/** A short string, or an integer that a JavaScript number holds exactly; never `null` (§2.1). */
export function isRequestId(value: unknown): value is RequestId {
  if (typeof value === 'string') return value.length <= MAX_ID_LENGTH
  return Number.isSafeInteger(value)
}

/**
 * Reads one JSON value as a message, or throws −32600 (400) for what is none and −32602 for
 * `params` that are no object, with the status that has in the era. Unknown members are let through.
 */
export function parseMessage(value: unknown, paramsStatus: () => number = inBand): Message {
  if (!isObject(value)) throw invalid('A message must be a JSON object')
  if (value['jsonrpc'] !== '2.0') throw invalid('jsonrpc must be "2.0"', value['id'])
  if (value['method'] === undefined) {
    if ('result' in value || 'error' in value) return parseResponse(value)
    throw invalid('method is missing', value['id'])
  }
  const { method, id, params } = value
  if (typeof method !== 'string') throw invalid('method must be a string', id)
  if ('id' in value && !isRequestId(id))
    throw invalid(`id must be an integer or a string of at most ${MAX_ID_LENGTH}`)
  if (params !== undefined && !isObject(params)) {
    // A notification is refused by its status alone (§2.3).
    const extras = isRequestId(id) ? { id, status: paramsStatus() } : { status: 400 }
    throw new RpcError(INVALID_PARAMS, 'params must be an object', extras)
  }
  return isRequestId(id)
    ? { kind: 'request', id, method, params }
    : { kind: 'notification', method, params }
}

function inBand(): number {
  return 200
}

function parseResponse({ id, result, error }: Record<string, unknown>): Response {
  // One whose id cannot be ours answers nothing, and is taken like any other.
  return { kind: 'response', id: isRequestId(id) ? id : '', result, error }
}

function invalid(message: string, id?: unknown): RpcError {
  return new RpcError(INVALID_REQUEST, message, { status: 400, ...(isRequestId(id) && { id }) })
}

/** What stands before the result in an answer to `id`; `}` closes it. */
export function formatResultOpening(id: RequestId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
}

/** The text of an error answer. Without a readable id the member is left out (`surfaces.md` D4). */
export function formatError(error: RpcError, id: RequestId | null | undefined): string {
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code: error.code, message: error.message, data: error.data },
  })
}
