/**
 * What can go wrong with a remote server (`mcp-protocol.md` §8.4). A message is written for a model
 * or an operator to read: bounded, without control characters, headers or the session id.
 */
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import { isObject } from '../../protocol/json-rpc.ts'

export type FaultKind =
  | 'unreachable'
  | 'no_token' // that authorizes us there
  | 'timeout'
  | 'cancelled'
  | 'unauthorized'
  | 'forbidden'
  | 'rate_limited'
  | 'status'
  | 'malformed'
  | 'too_large'
  | 'session_lost'
  | 'rpc'
  | 'incompatible'
  | 'stream_ended'

export type FaultExtras = {
  /** The HTTP status the fault came with, where there was an answer. */
  status?: number | undefined
  /** The code of a JSON-RPC error. */
  code?: number | undefined
  /** The `data` of a JSON-RPC error, as the remote server sent it. */
  data?: unknown
  /** How long the remote server asks us to wait. */
  retryAfterMs?: number | undefined
  /** An excerpt of what the remote server said. */
  said?: string | undefined
  /** A connection broke, where otherwise a stream came to its end. */
  isBroken?: boolean
}

/** A request to a remote server that came to no result. */
export class UpstreamFault extends Error {
  override readonly name = 'UpstreamFault'
  readonly kind: FaultKind
  readonly status: number | undefined
  readonly code: number | undefined
  readonly data: unknown
  readonly retryAfterMs: number | undefined
  readonly said: string | undefined
  readonly isBroken: boolean

  constructor(kind: FaultKind, message: string, extras: FaultExtras = {}) {
    super(extras.said === undefined || extras.said === '' ? message : `${message}: ${extras.said}`)
    this.kind = kind
    this.status = extras.status
    this.code = extras.code
    this.data = extras.data
    this.retryAfterMs = extras.retryAfterMs
    this.said = extras.said
    this.isBroken = extras.isBroken ?? false
  }

  /** The same fault in other words. */
  saying(message: string, data: unknown): UpstreamFault {
    if (message === this.message && data === this.data) return this
    const { kind, status, code, retryAfterMs, isBroken } = this
    return new UpstreamFault(kind, message, { status, code, data, retryAfterMs, isBroken })
  }
}

const MAX_EXCERPT_LENGTH = 300
const MAX_RETRY_AFTER_MS = 3_600_000

/** The beginning of what a remote server said, on one line, without `secret` or anything like a token. */
export function excerptOf(text: string, secret = ''): string {
  const open = secret === '' ? text : text.replaceAll(secret, '…')
  const line = open
    .slice(0, MAX_EXCERPT_LENGTH * 4)
    .replaceAll(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
  if (line.length <= MAX_EXCERPT_LENGTH) return line
  // Whole words: what is cut may be a secret, whose first half is none we know.
  return `${line.slice(0, MAX_EXCERPT_LENGTH - 1).replace(/\S+$/, '')}…`
}

/** The fault of a JSON-RPC error object. */
export function faultOfError(error: unknown, status: number, secret?: string): UpstreamFault {
  const { code, message, data } = isObject(error) ? error : {}
  if (!Number.isSafeInteger(code)) {
    return new UpstreamFault('malformed', 'The remote server answered with an error without a code')
  }
  const said = excerptOf(typeof message === 'string' ? message : '', secret)
  return new UpstreamFault('rpc', `The remote server answered with error ${String(code)}`, {
    status,
    code: Number(code),
    data: isDeeperThan(data, MAX_DEPTH) ? undefined : data, // what is done with it recurs
    said,
  })
}

/** The fault of an answer whose status is no success; `text` is its body. */
export function faultOfStatus(response: Response, text: string, secret?: string): UpstreamFault {
  const { status } = response
  // A page for people says nothing to a model.
  const said = /^\s*</.test(text) ? undefined : excerptOf(text, secret)
  const extras = {
    status,
    said,
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
  }
  if (status === 401) {
    return new UpstreamFault('unauthorized', 'The remote server asks for other credentials', extras)
  }
  if (status === 403) {
    return new UpstreamFault('forbidden', 'The remote server forbids the request', extras)
  }
  if (status === 429) {
    return new UpstreamFault('rate_limited', 'The remote server is rate limiting', extras)
  }
  return new UpstreamFault('status', `The remote server answered ${status}`, extras)
}

function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}
