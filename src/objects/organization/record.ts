/** The organization's own row. */
import { ApprovalRules, NO_RULES } from '../../callers/approval-rules.ts'
import { CapabilitySettings, Features } from '../../catalog/surface.ts'
import { HttpError } from '../../protocol/http-error.ts'

export type OrganizationStatus = 'active' | 'suspended'

/** What is switched on and off for everybody in it, and which calls are held for a person. */
export type OrganizationSettings = {
  features: Features
  capabilities: CapabilitySettings
  approvals: ApprovalRules
}

export type OrganizationRecord = {
  id: string
  name: string
  status: OrganizationStatus
  revision: number
  createdAt: string
  updatedAt: string
}

type Row = {
  id: string
  name: string
  status: OrganizationStatus
  settings: string
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
    status: row.status,
    revision: row.revision,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}

/** The settings of the organization, and whether it is suspended. */
export function organizationSettings(
  sql: SqlStorage,
): OrganizationSettings & { status: OrganizationStatus } {
  const { settings = '{}', status = 'active' } = readRow(sql) ?? {}
  const { features = {}, capabilities = {}, approvals = NO_RULES } = JSON.parse(settings)
  return {
    features: Features.parse(features),
    capabilities: CapabilitySettings.parse(capabilities),
    approvals: ApprovalRules.parse(approvals),
    status,
  }
}

/** Writes the settings. */
export function writeOrganizationSettings(
  sql: SqlStorage,
  settings: OrganizationSettings,
  now: number,
): void {
  const query = 'UPDATE organization SET settings = ?, revision = revision + 1, updated_at = ?'
  sql.exec(query, JSON.stringify(settings), now)
}

/** Suspends the organization, or takes that back. */
export function writeOrganizationStatus(
  sql: SqlStorage,
  status: OrganizationStatus,
  now: number,
): void {
  const query = 'UPDATE organization SET status = ?, revision = revision + 1, updated_at = ?'
  sql.exec(query, status, now)
}

/** The refusal of an organization that was never made or is going. */
export function organizationNotFound(): HttpError {
  return new HttpError(404, 'organization_not_found', 'There is no such organization')
}

/**
 * The id, also of an organization that is going; undefined when it was never made here. It is told by
 * who makes the organization: the object may be called otherwise.
 */
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
