/** Held calls as those who administer see them; their arguments for who may decide alone. */
import type { SealKeys } from '../../sealing/seal-keys.ts'
import type { Context } from './context.ts'
import { opened, requireHeld } from './held-commands.ts'
import { heldPlace, listHeld, settleHeld, type HeldRow, type HeldState } from './held-rows.ts'
import { findPrincipal } from './principals.ts'
import { findServer } from './servers.ts'

/** What an answer has of a held call. */
export type HeldRecord = {
  n: number
  id: string
  state: HeldState
  principal: { id: string; kind: 'member' | 'agent' | null; name: string | null }
  credential: string
  server: { id: string; name: string | null }
  /** The tool's name on its server, and on the gateway. */
  tool: string
  name: string
  account: string | null
  environment: string | null
  digest: string
  /** JSON text, where it was asked for and is still kept. */
  arguments?: string
  decidedBy: string | null
  createdAt: string
  decidedAt: string | null
  /** When it expires unless somebody waits; null once it does not wait. */
  expiresAt: string | null
}

/** A page of held calls, newest first. */
export async function readHeld(
  context: Context,
  keys: SealKeys,
  which: { state: HeldState | undefined; before: number; limit: number; withArguments: boolean },
): Promise<HeldRecord[]> {
  const { sql, now } = context
  const { state, before, limit, withArguments } = which
  context.transact(() => settleHeld(sql, now))
  const rows = listHeld(sql, state, before, limit)
  return Promise.all(rows.map((row) => toRecord(context, withArguments ? keys : undefined, row)))
}

/** One held call with its arguments, for who decides it. */
export async function describeHeld(
  context: Context,
  keys: SealKeys,
  id: string,
): Promise<HeldRecord> {
  const { sql, now } = context
  context.transact(() => settleHeld(sql, now))
  return toRecord(context, keys, requireHeld(sql, id))
}

/** A held call; its arguments are opened where there are keys. */
export async function toRecord(
  { sql, organization }: Context,
  keys: SealKeys | undefined,
  row: HeldRow,
): Promise<HeldRecord> {
  const { n, id, state, credential, tool, name, account, environment, digest, sealed } = row
  const place = heldPlace(organization, id)
  const text = keys && sealed !== null ? await opened(keys, place, sealed) : undefined
  const principal = findPrincipal(sql, row.principal)
  const isWaiting = state === 'pending' || state === 'approved'
  return {
    n,
    id,
    state,
    principal: {
      id: row.principal,
      kind: principal?.kind ?? null,
      name: principal?.name ?? null,
    },
    credential,
    server: { id: row.server, name: findServer(sql, row.server).live?.settings.name ?? null },
    tool,
    name,
    account,
    environment,
    digest,
    ...(text !== undefined && { arguments: text }),
    decidedBy: row.decided_by,
    createdAt: timeOf(row.created_at),
    decidedAt: row.decided_at === null ? null : timeOf(row.decided_at),
    expiresAt: isWaiting ? timeOf(row.due_at) : null,
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
