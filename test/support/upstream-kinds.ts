/** The MCP servers of the official SDKs, one of each kind that a remote server can be. */
import type { Relay } from './relay.ts'
import { startLegacyMcp } from './upstreams/mcp-legacy.ts'
import { startModernMcp } from './upstreams/mcp-modern.ts'
import type { World, WorldOptions } from './upstreams/mcp-world.ts'
import type { Recording } from './upstreams/recording.ts'

export type Upstream = Recording & { world: World }

export type UpstreamKind = {
  era: 'legacy' | 'modern' | 'sse'
  /** Whether it streams, so that something can precede an answer. */
  streams: boolean
  start(options?: WorldOptions): Promise<Upstream>
}

/** Each by what it is. */
export const UPSTREAM_KINDS: Readonly<Record<string, UpstreamKind>> = {
  'a session server that streams': legacy('sessions'),
  'a session server that answers JSON': { ...legacy('json'), streams: false },
  'a server without sessions': legacy('stateless'),
  'a modern server': modern('modern'),
  'a server of both eras': modern('dual'),
  'a server of HTTP+SSE': { ...legacy('sse'), era: 'sse' },
}

/** Serves one through a relay; the admin API's answer. */
export function serveKind(
  relay: Relay,
  { era }: UpstreamKind,
  { url }: Upstream,
  remote: object = {},
  members: object = {},
) {
  return relay.serve(url, { transport: era === 'sse' ? 'sse' : 'auto', ...remote }, members)
}

function legacy(kind: 'sessions' | 'json' | 'stateless' | 'sse'): UpstreamKind {
  const start = (options?: WorldOptions) => startLegacyMcp({ ...options, kind })
  return { era: 'legacy', streams: true, start }
}

function modern(kind: 'modern' | 'dual'): UpstreamKind {
  const start = (options?: WorldOptions) => startModernMcp({ ...options, kind })
  return { era: 'modern', streams: true, start }
}
