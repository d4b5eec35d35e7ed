/**
 * Members and agents in the database, and what KV is told of them. A change of anything that is a
 * principal's own raises its version and is one put (`design.md` §3).
 */
import {
  externalHash,
  GONE,
  type ExternalId,
  type Permission,
  type Principal,
  type PrincipalSettings,
  type Role,
} from '../../callers/principal.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Name } from './names.ts'
import { notePublication } from './publications.ts'
import { visibleAccounts } from './visible-accounts.ts'

export type PrincipalKind = Principal['kind']

export type NewPrincipal = {
  id: string
  kind: PrincipalKind
  name: string
  /** The person, as an OAuth issuer knows it; of a member alone. */
  externalId?: ExternalId | undefined
  /** Of a member alone. */
  role?: Role | undefined
  permissions: readonly Permission[]
  settings: PrincipalSettings
  status: Principal['status']
}

export type PrincipalRecord = NewPrincipal & {
  version: number
  createdAt: string
  updatedAt: string
}

type Row = {
  id: string
  kind: PrincipalKind
  name: string
  issuer: string | null
  subject: string | null
  role: Role | null
  permissions: string
  settings: string
  status: Principal['status']
  version: number
  created_at: number
  updated_at: number
}

/** The principal with an id, of whichever kind; undefined for none. */
export function findPrincipal(sql: SqlStorage, id: string): PrincipalRecord | undefined {
  const row = [...sql.exec<Row>('SELECT * FROM principals WHERE id = ?', id)][0]
  return row && toRecord(row)
}

/** A principal of a kind; 404 otherwise, the same for a made-up id. */
export function requirePrincipal(
  sql: SqlStorage,
  kind: PrincipalKind,
  id: string,
): PrincipalRecord {
  const found = findPrincipal(sql, id)
  if (found?.kind === kind) return found
  throw new HttpError(404, `${kind}_not_found`, `There is no ${kind} ${id} in this organization`)
}

/** The principals of a kind, by id, after one. */
export function listPrincipals(
  sql: SqlStorage,
  kind: PrincipalKind,
  after: string,
  limit: number,
): PrincipalRecord[] {
  const query = 'SELECT * FROM principals WHERE kind = ? AND id > ? ORDER BY id LIMIT ?'
  return sql.exec<Row>(query, kind, after, limit).toArray().map(toRecord)
}

/** Stores a principal, new or changed. For use inside a transaction. */
export function writePrincipal(sql: SqlStorage, principal: NewPrincipal, now: number): void {
  const { id, kind, name, externalId, role, permissions, settings, status } = principal
  sql.exec(
    `INSERT INTO principals (id, kind, name, issuer, subject, role, permissions, settings, status,
       version, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0, ?10, ?10)
     ON CONFLICT (id) DO UPDATE SET name = ?3, issuer = ?4, subject = ?5, role = ?6,
       permissions = ?7, settings = ?8, status = ?9, updated_at = ?10`,
    id,
    kind,
    name,
    externalId?.issuer ?? null,
    externalId?.subject ?? null,
    role ?? null,
    JSON.stringify(permissions),
    JSON.stringify(settings),
    status,
    now,
  )
  notePrincipal(sql, id)
}

/** Takes a principal away; that it is gone is what is published next. */
export function dropPrincipal(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM principals WHERE id = ?', id)
  notePublication(sql, 'principal', id)
}

/** Notes that something of a principal's own has changed, its accounts for one. */
export function notePrincipal(sql: SqlStorage, id: string): void {
  sql.exec('UPDATE principals SET version = version + 1 WHERE id = ?', id)
  notePublication(sql, 'principal', id)
}

/** The member of a person; undefined where it is none here. */
export function findExternal(sql: SqlStorage, { issuer, subject }: ExternalId): string | undefined {
  const query = 'SELECT id FROM principals WHERE issuer = ? AND subject = ?'
  return [...sql.exec<{ id: string }>(query, issuer, subject)][0]?.id
}

/** Whether a member is a person, by the hash of its external id. */
export function isPerson(
  { externalId }: Pick<NewPrincipal, 'externalId'>,
  person: string,
): boolean {
  return externalId !== undefined && externalHash(externalId) === person
}

/** Notes that a member is another person than before, or none: streams of that one are to end. */
export function notePersonLeft(sql: SqlStorage, id: string): void {
  sql.exec('UPDATE principals SET person_left = version WHERE id = ?', id)
}

/** The version at which the person of a member left whose streams may be open; undefined for none. */
export function versionLeftAt(sql: SqlStorage, id: string): number | undefined {
  const query = 'SELECT person_left AS version FROM principals WHERE id = ?'
  return [...sql.exec<{ version: number | null }>(query, id)][0]?.version ?? undefined
}

/** Notes that the streams of who left at a version were ended. */
export function noteStreamsEnded(sql: SqlStorage, id: string, version: number): void {
  sql.exec('UPDATE principals SET person_left = NULL WHERE id = ? AND person_left = ?', id, version)
}

/** The name that a member with an external id holds in the Directory; none for others. */
export function externalNames(
  organization: string,
  { id, externalId }: Pick<NewPrincipal, 'id' | 'externalId'>,
): Name[] {
  if (externalId === undefined) return []
  return [{ kind: 'external', name: `${externalHash(externalId)}:${organization}`, target: id }]
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
    permissions: [...permissions],
    settings,
    accounts: visibleAccounts(sql, id, kind),
    version,
  }
  return JSON.stringify(published)
}

/** Whether a principal may do anything now. */
export function isPrincipalActive(sql: SqlStorage, id: string): boolean {
  return findPrincipal(sql, id)?.status === 'active'
}

function toRecord(row: Row): PrincipalRecord {
  const { id, kind, name, issuer, subject, role, status, version } = row
  return {
    id,
    kind,
    name,
    ...(issuer !== null && subject !== null && { externalId: { issuer, subject } }),
    ...(role !== null && { role }),
    permissions: JSON.parse(row.permissions),
    settings: JSON.parse(row.settings),
    status,
    version,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}
