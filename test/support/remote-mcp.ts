/**
 * A remote MCP server played message by message, and the seam our client reaches any by.
 *
 * `startRemote(answers)` answers each POST by its method: a result, or what writes the response. It
 * gives `post`, the seam, beside what recording.ts gives.
 */
import type { ServerResponse } from 'node:http'
import type { LegacyConnection, ModernConnection } from '../../src/upstream/mcp/connection.ts'
import { endpointOf, type Post } from '../../src/upstream/mcp/post.ts'
import {
  sendJson,
  startRecording,
  type Recording,
  type SeenRequest,
} from './upstreams/recording.ts'

/** The seam to a URL, with nothing else to it. */
export function postTo(remote: string): Post {
  return async ({ endpoint, ...request }) =>
    fetch(endpoint === undefined ? remote : endpointOf(endpoint, remote), request)
}

export type Write = (seen: SeenRequest, response: ServerResponse) => void | Promise<void>
/** By the method of a message; `GET`, `DELETE` and `reply` (a response) beside them. */
export type Answers = Readonly<Record<string, object | Write>>

export type Remote = Recording & {
  post: Post
  /** The messages that were POSTed, in order. */
  messages(): any[] // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
}

/** Starts one; what it has no answer for is 202 for a notification, and 404 else. */
export async function startRemote(answers: Answers): Promise<Remote> {
  const recording = await startRecording(async (seen, response) => {
    const { body } = seen
    const method = seen.method === 'POST' ? (body?.method ?? 'reply') : seen.method
    const answer = answers[method]
    const isNotification = seen.method === 'POST' && body?.id === undefined
    if (typeof answer === 'function') await answer(seen, response)
    else if (answer === undefined) response.writeHead(isNotification ? 202 : 404).end()
    else sendResult(seen, response, answer)
  })
  return {
    ...recording,
    post: postTo(recording.url),
    messages: () => recording.requests.filter(({ body }) => body).map(({ body }) => body),
  }
}

/** Answers a request with a result as JSON. */
export function sendResult(
  seen: SeenRequest,
  response: ServerResponse,
  result: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  sendJson(response, { jsonrpc: '2.0', id: seen.body.id, result }, 200, headers)
}

/** Answers with an error as JSON. */
export function sendError(
  seen: SeenRequest,
  response: ServerResponse,
  error: object,
  status = 200,
): void {
  sendJson(response, { jsonrpc: '2.0', id: seen.body.id, error }, status)
}

/** Begins an event stream, of text as it is given. */
export function sendEvents(response: ServerResponse, ...texts: readonly string[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const text of texts) response.write(text)
}

/** One message event. */
export function eventOf(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`
}

/** A session-era connection, made without meeting anybody. */
export function legacyConnection(members: Partial<LegacyConnection> = {}): LegacyConnection {
  return { era: 'legacy', revision: '2025-11-25', capabilities: {}, checkedAt: 0, ...members }
}

/** A stateless-era connection, made without meeting anybody. */
export function modernConnection(members: Partial<ModernConnection> = {}): ModernConnection {
  return { era: 'modern', revision: '2026-07-28', capabilities: {}, checkedAt: 0, ...members }
}
