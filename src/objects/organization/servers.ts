/** The servers of an organization in the database: their records, and the write all changes share. */
import { isRemote, ServerSettings } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { writeAudit, type Act } from './audit.ts'
import type { Name } from './names.ts'
import { notePublication, publishedVersion } from './publications.ts'
import { dropServerHistory, writeRevision } from './revisions.ts'
import { measureItems, writeItems, type ItemChange } from './items.ts'
import { writeApprovalHashes, type ApprovalHash } from './approvals.ts'
import { dropAccountsOfServer } from './account-rows.ts'
import {
  configurationOf,
  dropConfiguration,
  readExtras,
  writeConfiguration,
} from './configurations.ts'
import { requireFit } from './require-fit.ts'
import { isOnSurface, noteSurface } from './surface.ts'
import {
  copyUpstream,
  describeUpstream,
  dropUpstream,
  itemsOfUpstream,
  requireFreeNames,
  type UpstreamRecord,
} from './upstreams.ts'

export type ServerRecord = {
  id: string
  settings: ServerSettings
  revision: number
  publishedRevision: number
  toolCount: number
  /** Of a remote server alone. */
  upstream?: UpstreamRecord
  /** The id of its configuration on convai; of a remote server without accounts alone. */
  configuration?: string
  createdAt: string
  updatedAt: string
}

type Row = {
  id: string
  slug: string | null
  settings: string
  revision: number
  created_at: number
  updated_at: number
  deleted_at: number | null
}

export type LiveServer = { id: string; settings: ServerSettings; revision: number }

/** A server that is there; 404 otherwise, the same for a made-up id. */
export function requireServer(sql: SqlStorage, id: string): LiveServer {
  const row = readRow(sql, id)
  if (row === undefined || row.deleted_at !== null) {
    throw new HttpError(404, 'server_not_found', `There is no server ${id} in this organization`)
  }
  return { id, revision: row.revision, settings: ServerSettings.parse(JSON.parse(row.settings)) }
}

/** Throws 412 when a change was meant for another revision than the one that stands. */
export function requireRevision(
  server: LiveServer | undefined,
  expected: number | undefined,
): void {
  if (expected !== undefined && expected !== (server?.revision ?? 0)) {
    throw new HttpError(412, 'revision_moved', `The server is at revision ${server?.revision ?? 0}`)
  }
}

/** The server with this id, live or deleted: a deleted one keeps its count of revisions. */
export function findServer(
  sql: SqlStorage,
  id: string,
): { live: LiveServer | undefined; revision: number } {
  const row = readRow(sql, id)
  if (row === undefined) return { live: undefined, revision: 0 }
  return {
    live: row.deleted_at === null ? requireServer(sql, id) : undefined,
    revision: row.revision,
  }
}

export function describeServer(sql: SqlStorage, id: string): ServerRecord {
  const server = requireServer(sql, id)
  const row = readRow(sql, id)
  const time = (at = 0) => new Date(at).toISOString()
  const configuration = configurationOf(sql, id)
  return {
    ...server,
    publishedRevision: publishedVersion(sql, 'server', id),
    toolCount: measureItems(sql, id).tools,
    ...(isRemote(server.settings) && { upstream: describeUpstream(sql, id) }),
    ...(configuration !== undefined && { configuration }),
    createdAt: time(row?.created_at),
    updatedAt: time(row?.updated_at),
  }
}

/** Live servers by id, after one, without what may be large: all, or remote ones without accounts. */
export function listServers(
  sql: SqlStorage,
  after: string,
  limit: number,
  which: 'all' | 'remote',
): ServerRecord[] {
  return sql
    .exec<{ id: string }>(
      `SELECT id FROM servers WHERE deleted_at IS NULL AND id > ?1
       AND (?3 = 'all' OR settings ->> '$.kind' = 'remote' AND settings ->> '$.account' IS NULL)
       ORDER BY id LIMIT ?2`,
      after,
      limit,
      which,
    )
    .toArray()
    .map(({ id }) => {
      const { upstream: _, settings, ...record } = describeServer(sql, id)
      const { overrides: _o, ...rest } = settings
      return { ...record, settings: rest }
    })
}

/** The live servers that people sign in to. */
export function oauthServers(sql: SqlStorage): string[] {
  return sql
    .exec<{ id: string }>(
      `SELECT id FROM servers WHERE deleted_at IS NULL AND settings ->> '$.auth' = 'oauth'`,
    )
    .toArray()
    .map(({ id }) => id)
}

export function isSlugTaken(sql: SqlStorage, slug: string): boolean {
  const query = 'SELECT 1 AS taken FROM servers WHERE slug = ? AND deleted_at IS NULL'
  return [...sql.exec(query, slug)].length > 0
}

/** The names a server needs in the Directory. */
export function namesOf(id: string, { slug, vanity }: ServerSettings): Name[] {
  const server: Name = { kind: 'server', name: id, target: id }
  return vanity ? [server, { kind: 'vanity', name: slug, target: id }] : [server]
}

/** What a server becomes. The items of a remote one are not given, but made of what was read of it. */
export type NextServer = {
  settings: ServerSettings
  items?: ItemChange
  /** The remote server that a new one begins with the lists of. */
  copyOf?: string
  /** Whether what is published of the upstream differs, or what a person looks at, beside the items. */
  upstreamChanged?: boolean
  /** Tools of a new remote server that are approved by their hashes alone. */
  approvalHashes?: readonly ApprovalHash[]
  /** What convai says of a remote one beside its settings; absent: what it said before. */
  extras?: string
}

/**
 * Gives a server these settings and changes its items: one revision more, or none when nothing
 * differs. For use inside a transaction; the revision that stands afterwards.
 */
export function writeServer(
  sql: SqlStorage,
  id: string,
  next: NextServer,
  act: Act,
  now: number,
): number {
  const { live, revision: before } = findServer(sql, id)
  const { settings } = next
  if (settings.slug !== live?.settings.slug && isSlugTaken(sql, settings.slug)) {
    throw new HttpError(
      409,
      'slug_taken',
      `The slug "${settings.slug}" is taken in this organization`,
    )
  }
  const revision = before + 1
  if (next.approvalHashes)
    writeApprovalHashes(sql, id, next.approvalHashes, { by: act.actor, at: now })
  const items = isRemote(settings) ? remoteChange(sql, id, live, next) : next.items
  const sameSettings = live !== undefined && isSame(live.settings, settings)
  const sameItems = items === undefined || !writeItems(sql, id, revision, items)
  const sameExtras = next.extras === undefined || next.extras === readExtras(sql, id)
  if (sameItems && sameSettings && sameExtras && next.upstreamChanged !== true) return before
  requireFit(sql, id, live?.settings, settings)
  sql.exec(
    `INSERT INTO servers (id, slug, settings, revision, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?5)
     ON CONFLICT (id) DO UPDATE SET slug = ?2, settings = ?3, revision = ?4, updated_at = ?5,
       created_at = CASE WHEN deleted_at IS NULL THEN created_at ELSE ?5 END, deleted_at = NULL`,
    id,
    settings.slug,
    JSON.stringify(settings),
    revision,
    now,
  )
  writeConfiguration(sql, id, next, { by: act.actor, at: now })
  writeRevision(sql, id, revision, settings, act, now)
  notePublication(sql, 'server', id, revision)
  noteVanity(sql, live?.settings, settings)
  if (isOnSurface(live?.settings) || isOnSurface(settings)) noteSurface(sql)
  writeAudit(sql, { ...act, detail: { ...act.detail, revision } }, now)
  return revision
}

function remoteChange(
  sql: SqlStorage,
  id: string,
  live: LiveServer | undefined,
  { settings, copyOf }: NextServer,
): ItemChange {
  if (copyOf !== undefined) copyUpstream(sql, copyOf, id)
  requireFreeNames(sql, id, live?.settings.overrides ?? {}, settings.overrides ?? {})
  return itemsOfUpstream(sql, id, settings)
}

/** Takes a server away; its tombstone is what is published next. */
export function removeServer(sql: SqlStorage, server: LiveServer, act: Act, now: number): void {
  const revision = server.revision + 1
  writeItems(sql, server.id, revision, { put: [], remove: 'others' })
  sql.exec(
    'UPDATE servers SET slug = NULL, revision = ?, deleted_at = ?, updated_at = ? WHERE id = ?',
    revision,
    now,
    now,
    server.id,
  )
  dropServerHistory(sql, server.id)
  dropUpstream(sql, server.id)
  dropConfiguration(sql, server.id)
  notePublication(sql, 'server', server.id, revision)
  noteVanity(sql, server.settings, undefined)
  const everybodys = dropAccountsOfServer(sql, server.id, now)
  if (everybodys || isOnSurface(server.settings)) noteSurface(sql)
  writeAudit(sql, act, now)
}

/** Whether settings are the same, in whatever order their members stand. */
function isSame(one: ServerSettings, other: ServerSettings): boolean {
  return JSON.stringify(ServerSettings.parse(one)) === JSON.stringify(ServerSettings.parse(other))
}

function noteVanity(
  sql: SqlStorage,
  before: ServerSettings | undefined,
  after: ServerSettings | undefined,
): void {
  for (const settings of [before, after]) {
    if (settings?.vanity) notePublication(sql, 'vanity', settings.slug)
  }
}

function readRow(sql: SqlStorage, id: string): Row | undefined {
  return [...sql.exec<Row>('SELECT * FROM servers WHERE id = ?', id)][0]
}
