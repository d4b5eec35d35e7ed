/**
 * The revisions of a server that can be read back: the last 20 that were published, and the newest.
 * Those that a later one overtook before KV was told are kept for ten minutes, unlisted: somebody may
 * be walking their pages.
 */
import type { ServerSettings } from '../../catalog/server.ts'
import type { Act } from './audit.ts'
import { dropUnusedBodies } from './bodies.ts'

const KEPT = 20
const UNPUBLISHED_KEPT_MS = 10 * 60 * 1000

export type Revision = {
  revision: number
  at: string
  actor: string
  act: string
  publishedAt: string | null
}

type Row = { revision: number; at: number; actor: string; act: string; published_at: number | null }

export function writeRevision(
  sql: SqlStorage,
  server: string,
  revision: number,
  settings: ServerSettings,
  { actor, act }: Act,
  now: number,
): void {
  sql.exec(
    'INSERT INTO revisions (server, revision, at, actor, act, settings) VALUES (?, ?, ?, ?, ?, ?)',
    server,
    revision,
    now,
    actor,
    act,
    JSON.stringify(settings),
  )
}

/** The kept revisions, newest first. */
export function readRevisions(sql: SqlStorage, server: string): Revision[] {
  const time = (at: number) => new Date(at).toISOString()
  return sql
    .exec<Row>(
      `SELECT revision, at, actor, act, published_at FROM revisions
       WHERE server = ?1 AND (published_at IS NOT NULL OR revision = (
         SELECT MAX(revision) FROM revisions WHERE server = ?1
       )) ORDER BY revision DESC`,
      server,
    )
    .toArray()
    .map(({ published_at, at, ...row }) => ({
      ...row,
      at: time(at),
      publishedAt: published_at === null ? null : time(published_at),
    }))
}

/** The settings at a revision; undefined when it is not kept. */
export function settingsAt(sql: SqlStorage, server: string, revision: number): unknown {
  const query = 'SELECT settings FROM revisions WHERE server = ? AND revision = ?'
  const row = [...sql.exec<{ settings: string }>(query, server, revision)][0]
  return row && JSON.parse(row.settings)
}

/**
 * Notes that a revision was published, and drops what need not be kept any longer.
 */
export function notePublishedRevision(
  sql: SqlStorage,
  server: string,
  revision: number,
  now: number,
): void {
  sql.exec(
    'UPDATE revisions SET published_at = ? WHERE server = ? AND revision = ?',
    now,
    server,
    revision,
  )
  sql.exec(
    `DELETE FROM revisions WHERE server = ? AND revision < ? AND published_at IS NULL AND at < ?`,
    server,
    revision,
    now - UNPUBLISHED_KEPT_MS,
  )
  sql.exec(
    `DELETE FROM revisions WHERE server = ?1 AND revision <= COALESCE((
       SELECT revision FROM revisions WHERE server = ?1 AND published_at IS NOT NULL
       ORDER BY revision DESC LIMIT 1 OFFSET ${KEPT}
     ), -1)`,
    server,
  )
  dropPastItems(sql, server)
}

/** The kept revisions that were published since a time, in ms since the epoch. */
export function revisionsSince(
  sql: SqlStorage,
  server: string,
  since: number,
): { revision: number; publishedAt: number }[] {
  return sql
    .exec<{ revision: number; publishedAt: number }>(
      `SELECT revision, published_at AS publishedAt FROM revisions
       WHERE server = ? AND published_at > ?`,
      server,
      since,
    )
    .toArray()
}

/** Drops everything a server has kept, when it is deleted. */
export function dropServerHistory(sql: SqlStorage, server: string): void {
  sql.exec('DELETE FROM revisions WHERE server = ?', server)
  dropPastItems(sql, server)
}

function dropPastItems(sql: SqlStorage, server: string): void {
  const rows = sql
    .exec<{ definition: string; binding: string }>(
      `DELETE FROM items WHERE server = ?1 AND until IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM revisions r
         WHERE r.server = ?1 AND r.revision >= items.since AND r.revision < items.until
       ) RETURNING definition, binding`,
      server,
    )
    .toArray()
  dropUnusedBodies(
    sql,
    rows.flatMap(({ definition, binding }) => [definition, binding]),
  )
}
