/** The handshake of the session era (`mcp-protocol.md` §3.1). The session id it gives is a secret. */
import { isLegacyRevision, NEWEST_LEGACY, type LegacyRevision } from '../../protocol/revisions.ts'
import { knownOf, MAX_GREETING_BYTES, type LegacyConnection } from './connection.ts'
import { exchange, type Hooks } from './exchange.ts'
import { excerptOf, UpstreamFault } from './fault.ts'
import { CLIENT } from './outgoing.ts'
import type { Post } from './post.ts'
import { sendMessage } from './send.ts'

const SESSION_ID = /^[\x21-\x7e]{1,4096}$/

/** What `initialize` says; `capabilities` are those we can answer for. */
export function initializeRequest(capabilities: Readonly<Record<string, unknown>>) {
  return {
    method: 'initialize',
    params: { protocolVersion: NEWEST_LEGACY, capabilities, clientInfo: CLIENT },
  }
}

/** The notification that ends the handshake. */
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' }

/** The revision an answer to `initialize` settles on, or the fault `incompatible`. */
export function requireRevision({ protocolVersion }: Record<string, unknown>): LegacyRevision {
  if (typeof protocolVersion === 'string' && isLegacyRevision(protocolVersion)) {
    return protocolVersion
  }
  const message = 'The remote server settles on a protocol revision that is none of ours'
  throw new UpstreamFault('incompatible', message, {
    said: excerptOf(JSON.stringify(protocolVersion ?? null)),
  })
}

/** Opens a session, or meets a server that has none: absent session ids are normal. */
export async function openSession(
  post: Post,
  now: number,
  capabilities: Readonly<Record<string, unknown>>,
  hooks: Pick<Hooks, 'signal' | 'timeoutMs'>,
): Promise<LegacyConnection> {
  const { result, headers } = await exchange(
    post,
    { era: 'legacy' },
    initializeRequest(capabilities),
    { ...hooks, maxBytes: MAX_GREETING_BYTES },
  )
  const revision = requireRevision(result)
  const sessionId = headers.get('mcp-session-id')
  if (sessionId !== null && !SESSION_ID.test(sessionId)) {
    throw new UpstreamFault('malformed', 'The remote server gave a session id that cannot be sent')
  }
  const to = { era: 'legacy' as const, revision, ...(sessionId !== null && { sessionId }) }
  await sendMessage(post, to, INITIALIZED)
  return { ...to, ...knownOf(result, result['serverInfo'], now) }
}
