/**
 * Configurations: a remote server without accounts as the convai surface names it, a row for each
 * (`surfaces.md` D17). What a configuration says is the server's settings; kept here is its id, who made
 * it, and as `extras` (JSON that convai alone reads) what the settings have no place for.
 *
 * A row is made in the write that makes its server, and goes with it.
 */
import { mintConfigurationId } from '../../catalog/names.ts'
import { isRemote, needsAccount } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { NextServer } from './servers.ts'

export type Configuration = {
  id: string
  server: string
  extras: string
  createdBy: string
  /** ms since the epoch. */
  createdAt: number
}

type Row = {
  position: number
  id: string
  server: string
  extras: string
  created_by: string
  created_at: number
}

const COLUMNS = 'rowid AS position, id, server, extras, created_by, created_at'
const NO_EXTRAS = '{}'

/** Makes, changes or drops the configuration of a server, which becomes what is said here. */
export function writeConfiguration(
  sql: SqlStorage,
  server: string,
  { settings, extras, copyOf }: Pick<NextServer, 'settings' | 'extras' | 'copyOf'>,
  { by, at }: { by: string; at: number },
): void {
  if (!isRemote(settings)) return
  if (needsAccount(settings)) return dropConfiguration(sql, server)
  const copied = copyOf === undefined ? undefined : readExtras(sql, copyOf)
  sql.exec(
    `INSERT INTO configurations (id, server, extras, created_by, created_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (server) DO UPDATE SET extras = COALESCE(?6, extras)`,
    mintConfigurationId(),
    server,
    extras ?? copied ?? NO_EXTRAS,
    by,
    at,
    extras ?? null,
  )
}

/** Takes the configuration of a server away. */
export function dropConfiguration(sql: SqlStorage, server: string): void {
  sql.exec('DELETE FROM configurations WHERE server = ?', server)
}

/** The configuration with this id; 404 otherwise, the same for a made-up one. */
export function requireConfiguration(sql: SqlStorage, id: string): Configuration {
  const query = `SELECT ${COLUMNS} FROM configurations WHERE id = ?`
  const row = [...sql.exec<Row>(query, id)][0]
  if (row !== undefined) return read(row)
  throw new HttpError(404, 'mcp_server_not_found', `There is no MCP server ${id.slice(0, 100)}`)
}

/** The id of a server's configuration; undefined where it has none. */
export function configurationOf(sql: SqlStorage, server: string): string | undefined {
  const query = 'SELECT id FROM configurations WHERE server = ?'
  return [...sql.exec<{ id: string }>(query, server)][0]?.id
}

/** Configurations as they were made, after a position; each with its own. */
export function listConfigurations(
  sql: SqlStorage,
  after: number,
  limit: number,
): { position: number; configuration: Configuration }[] {
  return sql
    .exec<Row>(
      `SELECT ${COLUMNS} FROM configurations WHERE rowid > ? ORDER BY rowid LIMIT ?`,
      after,
      limit,
    )
    .toArray()
    .map((row) => ({ position: row.position, configuration: read(row) }))
}

/** What is kept beside a server's settings; undefined where it has no configuration. */
export function readExtras(sql: SqlStorage, server: string): string | undefined {
  const query = 'SELECT extras FROM configurations WHERE server = ?'
  return [...sql.exec<{ extras: string }>(query, server)][0]?.extras
}

function read({ id, server, extras, created_by, created_at }: Row): Configuration {
  return { id, server, extras, createdBy: created_by, createdAt: created_at }
}
