/**
 * The auth connections of an organization in the database: how requests are authorized, kept apart from
 * the servers that use them (`surfaces.md` B18). Their own secrets are rows among the secrets, which
 * name the connection and go with it.
 */
import type { StoredAuth } from '../../handlers/remote.ts'
import { HttpError } from '../../protocol/http-error.ts'

export type ConnectionStatus = 'active' | 'refresh_failed' | 'revoked' | 'credential_invalid'

/** Times are in ms since the epoch. */
export type ConnectionRow = {
  id: string
  name: string
  /** Whose service it is for, in people's words. */
  provider: string
  auth: StoredAuth
  status: ConnectionStatus
  statusDetail?: string
  /** When the status became what it is; absent while it is as it was made. */
  statusAt?: number
  createdBy: string
  createdAt: number
  updatedAt: number
}

type Row = {
  id: string
  name: string
  provider: string
  auth: string
  status: ConnectionStatus
  status_detail: string | null
  status_at: number | null
  created_by: string
  created_at: number
  updated_at: number
}

const MAX_CONNECTIONS = 1000
const MAX_AUTH_CHARACTERS = 64 * 1024
const MAX_ALL_CHARACTERS = 4 * 1024 * 1024 // a list of them all may be that large over RPC

/** How a connection authorizes, for who resolves; undefined for none. */
export function findAuth(sql: SqlStorage, id: string): StoredAuth | undefined {
  return findConnection(sql, id)?.auth
}

/** The connection of an id; undefined for none. */
export function findConnection(sql: SqlStorage, id: string): ConnectionRow | undefined {
  const row = [...sql.exec<Row>('SELECT * FROM connections WHERE id = ?', id)][0]
  return row && toConnection(row)
}

/** A connection that is there; 404 otherwise. */
export function requireConnection(sql: SqlStorage, id: string): ConnectionRow {
  const row = findConnection(sql, id)
  if (row !== undefined) return row
  throw new HttpError(404, 'connection_not_found', `There is no auth connection ${id}`)
}

/** Connections by id, after one. */
export function listConnections(sql: SqlStorage, after: string, limit: number): ConnectionRow[] {
  const query = 'SELECT * FROM connections WHERE id > ? ORDER BY id LIMIT ?'
  return sql.exec<Row>(query, after, limit).toArray().map(toConnection)
}

/** The names of the connections that authorize by a secret which is not their own. */
export function connectionsWith(sql: SqlStorage, secret: string): string[] {
  const query = 'SELECT name FROM connections WHERE instr(auth, ?) > 0 ORDER BY name'
  const rows = sql.exec<{ name: string }>(query, JSON.stringify({ secret })).toArray()
  return rows.map(({ name }) => name)
}

/** Writes a connection, new or changed; 413 where there is no room. */
export function writeConnection(sql: SqlStorage, connection: ConnectionRow): void {
  const { id, name, provider, status, statusDetail, statusAt } = connection
  const auth = JSON.stringify(connection.auth)
  requireRoom(sql, id, auth.length)
  sql.exec(
    `INSERT INTO connections (id, name, provider, auth, status, status_detail, status_at,
       created_by, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     ON CONFLICT (id) DO UPDATE SET name = ?2, provider = ?3, auth = ?4, status = ?5,
       status_detail = ?6, status_at = ?7, updated_at = ?10`,
    id,
    name,
    provider,
    auth,
    status,
    statusDetail ?? null,
    statusAt ?? null,
    connection.createdBy,
    connection.createdAt,
    connection.updatedAt,
  )
}

/** Takes a connection away, with its own secrets. */
export function removeConnection(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM connections WHERE id = ?', id)
  sql.exec('DELETE FROM secrets WHERE connection = ?', id)
}

/** Writes a secret of a connection's own, sealed. */
export function writeOwnSecret(
  sql: SqlStorage,
  connection: string,
  { name, sealed, now }: { name: string; sealed: string; now: number },
): void {
  sql.exec(
    `INSERT INTO secrets (name, sealed, connection, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (name) DO UPDATE SET sealed = ?2, updated_at = ?4`,
    name,
    sealed,
    connection,
    now,
  )
}

/** Drops a connection's own secrets but these; the names of those that it has then. */
export function keepOwnSecrets(
  sql: SqlStorage,
  connection: string,
  names: readonly string[],
): ReadonlySet<string> {
  sql.exec(
    `DELETE FROM secrets
     WHERE connection = ? AND name NOT IN (SELECT value FROM json_each(?))`,
    connection,
    JSON.stringify(names),
  )
  const query = 'SELECT name FROM secrets WHERE connection = ?'
  const rows = sql.exec<{ name: string }>(query, connection).toArray()
  return new Set(rows.map(({ name }) => name))
}

function requireRoom(sql: SqlStorage, id: string, length: number): void {
  const others = `SELECT COUNT(*) AS count, COALESCE(SUM(length(auth)), 0) AS characters
    FROM connections WHERE id <> ?`
  const { count, characters } = sql.exec<{ count: number; characters: number }>(others, id).one()
  if (count >= MAX_CONNECTIONS) {
    const message = `There may be ${MAX_CONNECTIONS} auth connections`
    throw new HttpError(413, 'too_many_connections', message)
  }
  if (length > MAX_AUTH_CHARACTERS || characters + length > MAX_ALL_CHARACTERS) {
    const message = `A connection may be ${MAX_AUTH_CHARACTERS} characters, and all ${MAX_ALL_CHARACTERS}`
    throw new HttpError(413, 'connections_too_large', message)
  }
}

function toConnection({ id, name, provider, auth, status, ...row }: Row): ConnectionRow {
  const { status_detail, status_at, created_by, created_at, updated_at } = row
  return {
    id,
    name,
    provider,
    auth: JSON.parse(auth) as StoredAuth,
    status,
    ...(status_detail !== null && { statusDetail: status_detail }),
    ...(status_at !== null && { statusAt: status_at }),
    createdBy: created_by,
    createdAt: created_at,
    updatedAt: updated_at,
  }
}
