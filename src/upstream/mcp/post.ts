/**
 * The one seam to the world of the client of remote MCP servers. Credentials, the rules on where a
 * request may go, and redirects are the work of who makes it.
 */

export type PostRequest = {
  method: 'POST' | 'GET' | 'DELETE'
  headers: Record<string, string>
  body?: string
  signal?: AbortSignal
  /** Only of the HTTP+SSE transport, whose messages go to another URL of the same origin. */
  url?: string
}

/** Sends one HTTP request to the remote server's URL, or to `url`; it may throw. */
export type Post = (request: PostRequest) => Promise<Response>
