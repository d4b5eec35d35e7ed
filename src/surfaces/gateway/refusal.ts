/**
 * How the gateway refuses: HTTP refusals as `{"error":{"type","code","message"}}` (`surfaces.md` C39),
 * and those of the transport as JSON-RPC errors with `"id":null`, letter by letter (C23, C24, C26).
 */
import { HttpError } from '../../protocol/http-error.ts'
import { corsHeaders, ORIGIN_REFUSED } from '../cors.ts'

/** What no cache may keep, since it is for one caller (C3). */
export const NO_STORE: Readonly<Record<string, string>> = { 'Cache-Control': 'no-store' }

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
])

const NOT_ACCEPTABLE = transportError(
  -32000,
  'Not Acceptable: Client must accept both application/json and text/event-stream',
)
const UNSUPPORTED_MEDIA_TYPE = transportError(
  -32000,
  'Unsupported Media Type: Content-Type must be application/json',
)
const NO_BATCHES =
  '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"JSON-RPC batch requests are not supported; send one request per tool call."}}'

/** The response of a refusal, readable by a page of `origin` unless that is what was refused. */
export function formatGatewayRefusal(
  { status, code, message, headers }: HttpError,
  origin: string | null,
): Response {
  const type = TYPES.get(status) ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  // The word for whatever could not be asked just now.
  const said = code === 'unavailable' ? 'platform_db_unavailable' : code
  return Response.json(
    { error: { type, code: said, message } },
    {
      status,
      headers: { ...NO_STORE, ...headers, ...(code !== ORIGIN_REFUSED && corsHeaders(origin)) },
    },
  )
}

/** 406: both media types must be named. */
export function notAcceptable(): Response {
  return jsonResponse(406, NOT_ACCEPTABLE)
}

/** 415: for any other media type. */
export function unsupportedMediaType(): Response {
  return jsonResponse(415, UNSUPPORTED_MEDIA_TYPE)
}

/** 400: for any array. */
export function noBatches(): Response {
  return jsonResponse(400, NO_BATCHES)
}

/** 405: POST is all there is (C37). */
export function methodNotAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `Use ${allow}`, { headers: { Allow: allow } })
}

function transportError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
}

function jsonResponse(status: number, text: string): Response {
  return new Response(text, { status, headers: { 'Content-Type': 'application/json' } })
}
