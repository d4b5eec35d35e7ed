/** The headers and bodies we send, by era (`mcp-protocol.md` §8.2). */
import {
  CLAIM,
  CLIENT_CAPABILITIES,
  CLIENT_INFO,
  foreignMeta,
  LOG_LEVEL,
  mirroredName,
} from '../../protocol/envelope.ts'
import { encodeHeaderValue } from '../../protocol/headers.ts'
import { ROLLCALL_VERSION } from '../../protocol/implementation.ts'
import type { Params } from '../../protocol/json-rpc.ts'
import type { LogLevel } from '../../protocol/logging.ts'
import type { LegacyRevision, MODERN_REVISION } from '../../protocol/revisions.ts'

/** How a request is addressed: a connection, or what is known before there is one. */
export type Addressee =
  | { era: 'modern'; revision: typeof MODERN_REVISION }
  | { era: 'legacy'; revision?: LegacyRevision; sessionId?: string }

export type OutgoingRequest = {
  method: string
  params?: Params | undefined
  /** Ready `Mcp-Param-*` headers. */
  paramHeaders?: Readonly<Record<string, string>> | undefined
}

export type EnvelopeOptions = {
  /** What is declared to a modern server; `{}` unless given. */
  clientCapabilities?: Readonly<Record<string, unknown>> | undefined
  /** From which level on a modern server shall log. */
  logLevel?: LogLevel | undefined
}

/** What we say of ourselves. */
export const CLIENT = { name: 'Rollcall', version: ROLLCALL_VERSION }

const FIRST_WITH_VERSION_HEADER = '2025-06-18'

let lastId: number | undefined

/** An id of ours: several isolates may share a session, so each counts from a place of its own. */
export function nextId(): number {
  lastId = (lastId ?? Math.floor(Math.random() * 2 ** 31)) + 1
  return lastId
}

/** The headers of a message that is no request, and of a GET. */
export function headersFor(to: Addressee): Record<string, string> {
  const hasVersion = to.revision !== undefined && to.revision >= FIRST_WITH_VERSION_HEADER
  return {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    ...(hasVersion && { 'MCP-Protocol-Version': to.revision }),
    ...(to.era === 'legacy' && to.sessionId !== undefined && { 'Mcp-Session-Id': to.sessionId }),
  }
}

/** The headers of a stream that is asked for. */
export function streamHeadersFor(to: Addressee): Record<string, string> {
  const { 'Content-Type': _, ...headers } = headersFor(to)
  return { ...headers, Accept: 'text/event-stream' }
}

/** The headers of a request: a modern one says what is in its body. */
export function requestHeaders(
  to: Addressee,
  { method, params, paramHeaders }: OutgoingRequest,
): Record<string, string> {
  if (to.era === 'legacy') return headersFor(to)
  const name = mirroredName(method, params)
  return {
    ...headersFor(to),
    'Mcp-Method': method,
    ...(typeof name === 'string' && { 'Mcp-Name': encodeHeaderValue(name) }),
    ...paramHeaders,
  }
}

/** The body of a request; what its `_meta` says of another hop is replaced by what is ours. */
export function requestBody(
  to: Addressee,
  id: number,
  { method, params }: OutgoingRequest,
  { clientCapabilities = {}, logLevel }: EnvelopeOptions,
  hasProgress: boolean,
): string {
  const meta = {
    ...foreignMeta(params?.['_meta'])._meta,
    ...(hasProgress && { progressToken: id }),
    ...(to.era === 'modern' && {
      [CLAIM]: to.revision,
      [CLIENT_CAPABILITIES]: clientCapabilities,
      [CLIENT_INFO]: CLIENT,
      [LOG_LEVEL]: logLevel,
    }),
  }
  const { _meta, ...rest } = params ?? {}
  const sent = Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest
  return JSON.stringify({
    jsonrpc: '2.0',
    id,
    method,
    ...((params !== undefined || Object.keys(sent).length > 0) && { params: sent }),
  })
}
