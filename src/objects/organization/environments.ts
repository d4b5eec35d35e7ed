/** The environments of an organization in the database: what of it a narrower caller has. */
import type { EnvironmentEntry } from '../../catalog/surface.ts'
import { HttpError } from '../../protocol/http-error.ts'

export type EnvironmentRecord = {
  name: string
  entries: EnvironmentEntry[]
  createdAt: string
  updatedAt: string
}

type Row = { name: string; entries: string; created_at: number; updated_at: number }

function toRecord({ name, entries, created_at, updated_at }: Row): EnvironmentRecord {
  return {
    name,
    entries: JSON.parse(entries),
    createdAt: new Date(created_at).toISOString(),
    updatedAt: new Date(updated_at).toISOString(),
  }
}

/** The environment of a name; 404 where there is none. */
export function requireEnvironment(sql: SqlStorage, name: string): EnvironmentRecord {
  const query = 'SELECT * FROM environments WHERE name = ?'
  const row = [...sql.exec<Row>(query, name)][0]
  if (row !== undefined) return toRecord(row)
  throw new HttpError(404, 'environment_not_found', `There is no environment "${name}"`)
}

/** Environments by name, after one. */
export function listEnvironments(
  sql: SqlStorage,
  after: string,
  limit: number,
): EnvironmentRecord[] {
  const query = 'SELECT * FROM environments WHERE name > ? ORDER BY name LIMIT ?'
  return sql.exec<Row>(query, after, limit).toArray().map(toRecord)
}

/** What every environment has, by name. */
export function readEnvironments(sql: SqlStorage): Record<string, EnvironmentEntry[]> {
  const rows = sql.exec<Row>('SELECT * FROM environments ORDER BY name').toArray()
  return Object.fromEntries(rows.map(({ name, entries }) => [name, JSON.parse(entries)]))
}

/** Writes an environment; true when its name is new. */
export function writeEnvironment(
  sql: SqlStorage,
  name: string,
  entries: readonly EnvironmentEntry[],
  now: number,
): boolean {
  const isNew =
    [...sql.exec('SELECT 1 AS found FROM environments WHERE name = ?', name)].length === 0
  sql.exec(
    `INSERT INTO environments (name, entries, created_at, updated_at) VALUES (?1, ?2, ?3, ?3)
     ON CONFLICT (name) DO UPDATE SET entries = ?2, updated_at = ?3`,
    name,
    JSON.stringify(entries),
    now,
  )
  return isNew
}

/** Takes an environment away. */
export function removeEnvironment(sql: SqlStorage, name: string): void {
  sql.exec('DELETE FROM environments WHERE name = ?', name)
}

/** Takes the entries away that something which is gone was in; true when there were any. */
export function dropEntries(
  sql: SqlStorage,
  isGone: (entry: EnvironmentEntry) => boolean,
  now: number,
): boolean {
  let dropped = false
  for (const [name, entries] of Object.entries(readEnvironments(sql))) {
    const rest = entries.filter((entry) => !isGone(entry))
    if (rest.length === entries.length) continue
    writeEnvironment(sql, name, rest, now)
    dropped = true
  }
  return dropped
}
