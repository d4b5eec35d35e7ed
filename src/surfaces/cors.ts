/**
 * Which browsers may call (`surfaces.md` D25, A29): the origins a list names, or any http(s) origin
 * where there is no list. `null` only where it is listed; no Origin always passes.
 */
import { HttpError } from '../protocol/http-error.ts'

export const ORIGIN_REFUSED = 'origin_not_allowed'

const ALLOWED_HEADERS = [
  'Authorization',
  'X-Api-Key',
  'Xi-Api-Key',
  'Content-Type',
  'Accept',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'If-Match',
  'Rollcall-Organization',
]
const ALLOWED_METHODS = 'GET, POST, PUT, PATCH, DELETE, OPTIONS'
const EXPOSED_HEADERS = 'Mcp-Session-Id, WWW-Authenticate, Retry-After, Age, ETag, X-Request-Id'
const PREFLIGHT_SECONDS = 7200 // the longest that browsers keep one
const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** Throws 403 for an origin that may not call. In development it has to be loopback. */
export function requireOrigin(
  origin: string | null,
  allowed: readonly string[] | undefined,
  development: boolean,
): void {
  if (origin === null) return
  const isListed = allowed?.includes(origin) ?? /^https?:\/\//.test(origin)
  if (isListed && (!development || LOOPBACK.test(origin))) return
  throw new HttpError(403, ORIGIN_REFUSED, 'This Origin may not call here')
}

/** The same by the deployment's own list, for what belongs to no one server. In development any loopback. */
export function requireDeploymentOrigin(
  origin: string | null,
  { ALLOWED_ORIGINS, DEVELOPMENT }: { ALLOWED_ORIGINS: readonly string[]; DEVELOPMENT: boolean },
): void {
  requireOrigin(origin, DEVELOPMENT ? undefined : ALLOWED_ORIGINS, DEVELOPMENT)
}

/** Whether a host is this machine's own: what development is limited to. */
export function isLoopbackHost(host: string | null): boolean {
  return host !== null && LOOPBACK.test(`http://${host}`)
}

/** The headers that let a page of this origin read an answer. */
export function corsHeaders(origin: string | null): Readonly<Record<string, string>> {
  if (origin === null) return {}
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': EXPOSED_HEADERS,
    Vary: 'Origin',
  }
}

/** The answer to a preflight; headers of whose names we know the beginning are let through as asked for. */
export function preflight(request: Request): Response {
  const asked = (request.headers.get('access-control-request-headers') ?? '').split(',')
  // The last is what the official client of convai says of itself.
  const known = asked
    .map((name) => name.trim())
    .filter((name) => /^(?:mcp-param|x-fern)-[\w-]+$/i.test(name))
  return new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(request.headers.get('origin')),
      'Access-Control-Allow-Methods': ALLOWED_METHODS,
      'Access-Control-Allow-Headers': [...ALLOWED_HEADERS, ...known].join(', '),
      'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
    },
  })
}
