/**
 * The one seam to the world of the client of remote MCP servers. Credentials, the rules on where a
 * request may go, and redirects are the work of who makes it.
 */
import { UpstreamFault } from './fault.ts'

export type PostRequest = {
  method: 'POST' | 'GET' | 'DELETE'
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Only of the HTTP+SSE transport: where its messages go, as the remote server says (`endpointOf`). */
  endpoint?: string
}

/** Sends one HTTP request to the remote server's URL, or to `endpoint`; it may throw. */
export type Post = (request: PostRequest) => Promise<Response>

/** The URL of an endpoint for messages; only of the same origin, since credentials go there. */
export function endpointOf(endpoint: string, url: string): string {
  const found = URL.parse(endpoint, url)
  if (found !== null && found.origin === URL.parse(url)?.origin) return found.href
  const message = 'The remote server names an endpoint for messages of another origin'
  throw new UpstreamFault('incompatible', message)
}
