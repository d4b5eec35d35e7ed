/**
 * MCP servers of the session era on the official SDK v1, over `node:http`.
 *
 * `startLegacyMcp({ kind, resumable?, retryMs?, pageSize?, bearer? })`; `kind` is
 *
 * - `sessions`   session ids, answers as SSE (`mcp-legacy` at `/mcp`)
 * - `json`       session ids, answers as JSON
 * - `stateless`  no session ids; each POST alone, GET and DELETE 405
 * - `sse`        the HTTP+SSE transport of 2024-11-05: GET `/sse`, POST `/messages`
 *
 * `resumable` (sessions; default true) keeps events, so that streams have ids, prime, and can be
 * taken up by `Last-Event-ID`; `retryMs` is what clients are told to wait.
 *
 * It gives `url` (the endpoint), `requests` and `untilRequest` (recording.ts), `world` (mcp-world.ts:
 * tools at run time, slow calls, outages), `sessionIds()`, `loseSessions()` (every session is 404
 * from then on, its streams end) and `close()`. Tools, prompts, resources: mcp-tools.ts, mcp-offer.ts.
 */
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createEventStore } from './event-store.ts'
import { createLegacyServer } from './mcp-legacy-server.ts'
import { TOOLS } from './mcp-tools.ts'
import { createWorld, isStopped, type World, type WorldOptions } from './mcp-world.ts'
import { sendJson, startRecording, type Recording, type SeenRequest } from './recording.ts'

export type LegacyOptions = WorldOptions & {
  kind: 'sessions' | 'json' | 'stateless' | 'sse'
  resumable?: boolean
  retryMs?: number
}

export type LegacyMcp = Recording & {
  world: World
  sessionIds(): string[]
  loseSessions(): Promise<void>
}

type Exchange = { seen: SeenRequest; request: IncomingMessage; response: ServerResponse }
type Session = Transport & {
  take(exchange: Exchange): Promise<void>
}
type Sessions = Map<string, Session>

/** Starts one. */
export async function startLegacyMcp(options: LegacyOptions): Promise<LegacyMcp> {
  const world = createWorld(TOOLS, options)
  const sessions: Sessions = new Map()
  const serve = { sessions: serveSessions, json: serveSessions, stateless, sse: serveSse }[
    options.kind
  ]
  const recording = await startRecording((seen, response, request) => {
    if (isStopped(world.gate, seen, response)) return undefined
    return serve({ seen, request, response }, { world, sessions, options })
  })
  const loseSessions = async () => {
    const lost = [...sessions.values()]
    sessions.clear()
    await Promise.all(lost.map((session) => session.close()))
  }
  return {
    ...recording,
    url: `${recording.url}${options.kind === 'sse' ? '/sse' : '/mcp'}`,
    world,
    sessionIds: () => [...sessions.keys()],
    loseSessions,
    async close() {
      await loseSessions()
      await recording.close()
    },
  }
}

type Serving = { world: World; sessions: Sessions; options: LegacyOptions }

async function serveSessions(exchange: Exchange, serving: Serving): Promise<void> {
  const { seen, response } = exchange
  if (!seen.path.startsWith('/mcp')) return refuse(response, 404, 'Not found')
  const id = seen.headers['mcp-session-id']
  if (id !== undefined) {
    const session = serving.sessions.get(String(id))
    return session === undefined
      ? refuse(response, 404, 'Session not found')
      : session.take(exchange)
  }
  if (seen.body?.method !== 'initialize') {
    return refuse(response, 400, 'Bad Request: Mcp-Session-Id header is required')
  }
  const session = await openSession(serving)
  return session.take(exchange)
}

async function openSession({ world, sessions, options }: Serving): Promise<Session> {
  const isResumable = options.kind === 'sessions' && options.resumable !== false
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: options.kind === 'json',
    ...(isResumable && { eventStore: createEventStore() }),
    ...(options.retryMs !== undefined && { retryInterval: options.retryMs }),
    onsessioninitialized: (id) => void sessions.set(id, session),
    onsessionclosed: (id) => void sessions.delete(id),
  })
  const session = Object.assign(transport as Transport, {
    take: ({ seen, request, response }: Exchange) =>
      transport.handleRequest(request, response, seen.body),
  })
  await createLegacyServer(world).connect(session)
  return session
}

async function stateless({ seen, request, response }: Exchange, { world }: Serving): Promise<void> {
  if (seen.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return refuse(response, 405, 'Method not allowed.')
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  response.once('close', () => void transport.close())
  await createLegacyServer(world).connect(transport)
  return transport.handleRequest(request, response, seen.body)
}

async function serveSse(exchange: Exchange, { world, sessions }: Serving): Promise<void> {
  const { seen, response } = exchange
  if (seen.method === 'GET' && seen.path === '/sse') {
    const transport = new SSEServerTransport('/messages', response)
    sessions.set(
      transport.sessionId,
      Object.assign(transport as Transport, {
        take: (one: Exchange) =>
          transport.handlePostMessage(one.request, one.response, one.seen.body),
      }),
    )
    response.once('close', () => sessions.delete(transport.sessionId))
    return createLegacyServer(world).connect(transport)
  }
  const [, id = ''] = /^\/messages\?sessionId=(.+)$/.exec(seen.path) ?? []
  const session = seen.method === 'POST' ? sessions.get(id) : undefined
  if (session !== undefined) return session.take(exchange)
  return refuse(response, seen.path === '/sse' ? 405 : 404, 'Not found')
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, { jsonrpc: '2.0', error: { code: -32000, message }, id: null }, status)
}
