/**
 * What we know of a remote server after having met it: era, revision, capabilities, session. Plain
 * data, so that it can be stored; the session id in it is a secret (`mcp-protocol.md` §8.2).
 */
import { isObject } from '../../protocol/json-rpc.ts'
import type { LegacyRevision, MODERN_REVISION } from '../../protocol/revisions.ts'

type Known = {
  capabilities: Readonly<Record<string, unknown>>
  serverInfo?: Readonly<Record<string, unknown>>
  instructions?: string
  /** How long the remote server lets its `server/discover` be kept. */
  ttlMs?: number
  /** When the verdict was reached, in milliseconds. */
  checkedAt: number
}

export type ModernConnection = Known & { era: 'modern'; revision: typeof MODERN_REVISION }
export type LegacyConnection = Known & {
  era: 'legacy'
  revision: LegacyRevision
  sessionId?: string
}
/** A server of 2024-11-05's HTTP+SSE transport, whose sessions last as long as their stream. */
export type SseConnection = Known & { era: 'sse'; revision: LegacyRevision }
export type Connection = ModernConnection | LegacyConnection | SseConnection

/** A server may have moved to a newer era behind a verdict that still works, so no verdict is for ever. */
const VERDICT_HORIZON_MS = 24 * 3_600_000

/** What a server says of itself is kept, so it may be no longer than this. */
export const MAX_GREETING_BYTES = 512 * 1024

/** Whether the era is to be found out again. */
export function isStale(connection: Connection, now: number): boolean {
  return now - connection.checkedAt >= VERDICT_HORIZON_MS
}

/** The members of an answer to `initialize` or `server/discover` that are kept. */
export function knownOf(
  { capabilities, instructions }: Readonly<Record<string, unknown>>,
  serverInfo: unknown,
  checkedAt: number,
): Known {
  return {
    capabilities: isObject(capabilities) ? capabilities : {},
    ...(isObject(serverInfo) && { serverInfo }),
    ...(typeof instructions === 'string' && { instructions }),
    checkedAt,
  }
}
