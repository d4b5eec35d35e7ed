/**
 * Who refreshes the token of an account: whoever has its lease, one at a time, since a refresh token may
 * be good once. A lease ends after 30 s by itself; a credential that was written meanwhile ends it, too.
 */
import type { AccountCredential } from '../../handlers/account-credential.ts'
import { mintNonce } from '../../catalog/names.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import type { SealedAccount } from '../../upstream/world.ts'
import { endOf, sealCredential } from './account-commands.ts'
import { findAccount, requireAccount, sealedOf } from './account-rows.ts'
import { writeAudit } from './audit.ts'
import type { Context } from './context.ts'
import { notePrincipal } from './principals.ts'

const LEASE_MS = 30_000

/** The lease, or the account as another has refreshed it, or that another has the lease. */
export type Leased = { lease: string } | { account: SealedAccount } | 'leased' | 'gone'

/** Takes the lease of an account whose credential is still the one that was seen, sealed. */
export function leaseAccount(context: Context, id: string, seen: string): Leased {
  const { sql, now } = context
  return context.transact(() => {
    const row = findAccount(sql, id)
    if (row === undefined || row.state !== 'connected') return 'gone'
    if (row.sealed !== seen) return { account: sealedOf(row) }
    if (leaseOf(sql, id, now) !== undefined) return 'leased'
    const lease = mintNonce()
    const until = now + LEASE_MS
    sql.exec('UPDATE accounts SET lease = ?, lease_until = ? WHERE id = ?', lease, until, id)
    return { lease }
  })
}

/** Writes what was refreshed under a lease, and gives the account as it is now. */
export async function writeRefreshed(
  context: Context,
  keys: SealKeys,
  { id, lease, credential }: { id: string; lease: string; credential: AccountCredential },
): Promise<SealedAccount> {
  const { sql, now } = context
  const sealed = await sealCredential(context, keys, id, credential)
  return context.transact(() => {
    if (leaseOf(sql, id, now) === lease) {
      const query = `UPDATE accounts SET sealed = ?, ends_at = ?, updated_at = ?,
        lease = NULL, lease_until = NULL WHERE id = ?`
      sql.exec(query, sealed, endOf(credential), now, id)
    }
    return sealedOf(requireAccount(sql, id))
  })
}

/** Gives a lease back; an account whose refresh was refused must be connected again. */
export function endLease(context: Context, id: string, lease: string, isRefused: boolean): void {
  const { sql, now } = context
  context.transact(() => {
    const row = findAccount(sql, id)
    if (row === undefined || leaseOf(sql, id, now) !== lease) return
    sql.exec('UPDATE accounts SET lease = NULL, lease_until = NULL WHERE id = ?', id)
    if (!isRefused) return
    sql.exec("UPDATE accounts SET state = 'needs_reauth', updated_at = ? WHERE id = ?", now, id)
    if (row.owner !== null) notePrincipal(sql, row.owner) // its streams look again
    const { server, owner, alias } = row
    const detail = { server, owner, alias }
    writeAudit(sql, { actor: 'upstream', act: 'accounts.needs_reauth', target: id, detail }, now)
  })
}

function leaseOf(sql: SqlStorage, id: string, now: number): string | undefined {
  const query = 'SELECT lease FROM accounts WHERE id = ? AND lease_until > ?'
  return [...sql.exec<{ lease: string }>(query, id, now)][0]?.lease
}
