/**
 * Clients that were registered at authorization servers (RFC 7591), one for each issuer and redirect
 * URI. Sealed by whoever registered one, and opened where a flow begins.
 */
import type { Place } from '../../sealing/seal.ts'

const MAX_CLIENTS = 1000

/** Where a client is sealed for. */
export const clientPlace = (organization: string, id: string): Place => ({
  purpose: 'secrets',
  path: [organization, 'oauth-client', id],
})

/** A client as it is sealed; undefined for none, or none any more. */
export function findClient(sql: SqlStorage, id: string, now: number): string | undefined {
  const query = 'SELECT sealed FROM oauth_clients WHERE id = ?1 AND COALESCE(ends_at, ?2 + 1) > ?2'
  return [...sql.exec<{ sealed: string }>(query, id, now)][0]?.sealed
}

/** Keeps a client in place of the one that was there; of too many the oldest goes. */
export function keepClient(
  sql: SqlStorage,
  { id, sealed, endsAtMs }: { id: string; sealed: string; endsAtMs: number | undefined },
  now: number,
): void {
  sql.exec(
    'INSERT OR REPLACE INTO oauth_clients (id, sealed, ends_at, created_at) VALUES (?, ?, ?, ?)',
    id,
    sealed,
    endsAtMs ?? null,
    now,
  )
  sql.exec(
    `DELETE FROM oauth_clients WHERE id NOT IN (
       SELECT id FROM oauth_clients ORDER BY created_at DESC LIMIT ?)`,
    MAX_CLIENTS,
  )
}

/** Forgets a client that its authorization server does not know any more. */
export function forgetClient(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM oauth_clients WHERE id = ?', id)
}
