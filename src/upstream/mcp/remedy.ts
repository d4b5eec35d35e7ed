/**
 * What may help after a fault (`mcp-protocol.md` §8.4). Each remedy is tried once, by who called:
 * none of these faults comes after the request was carried out.
 */
import { HEADER_MISMATCH, METHOD_NOT_FOUND, UNSUPPORTED_VERSION } from '../../protocol/json-rpc.ts'
import type { Connection } from './connection.ts'
import type { UpstreamFault } from './fault.ts'

/** `reopen`: initialize without the session id; `probe`: find out the era; `relist`: read the tools. */
export type Remedy = 'reopen' | 'probe' | 'relist'

const OF_ANOTHER_ERA: ReadonlySet<number | undefined> = new Set([400, 404, 405])

/** The remedy for a fault of a request on this connection; undefined where there is none. */
export function remedyFor(
  { kind, status, code }: UpstreamFault,
  connection: Connection,
): Remedy | undefined {
  if (connection.era === 'sse') return undefined
  const isOfRequest = kind === 'rpc' && (code === -32602 || code === -32021)
  if (connection.era === 'legacy') {
    if (kind === 'session_lost') return 'reopen'
    if (code === UNSUPPORTED_VERSION) return 'probe'
    // Servers misuse 400 for sessions they do not know, and some began to want one since.
    return status === 400 && !isOfRequest ? 'reopen' : undefined
  }
  if (code === HEADER_MISMATCH) return 'relist'
  if (code === UNSUPPORTED_VERSION) return 'probe'
  const looksLegacy = OF_ANOTHER_ERA.has(status) && code !== METHOD_NOT_FOUND
  return looksLegacy && !isOfRequest ? 'probe' : undefined
}
