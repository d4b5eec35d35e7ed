/** One request to a crooked server, and the ways in which it can be answered. */
import type { ServerResponse } from 'node:http'
import type { Inbox } from '../inbox.ts'
import { sendFramed, type FramingName } from './crooked-framing.ts'
import type { Arguments } from './mcp-world.ts'
import { drop, sendJson, type SeenRequest } from './recording.ts'

export const MODERN = '2026-07-28'
export const NEWER = '2027-01-01'
export const LEGACY = '2025-11-25'

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CACHEABLE = new Set(['server/discover', 'tools/list'])

export type Exchange = {
  seen: SeenRequest
  response: ServerResponse
  id: unknown
  method: string
  params: Arguments
  /** How many requests of this method came before. */
  nth: number
  framing: FramingName
  /** Where the server is. */
  url: string
  /** JSON-RPC responses that the client posted. */
  posted: Inbox<{ id: unknown; result?: unknown; error?: { code: number } }>
}

export type Behaviour = (exchange: Exchange) => void | Promise<void>

/** Whether the request is of the stateless era. */
export function isModern({ params }: Exchange): boolean {
  return params['_meta']?.[VERSION_KEY] !== undefined
}

/** The result as its era wants it. */
export function resultOf(exchange: Exchange, result: object): object {
  if (!isModern(exchange)) return result
  const cache = CACHEABLE.has(exchange.method) ? { ttlMs: 1000, cacheScope: 'private' } : {}
  return { resultType: 'complete', ...cache, ...result }
}

/** Answers a result, after these messages, in the framing that is set. */
export function answer(
  exchange: Exchange,
  result: object,
  before: readonly object[] = [],
): Promise<void> {
  const last = { jsonrpc: '2.0', id: exchange.id, result: resultOf(exchange, result) }
  return sendFramed(exchange.response, exchange.framing, [...before, last])
}

/** Answers a JSON-RPC error as a JSON body. */
export function fault(
  { response, id }: Pick<Exchange, 'response' | 'id'>,
  code: number,
  more: { status?: number; data?: unknown } = {},
): void {
  const error = { code, message: `crooked ${code}`, data: more.data }
  sendJson(response, { jsonrpc: '2.0', id, error }, more.status)
}

/** Answers an HTTP status without JSON. */
export function status(code: number, body = '', headers: Record<string, string> = {}): Behaviour {
  return ({ response }) => {
    const type = body === '' ? {} : { 'content-type': 'text/html' }
    response.writeHead(code, { ...type, ...headers }).end(body)
  }
}

export const HTML = '<!doctype html><title>Nothing here</title><p>Nothing here.'

/** Never answers. */
export const hang: Behaviour = () => {}

/** Ends the connection. */
export const vanish: Behaviour = ({ response }) => drop(response)

/** The first time this, then that. */
export function once(first: Behaviour, then: Behaviour): Behaviour {
  return (exchange) => (exchange.nth === 0 ? first(exchange) : then(exchange))
}
