/** Members and agents in the database, and what KV is told of them. */
import { GONE, type Principal } from '../../callers/principal.ts'
import { notePublication } from './publications.ts'
import { visibleAccounts } from './visible-accounts.ts'

export type PrincipalKind = Principal['kind']

type Row = {
  id: string
  kind: PrincipalKind
  role: NonNullable<Principal['role']> | null
  permissions: string
  settings: string
  status: Principal['status']
  version: number
}

/** The principal with an id, of whichever kind; undefined for none. */
export function findPrincipal(sql: SqlStorage, id: string) {
  const row = [...sql.exec<Row>('SELECT * FROM principals WHERE id = ?', id)][0]
  return row
}

/** Notes that something of a principal's own has changed, its accounts for one. */
export function notePrincipal(sql: SqlStorage, id: string): void {
  sql.exec('UPDATE principals SET version = version + 1 WHERE id = ?', id)
  notePublication(sql, 'principal', id)
}

/** What KV is told of a principal. */
export function formatPrincipal(sql: SqlStorage, organization: string, id: string): string {
  const found = findPrincipal(sql, id)
  if (found === undefined) return GONE
  const { kind, status, role, permissions, settings, version } = found
  const published: Principal = {
    id,
    organization,
    kind,
    status,
    ...(role && { role }),
    permissions: JSON.parse(permissions),
    settings: JSON.parse(settings),
    accounts: visibleAccounts(sql, id, kind),
    version,
  }
  return JSON.stringify(published)
}
