/**
 * Named secrets of an organization, sealed; they go in and never come out of the object again.
 * After a rotation of `SEAL_KEYS` they are sealed anew (reseal.ts).
 */
import type { Place } from '../../sealing/seal.ts'
import { HttpError } from '../../protocol/http-error.ts'

export type SecretRecord = { name: string; createdAt: string; updatedAt: string }

type Row = { name: string; sealed: string; created_at: number; updated_at: number }

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

export function removeSecret(sql: SqlStorage, name: string): void {
  const { rowsWritten } = sql.exec('DELETE FROM secrets WHERE name = ?', name)
  if (rowsWritten === 0) throw new HttpError(404, 'secret_not_found', `There is no secret ${name}`)
}

export function listSecrets(sql: SqlStorage, after: string, limit: number): SecretRecord[] {
  return sql
    .exec<Row>('SELECT * FROM secrets WHERE name > ? ORDER BY name LIMIT ?', after, limit)
    .toArray()
    .map(({ name, created_at, updated_at }) => ({
      name,
      createdAt: new Date(created_at).toISOString(),
      updatedAt: new Date(updated_at).toISOString(),
    }))
}

/** The sealed value of a secret; undefined for none of that name. */
export function findSealed(sql: SqlStorage, name: string): string | undefined {
  const rows = sql.exec<{ sealed: string }>('SELECT sealed FROM secrets WHERE name = ?', name)
  return [...rows][0]?.sealed
}
