/** The organization's own row. */
import { HttpError } from '../../protocol/http-error.ts'

export type OrganizationRecord = {
  id: string
  name: string
  revision: number
  createdAt: string
  updatedAt: string
}

type Row = {
  id: string
  name: string
  revision: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

/** The organization, or 404 when it was never made or is going. */
export function requireOrganization(sql: SqlStorage): OrganizationRecord {
  const row = readRow(sql)
  if (row === undefined || row.deleted_at !== null) throw organizationNotFound()
  return {
    id: row.id,
    name: row.name,
    revision: row.revision,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}

/** The refusal of an organization that was never made or is going. */
export function organizationNotFound(): HttpError {
  return new HttpError(404, 'organization_not_found', 'There is no such organization')
}

/** The id, also of an organization that is going; undefined when nothing was ever made here. */
export function organizationId(sql: SqlStorage): string | undefined {
  return readRow(sql)?.id
}

export function isGoing(sql: SqlStorage): boolean {
  return readRow(sql)?.deleted_at != null
}

export function writeOrganization(sql: SqlStorage, id: string, name: string, now: number): void {
  const { rowsWritten } = sql.exec(
    'UPDATE organization SET name = ?, revision = revision + 1, updated_at = ?',
    name,
    now,
  )
  if (rowsWritten > 0) return
  sql.exec(
    'INSERT INTO organization (id, name, revision, created_at, updated_at) VALUES (?1, ?2, 1, ?3, ?3)',
    id,
    name,
    now,
  )
}

export function markGoing(sql: SqlStorage, now: number): void {
  sql.exec('UPDATE organization SET deleted_at = ?', now)
}

function readRow(sql: SqlStorage): Row | undefined {
  return [...sql.exec<Row>('SELECT * FROM organization')][0]
}
