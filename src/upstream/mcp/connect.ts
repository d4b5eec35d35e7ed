/** Meeting a remote server: its era first, then the handshake its era asks for. */
import type { Connection } from './connection.ts'
import { probe } from './era.ts'
import { UpstreamFault } from './fault.ts'
import { openSession } from './open-session.ts'
import type { Post } from './post.ts'
import { connectSse } from './sse-transport.ts'

export type ConnectOptions = {
  /** `sse` goes back to HTTP+SSE where nothing newer answers. */
  transport: 'auto' | 'sse'
  /** The client capabilities that can be answered for. */
  capabilities: Readonly<Record<string, unknown>>
  /** The time of now, in milliseconds. */
  now: number
  /** How long each request may take. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** Statuses by which a server of the HTTP+SSE transport refuses `initialize` (§8.1). */
const REFUSALS_OF_SSE: ReadonlySet<number | undefined> = new Set([400, 404, 405])

/** The connection to a remote server, or the fault that says why there is none. */
export async function connect(post: Post, options: ConnectOptions): Promise<Connection> {
  const { capabilities, now } = options
  const found = await probe(post, now, { ...options, clientCapabilities: capabilities })
  if (found !== 'legacy') return found
  try {
    return await openSession(post, now, capabilities, options)
  } catch (error) {
    const isOlder = error instanceof UpstreamFault && REFUSALS_OF_SSE.has(error.status)
    if (options.transport !== 'sse' || !isOlder) throw error
    return connectSse(post, now, capabilities, options)
  }
}
