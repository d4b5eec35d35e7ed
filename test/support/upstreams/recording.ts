/**
 * A small HTTP server on loopback that remembers every request, as all upstreams of the tests do.
 *
 * - `startRecording(handler)` listens on 127.0.0.1 and any port; the handler gets the request with
 *   its body read, and the response to write.
 * - `requests` holds each request in the order of arrival: method, path as sent, headers, body as
 *   text and, if it is JSON, as value, the time, and whether the client left before the end.
 * - `untilRequest(isIt)` waits for one, past or coming; `seen.aborted` waits for its client to leave.
 * - `drop(response)` ends the connection from this side, which does not count as the client's leaving.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

const PATIENCE_MS = 10_000

export type SeenRequest = {
  method: string
  /** Path and query exactly as sent. */
  path: string
  headers: IncomingMessage['headers']
  /** The body as it came; empty when there was none. */
  text: string
  /** The body as value, if it is JSON. */
  body: any // oxlint-disable-line typescript/no-explicit-any -- a test looks at whatever came
  /** When it came, in milliseconds of `Date.now`. */
  at: number
  /** Whether the client has left before the answer's end. */
  isAborted: boolean
  /** Resolves when the client leaves before the answer's end, else never. */
  aborted: Promise<void>
  /** Fires when the client leaves before the answer's end. */
  signal: AbortSignal
}

export type Recording = {
  url: string
  requests: SeenRequest[]
  /** The first request that is it, waiting for one if there is none; throws when none comes. */
  untilRequest(isIt: (seen: SeenRequest) => boolean): Promise<SeenRequest>
  /** How many requests there were whose path begins so. */
  countOf(path: string): number
  /** Ends all connections and listens no more. */
  close(): Promise<void>
}

export type Handler = (
  seen: SeenRequest,
  response: ServerResponse,
  request: IncomingMessage,
) => void | Promise<void>

const dropped = new WeakSet<ServerResponse>()

/** Starts one; what the handler throws ends the connection and is printed. */
export async function startRecording(handler: Handler): Promise<Recording> {
  const requests: SeenRequest[] = []
  const watching = new Set<(seen: SeenRequest) => void>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const seen = await record(request, response)
      requests.push(seen)
      for (const watch of watching) watch(seen)
      await handler(seen, response, request)
    } catch (error) {
      if (!request.destroyed || response.socket?.destroyed === false) console.error(error)
      drop(response)
    }
  }
  const url = await listen(server)
  return {
    url,
    requests,
    countOf: (path) => requests.filter((seen) => seen.path.startsWith(path)).length,
    untilRequest(isIt) {
      const past = requests.find(isIt)
      if (past !== undefined) return Promise.resolve(past)
      return new Promise((resolve, reject) => {
        const watch = (seen: SeenRequest) => {
          if (!isIt(seen)) return
          clearTimeout(timer)
          watching.delete(watch)
          resolve(seen)
        }
        const timer = setTimeout(() => {
          watching.delete(watch)
          reject(new Error(`no such request came in ${PATIENCE_MS} ms`))
        }, PATIENCE_MS)
        watching.add(watch)
      })
    },
    close: () => stop(server),
  }
}

/** Ends the connection of a response, whatever was sent of it. */
export function drop(response: ServerResponse): void {
  dropped.add(response)
  response.socket?.destroy()
}

/** Answers JSON. */
export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** Answers a text of a media type. */
export function sendText(
  response: ServerResponse,
  content: string | Uint8Array,
  type = 'text/plain; charset=utf-8',
  status = 200,
): void {
  response.writeHead(status, { 'content-type': type })
  response.end(content)
}

async function record(request: IncomingMessage, response: ServerResponse): Promise<SeenRequest> {
  const leaving = new AbortController()
  const aborted = new Promise<void>((resolve) => {
    leaving.signal.addEventListener('abort', () => resolve())
  })
  const at = Date.now()
  const seen: SeenRequest = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    text: '',
    body: undefined,
    at,
    isAborted: false,
    aborted,
    signal: leaving.signal,
  }
  response.once('close', () => {
    if (response.writableFinished || dropped.has(response)) return
    seen.isAborted = true
    leaving.abort()
  })
  seen.text = await text(request)
  seen.body = parsed(seen.text)
  return seen
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // it is no JSON, and what it is stands in `text`
  }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
