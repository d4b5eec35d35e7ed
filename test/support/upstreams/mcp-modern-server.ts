/**
 * Serving with the official SDK v2: a server object for each exchange or session, and the sessions of
 * the legacy leg. What is offered comes as a world and its methods; `Mcp-Param-*` headers are checked
 * by the SDK, which knows the tools that have them.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type CacheHint,
  type JSONRPCMessage,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { randomUUID } from 'node:crypto'
import { createEventStore } from './event-store.ts'
import { CAPABILITIES, INSTRUCTIONS, type MethodName, type Methods } from './mcp-offer.ts'
import type { OfferedTool, Running, World } from './mcp-world.ts'

type Era = Running['era']

export type ModernOffer = {
  world: World
  methods: Methods
  /** For `tools/list` and `server/discover`; absent means the SDK's own. */
  cacheHint?: CacheHint | undefined
}

/** A server that is not connected yet. */
export function createModernServer(offer: ModernOffer, era: Era): McpServer {
  const { world, methods, cacheHint } = offer
  const server = new McpServer(
    { name: 'modern-upstream', version: '2.0.0' },
    {
      capabilities: CAPABILITIES,
      instructions: INSTRUCTIONS,
      ...(cacheHint && { cacheHints: { 'tools/list': cacheHint, 'server/discover': cacheHint } }),
    },
  )
  for (const { definition } of world.tools.values()) {
    if (!hasHeaders(definition)) continue
    const inputSchema = fromJsonSchema({ ...definition.inputSchema })
    server.registerTool(definition.name, { inputSchema }, () => ({ content: [] }))
  }
  const low = server.server
  for (const method of Object.keys(methods) as MethodName[]) {
    const answer = async (params: object, ctx: ServerContext): Promise<object> => {
      const result = await methods[method](params, runningOf(ctx, server, era), world)
      if (method !== 'tools/call' || 'resultType' in result) return result
      const { name } = params as { name: string }
      const outputSchema = world.tools.get(name)?.definition['outputSchema']
      return low.projectCallToolResult(result as CallToolResult, outputSchema as never)
    }
    // The results are of many types; what they hold is what a test wants to send.
    low.setRequestHandler(method, (request, ctx) => answer(request.params ?? {}, ctx) as never)
  }
  return server
}

export type LegacySessions = {
  fetch(request: Request): Promise<Response>
  ids: () => string[]
  lose: () => Promise<void>
}

/** The session-ful leg for clients of the session era. */
export function createLegacySessions(offer: ModernOffer, retryMs?: number): LegacySessions {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore<JSONRPCMessage>(),
      ...(retryMs !== undefined && { retryInterval: retryMs }),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const server = createModernServer(offer, 'legacy')
    keepTold(server, offer.world)
    await server.connect(transport)
    return transport
  }
  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id')
      if (id !== null) {
        return sessions.get(id)?.handleRequest(request) ?? refuse(404, 'Session not found')
      }
      const body: unknown = await request
        .clone()
        .json()
        .catch(() => undefined) // the transport says what is wrong with it
      const isOpening = Object(body).method === 'initialize'
      return isOpening
        ? (await open()).handleRequest(request)
        : refuse(400, 'Bad Request: Mcp-Session-Id header is required')
    },
    ids: () => [...sessions.keys()],
    async lose() {
      const lost = [...sessions.values()]
      sessions.clear()
      await Promise.all(lost.map((transport) => transport.close()))
    },
  }
}

/** Lets the world tell a session of changes as long as it lives. */
function keepTold({ server }: McpServer, world: World): void {
  const subscribed = new Set<string>()
  server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  const peer = {
    toolsChanged: () => server.sendToolListChanged(),
    promptsChanged: () => server.sendPromptListChanged(),
    async resourceUpdated(uri: string) {
      if (subscribed.has(uri)) await server.sendResourceUpdated({ uri })
    },
  }
  world.peers.add(peer)
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other
  server.onclose = () => void world.peers.delete(peer)
}

function runningOf(
  { mcpReq, http, sessionId }: ServerContext,
  { server }: McpServer,
  era: Era,
): Running {
  const progressToken = mcpReq._meta?.progressToken
  const ofRequest: object | undefined = Object(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY]
  return {
    era,
    signal: mcpReq.signal,
    clientCapabilities: ofRequest ?? server.getClientCapabilities(),
    sessionId,
    closeStream: http?.closeSSE,
    inputResponses: mcpReq.inputResponses,
    requestState: mcpReq.requestState<string>(),
    async progress(step) {
      if (progressToken === undefined) return
      const params = { progressToken, ...step }
      await mcpReq.notify({ method: 'notifications/progress', params })
    },
    log: (level, data) => mcpReq.log(level, data, 'upstream'),
  }
}

function hasHeaders({ inputSchema }: OfferedTool['definition']): boolean {
  return JSON.stringify(inputSchema).includes('"x-mcp-header"')
}

function refuse(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status })
}
