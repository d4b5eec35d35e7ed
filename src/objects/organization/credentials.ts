/** Server keys in the database. The secret itself is never here, only its SHA-256. */
import { REVOKED, type PublishedCredential } from '../../callers/credential.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { findPrincipal } from './principals.ts'
import { notePublication } from './publications.ts'

export type KeyRecord = {
  id: string
  kind: 'server'
  name: string
  server: string
  tools?: string[]
  environment?: string
  monthlyCap?: number
  lastFour: string
  createdAt: string
  expiresAt: string | null
}

export type NewKey = {
  id: string
  name: string
  server: string
  tools: readonly string[] | undefined
  expiresAt: string | undefined
  hash: string
  lastFour: string
}

type Row = {
  id: string
  hash: string
  name: string
  server: string
  tools: string | null
  environment: string | null
  monthly_cap: number | null
  last_four: string
  created_at: number
  expires_at: number | null
}

function toRecord(row: Row): KeyRecord {
  return {
    id: row.id,
    kind: 'server',
    name: row.name,
    server: row.server,
    ...(row.tools !== null && { tools: JSON.parse(row.tools) }),
    ...(row.environment !== null && { environment: row.environment }),
    ...(row.monthly_cap !== null && { monthlyCap: row.monthly_cap }),
    lastFour: row.last_four,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }
}

export function writeKey(sql: SqlStorage, key: NewKey, now: number): KeyRecord {
  sql.exec(
    `INSERT INTO credentials (id, hash, name, server, tools, last_four, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    key.hash,
    key.name,
    key.server,
    key.tools ? JSON.stringify(key.tools) : null,
    key.lastFour,
    now,
    key.expiresAt ? Date.parse(key.expiresAt) : null,
  )
  notePublication(sql, 'credential', key.hash)
  return requireKey(sql, key.id)
}

/** A key that was not revoked; 404 otherwise. */
export function requireKey(sql: SqlStorage, id: string): KeyRecord {
  const query = 'SELECT * FROM credentials WHERE id = ? AND revoked_at IS NULL'
  const row = [...sql.exec<Row>(query, id)][0]
  if (row === undefined) throw new HttpError(404, 'key_not_found', `There is no key ${id}`)
  return toRecord(row)
}

/** Keys that were not revoked, by id, of one server or of all. */
export function listKeys(
  sql: SqlStorage,
  server: string | undefined,
  after: string,
  limit: number,
): KeyRecord[] {
  return sql
    .exec<Row>(
      `SELECT * FROM credentials WHERE revoked_at IS NULL AND id > ?1
       AND (?2 IS NULL OR server = ?2) ORDER BY id LIMIT ?3`,
      after,
      server ?? null,
      limit,
    )
    .toArray()
    .map(toRecord)
}

/** Revokes a key and gives its hash, which the Directory then forgets. */
export function revokeKey(sql: SqlStorage, id: string, now: number): string {
  requireKey(sql, id)
  const query = 'UPDATE credentials SET revoked_at = ? WHERE id = ? RETURNING hash'
  const { hash } = sql.exec<{ hash: string }>(query, now, id).one()
  notePublication(sql, 'credential', hash)
  return hash
}

/** The ids of the live keys of a server. */
export function keysOfServer(sql: SqlStorage, server: string): string[] {
  const query = 'SELECT id FROM credentials WHERE server = ? AND revoked_at IS NULL'
  return sql
    .exec<{ id: string }>(query, server)
    .toArray()
    .map(({ id }) => id)
}

/** What KV is told of a credential. */
export function formatCredential(sql: SqlStorage, organization: string, hash: string): string {
  const query = 'SELECT * FROM credentials WHERE hash = ? AND revoked_at IS NULL'
  const row = [...sql.exec<Row>(query, hash)][0]
  if (row === undefined) return REVOKED
  const { id, kind, server, tools, expiresAt } = toRecord(row)
  const published: PublishedCredential = {
    id,
    kind,
    organization,
    server,
    ...(tools && { tools }),
    ...(expiresAt !== null && { expiresAt }),
  }
  return JSON.stringify(published)
}

/** A key that was revoked, by its hash: whose streams are to end. */
export function findRevokedKey(
  sql: SqlStorage,
  hash: string,
): { id: string; server: string } | undefined {
  const query = 'SELECT id, server FROM credentials WHERE hash = ? AND revoked_at IS NOT NULL'
  return [...sql.exec<{ id: string; server: string }>(query, hash)][0]
}

/** Whether a credential opens its server now. */
export function isKeyLive(sql: SqlStorage, id: string, now: number): boolean {
  const query =
    'SELECT id FROM credentials WHERE id = ? AND revoked_at IS NULL AND COALESCE(expires_at, ?) >= ?'
  return [...sql.exec(query, id, now, now)].length > 0
}

/** Why a caller may do nothing now, by its credential's id and its principal, if that has one. */
export type DeadCaller = 'invalid_api_key' | 'agent_suspended' | 'member_suspended'

/**
 * Whether a key of a principal still stands for it. The credential of a session or of an OAuth token
 * is the principal itself, whose end is in the token.
 */
export function refusePrincipal(
  sql: SqlStorage,
  { credential, principal }: { credential: string; principal: string },
  now: number,
): DeadCaller | undefined {
  const found = findPrincipal(sql, principal)
  if (found === undefined) return 'invalid_api_key'
  if (credential !== principal && !isKeyLive(sql, credential, now)) return 'invalid_api_key'
  return found.status === 'active' ? undefined : `${found.kind}_suspended`
}
