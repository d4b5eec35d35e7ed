/**
 * How a connection or a fault crosses RPC: as JSON, since an error's class is lost there, and what a
 * remote server says may be of any shape.
 */
import type { Connection } from '../../upstream/mcp/connection.ts'
import { UpstreamFault, type FaultExtras, type FaultKind } from '../../upstream/mcp/fault.ts'

type Fault = Omit<FaultExtras, 'said'> & { kind: FaultKind; message: string }
type Met = { value: Connection } | { fault: Fault }

/** A connection, or the `UpstreamFault` in its place, as text; anything else goes on as thrown. */
export async function metOf(connecting: Promise<Connection>): Promise<string> {
  try {
    return format({ value: await connecting })
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    const { kind, message, status, code, data, retryAfterMs, isBroken } = error
    return format({ fault: { kind, message, status, code, data, retryAfterMs, isBroken } })
  }
}

/** The connection, or the fault thrown again. */
export function requireMet(text: string): Connection {
  const met = JSON.parse(text) as Met
  if ('value' in met) return met.value
  const { kind, message, ...extras } = met.fault
  throw new UpstreamFault(kind, message, extras)
}

function format(met: Met): string {
  return JSON.stringify(met)
}
