/** Clients of the session era, as far as a test needs one. */
import { legacy } from './messages.ts'
import { openStream, type EventStream } from './event-stream.ts'
import type { Answer, Rollcall } from './rollcall.ts'

export type TestSession = {
  id: string
  headers: Record<string, string>
  /** POSTs a message that is answered by JSON. */
  post(message: unknown, headers?: Record<string, string>): Promise<Answer>
  /** POSTs a message that may be answered by a stream. */
  stream(message: unknown, headers?: Record<string, string>): Promise<EventStream>
  /** Opens the session's own stream. */
  listen(headers?: Record<string, string>): Promise<EventStream>
  send(method: string): Promise<Answer>
}

/** Opens a session at a path and says that it is initialized. */
export async function openSession(
  rollcall: Rollcall,
  path: string,
  {
    revision = '2025-11-25',
    headers = {},
    capabilities = {},
  }: { revision?: string; headers?: Record<string, string>; capabilities?: object } = {},
): Promise<TestSession> {
  const params = {
    protocolVersion: revision,
    capabilities,
    clientInfo: { name: 'test', version: '1' },
  }
  const opened = await rollcall.post(path, legacy('initialize', params), headers)
  const id = opened.headers.get('mcp-session-id')
  if (id === null) throw new Error(`no session: ${opened.status} ${opened.text}`)
  const named = { ...headers, 'mcp-session-id': id, 'mcp-protocol-version': revision }
  const url = rollcall.url + path
  const session: TestSession = {
    id,
    headers: named,
    post: (message, more = {}) => rollcall.post(path, message, { ...named, ...more }),
    stream: (message, more = {}) =>
      openStream(url, {
        method: 'POST',
        headers: {
          ...named,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...more,
        },
        body: JSON.stringify(message),
      }),
    listen: (more = {}) =>
      openStream(url, { headers: { ...named, accept: 'text/event-stream', ...more } }),
    send: (method) => rollcall.send(path, { method, headers: named }),
  }
  await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return session
}
