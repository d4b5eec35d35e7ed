/**
 * Named secrets of an organization, sealed; they go in and never come out of the object again.
 * Those that are an auth connection's own (connections.ts) are opened like others, and otherwise not seen.
 * After a rotation of `SEAL_KEYS` they are sealed anew (reseal.ts).
 */
import type { Place } from '../../sealing/seal.ts'
import { HttpError } from '../../protocol/http-error.ts'

export type SecretRecord = { name: string; label: string; createdAt: string; updatedAt: string }

type Row = {
  name: string
  label: string | null
  sealed: string
  created_at: number
  updated_at: number
}

export const secretPlace = (organization: string, name: string): Place => ({
  purpose: 'secrets',
  path: [organization, 'secret', name, 'value'],
})

/** Puts a sealed value in place; true when the name is new. */
export function writeSecret(sql: SqlStorage, name: string, sealed: string, now: number): boolean {
  const isNew = [...sql.exec('SELECT 1 AS found FROM secrets WHERE name = ?', name)].length === 0
  sql.exec(
    `INSERT INTO secrets (name, sealed, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)
     ON CONFLICT (name) DO UPDATE SET sealed = ?2, updated_at = ?3`,
    name,
    sealed,
    now,
  )
  return isNew
}

/** What people call a secret. */
export function labelSecret(sql: SqlStorage, name: string, label: string): void {
  sql.exec('UPDATE secrets SET label = ? WHERE name = ?', label, name)
}

export function removeSecret(sql: SqlStorage, name: string): void {
  sql.exec('DELETE FROM secrets WHERE name = ?', name)
}

/** A secret that is there and no connection's own; 404 otherwise. */
export function requireSecret(sql: SqlStorage, name: string): SecretRecord {
  const query = 'SELECT * FROM secrets WHERE name = ? AND connection IS NULL'
  const row = [...sql.exec<Row>(query, name)][0]
  if (row !== undefined) return toSecret(row)
  throw new HttpError(404, 'secret_not_found', `There is no secret ${name}`)
}

/** Whether there is a secret that is no connection's own. */
export function isSecretThere(sql: SqlStorage, name: string): boolean {
  const query = 'SELECT 1 AS found FROM secrets WHERE name = ? AND connection IS NULL'
  return [...sql.exec(query, name)].length > 0
}

/** Secrets by name, after one: all, or those that people call something that begins so. */
export function listSecrets(
  sql: SqlStorage,
  after: string,
  limit: number,
  search = '',
): SecretRecord[] {
  return sql
    .exec<Row>(
      `SELECT * FROM secrets WHERE name > ?1 AND connection IS NULL
       AND substr(COALESCE(label, name), 1, length(?2)) = ?2 ORDER BY name LIMIT ?3`,
      after,
      search,
      limit,
    )
    .toArray()
    .map(toSecret)
}

/** The sealed value of a secret; undefined for none of that name. */
export function findSealed(sql: SqlStorage, name: string): string | undefined {
  const rows = sql.exec<{ sealed: string }>('SELECT sealed FROM secrets WHERE name = ?', name)
  return [...rows][0]?.sealed
}

function toSecret({ name, label, created_at, updated_at }: Row): SecretRecord {
  return {
    name,
    label: label ?? name,
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  }
}
