/**
 * MCP servers of the stateless era (2026-07-28) on the official SDK v2, over `node:http`.
 *
 * `startModernMcp({ kind, responseMode?, cacheHint?, retryMs?, pageSize?, bearer? })`; `kind` is
 *
 * - `modern`          modern only: legacy requests are 400 -32022
 * - `dual`            both eras, the legacy leg session-less
 * - `dual-sessions`   both eras, the legacy leg with sessions, resumable streams, requests to the client
 *
 * A Host or an Origin that is not loopback is 403. `responseMode` (`auto`, `sse`, `json`) shapes modern answers.
 *
 * It gives `url` (the endpoint), `requests` and `untilRequest` (recording.ts), `world` (mcp-world.ts:
 * tools at run time, which `subscriptions/listen` hears of; slow calls; outages), `sessionIds()`,
 * `loseSessions()` and `close()`. `startModernServing(offer, options)` serves another offer so.
 * Tools, prompts, resources: mcp-tools.ts, mcp-asking.ts, mcp-offer.ts.
 */
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from '@modelcontextprotocol/server'
import { requestOf, sendAnswer } from './fetch-adapter.ts'
import { createLegacySessions, createModernServer, type ModernOffer } from './mcp-modern-server.ts'
import { METHODS } from './mcp-offer.ts'
import { MODERN_TOOLS, TOOLS } from './mcp-tools.ts'
import { createWorld, isStopped, type World, type WorldOptions } from './mcp-world.ts'
import { startRecording, type Recording } from './recording.ts'

export type ServingOptions = {
  kind: 'modern' | 'dual' | 'dual-sessions'
  responseMode?: 'auto' | 'sse' | 'json'
  /** What clients of the legacy leg are told to wait before they come back. */
  retryMs?: number
}

export type ModernOptions = ServingOptions & WorldOptions & { cacheHint?: ModernOffer['cacheHint'] }

export type ModernMcp = Recording & {
  world: World
  /** Sessions of the legacy leg. */
  sessionIds(): string[]
  loseSessions(): Promise<void>
}

/** Starts one. */
export function startModernMcp(options: ModernOptions): Promise<ModernMcp> {
  const world = createWorld([...TOOLS, ...MODERN_TOOLS], options)
  return startModernServing({ world, methods: METHODS, cacheHint: options.cacheHint }, options)
}

/** Serves an offer. */
export async function startModernServing(
  offer: ModernOffer,
  { kind, responseMode = 'auto', retryMs }: ServingOptions,
): Promise<ModernMcp> {
  const { world } = offer
  const handler = createMcpHandler(({ era }) => createModernServer(offer, era), {
    legacy: kind === 'dual' ? 'stateless' : 'reject',
    responseMode,
  })
  const sessions = createLegacySessions(offer, retryMs)
  world.peers.add({
    toolsChanged: async () => handler.notify.toolsChanged(),
    promptsChanged: async () => handler.notify.promptsChanged(),
    resourceUpdated: async (uri) => handler.notify.resourceUpdated(uri),
  })
  const answer = async (request: Request) => {
    const refusal =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins())
    if (refusal !== undefined) return refusal
    return kind === 'dual-sessions' && (await isLegacyRequest(request))
      ? sessions.fetch(request)
      : handler.fetch(request)
  }
  const recording = await startRecording(async (seen, response) => {
    if (isStopped(world.gate, seen, response)) return
    try {
      await sendAnswer(seen, response, await answer(requestOf(seen)))
    } catch (error) {
      if (!seen.isAborted) throw error // an exchange whose client has left ends as a closed connection
    }
  })
  return {
    ...recording,
    url: `${recording.url}/mcp`,
    world,
    sessionIds: sessions.ids,
    loseSessions: sessions.lose,
    async close() {
      await sessions.lose()
      await handler.close()
      await recording.close()
    },
  }
}
