/** How a fault crosses RPC, where an error's class is lost: as plain data that is turned back. */
import { UpstreamFault, type FaultExtras, type FaultKind } from '../../upstream/mcp/fault.ts'

type Fault = Omit<FaultExtras, 'said'> & { kind: FaultKind; message: string }

/** A value, or why there is none. */
export type Met<T> = { value: T } | { fault: Fault }

/** Runs a piece of work and turns an `UpstreamFault` into data; anything else goes on as thrown. */
export async function metOf<T>(work: () => Promise<T>): Promise<Met<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    if (!(error instanceof UpstreamFault)) throw error
    const { kind, message, status, code, data, retryAfterMs, isBroken } = error
    return { fault: { kind, message, status, code, data, retryAfterMs, isBroken } }
  }
}

/** The value, or the fault thrown again. */
export function requireMet<T>(met: Met<T>): T {
  if ('value' in met) return met.value
  const { kind, message, ...extras } = met.fault
  throw new UpstreamFault(kind, message, extras)
}
