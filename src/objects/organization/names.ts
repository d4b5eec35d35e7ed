/**
 * Names this organization holds or is about to hold in the Directory. A name is `pending` from
 * before it is claimed until the transaction that needs it marks it `held`; `releasing` once nothing
 * needs it. A pending name that no command is working on was left by one that failed or crashed.
 */
import type { NameKind } from '../directory.ts'

export type Name = { kind: NameKind; name: string; target: string }
export type NameState = 'pending' | 'held' | 'releasing'

/** The state of a name here; undefined when it is not ours. */
export function nameState(sql: SqlStorage, { kind, name }: Name): NameState | undefined {
  const query = 'SELECT state FROM names WHERE kind = ? AND name = ?'
  return [...sql.exec<{ state: NameState }>(query, kind, name)][0]?.state
}

export function setNameState(sql: SqlStorage, name: Name, state: NameState): void {
  sql.exec(
    'INSERT OR REPLACE INTO names (kind, name, target, state) VALUES (?, ?, ?, ?)',
    name.kind,
    name.name,
    name.target,
    state,
  )
}

/** Marks names that nothing needs any more; the alarm gives them up. */
export function releaseNames(sql: SqlStorage, names: readonly Name[]): void {
  for (const name of names) {
    if (nameState(sql, name) === 'held') setNameState(sql, name, 'releasing')
  }
}

export function forgetName(sql: SqlStorage, { kind, name }: Name): void {
  sql.exec('DELETE FROM names WHERE kind = ? AND name = ?', kind, name)
}

/** Names to give up now: not held, and nothing about them is left to tell. */
export function abandonedNames(sql: SqlStorage): Name[] {
  return sql
    .exec<Name>(
      `SELECT kind, name, target FROM names WHERE state <> 'held' AND NOT EXISTS (
         SELECT 1 FROM publications p
         WHERE p.kind = names.kind AND p.name = names.name
           AND (p.published < p.version OR p.announced < p.published)
       ) LIMIT 500`,
    )
    .toArray()
}
