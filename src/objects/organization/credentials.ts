/** Keys in the database. The secret itself is never here, only its SHA-256. */
import { REVOKED, type PublishedCredential } from '../../callers/credential.ts'
import type { KeyKind } from '../../callers/secret.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { findPrincipal, isPerson } from './principals.ts'
import { notePublication } from './publications.ts'

/** What a key is for: the tools of a server, or all that its principal may do. */
export type KeyRecord = {
  id: string
  kind: KeyKind
  name: string
  server?: string
  tools?: string[]
  principal?: string
  environment?: string
  /** Calls in a calendar month. */
  monthlyCap?: number
  lastFour: string
  createdAt: string
  expiresAt: string | null
}

/** A secret that was minted for a key, as far as it is kept. */
export type Minted = { hash: string; lastFour: string }

export type NewKey = Minted & {
  id: string
  kind: KeyKind
  name: string
  server?: string | undefined
  tools?: readonly string[] | undefined
  principal?: string | undefined
  environment?: string | undefined
  monthlyCap?: number | undefined
  expiresAt?: string | undefined
}

/** Which keys a list is of; nothing named: all. */
export type KeyFilter = { server?: string | undefined; principal?: string | undefined }

type Row = {
  id: string
  hash: string
  kind: KeyKind
  name: string
  server: string | null
  tools: string | null
  principal: string | null
  environment: string | null
  monthly_cap: number | null
  last_four: string
  created_at: number
  expires_at: number | null
}

function toRecord(row: Row): KeyRecord {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    ...(row.server !== null && { server: row.server }),
    ...(row.tools !== null && { tools: JSON.parse(row.tools) }),
    ...(row.principal !== null && { principal: row.principal }),
    ...(row.environment !== null && { environment: row.environment }),
    ...(row.monthly_cap !== null && { monthlyCap: row.monthly_cap }),
    lastFour: row.last_four,
    createdAt: new Date(row.created_at).toISOString(),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
  }
}

export function writeKey(sql: SqlStorage, key: NewKey, now: number): KeyRecord {
  sql.exec(
    `INSERT INTO credentials (id, hash, kind, name, server, tools, principal, environment,
       monthly_cap, last_four, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    key.hash,
    key.kind,
    key.name,
    key.server ?? null,
    key.tools ? JSON.stringify(key.tools) : null,
    key.principal ?? null,
    key.environment ?? null,
    key.monthlyCap ?? null,
    key.lastFour,
    now,
    key.expiresAt ? Date.parse(key.expiresAt) : null,
  )
  notePublication(sql, 'credential', key.hash)
  return requireKey(sql, key.id)
}

/** A key that was not revoked; 404 otherwise. */
export function requireKey(sql: SqlStorage, id: string): KeyRecord {
  return toRecord(requireRow(sql, id))
}

/** The hash of the secret that a key has now; 404 as before. */
export function requireKeyHash(sql: SqlStorage, id: string): string {
  return requireRow(sql, id).hash
}

function requireRow(sql: SqlStorage, id: string): Row {
  const query = 'SELECT * FROM credentials WHERE id = ? AND revoked_at IS NULL'
  const row = [...sql.exec<Row>(query, id)][0]
  if (row === undefined) throw new HttpError(404, 'key_not_found', `There is no key ${id}`)
  return row
}

/** Keys that were not revoked, by id, after one. */
export function listKeys(
  sql: SqlStorage,
  { server, principal }: KeyFilter,
  after: string,
  limit: number,
): KeyRecord[] {
  return sql
    .exec<Row>(
      `SELECT * FROM credentials WHERE revoked_at IS NULL AND id > ?1
       AND (?2 IS NULL OR server = ?2) AND (?3 IS NULL OR principal = ?3) ORDER BY id LIMIT ?4`,
      after,
      server ?? null,
      principal ?? null,
      limit,
    )
    .toArray()
    .map(toRecord)
}

/** Gives a key another secret; that the old one is dead is published as the new one is. */
export function rotateKey(sql: SqlStorage, id: string, { hash, lastFour }: Minted): KeyRecord {
  const old = requireKeyHash(sql, id)
  sql.exec('UPDATE credentials SET hash = ?, last_four = ? WHERE id = ?', hash, lastFour, id)
  notePublication(sql, 'credential', old)
  notePublication(sql, 'credential', hash)
  return requireKey(sql, id)
}

/** Revokes a key and gives its hash, which the Directory then forgets. */
export function revokeKey(sql: SqlStorage, id: string, now: number): string {
  const hash = requireKeyHash(sql, id)
  sql.exec('UPDATE credentials SET revoked_at = ? WHERE id = ?', now, id)
  notePublication(sql, 'credential', hash)
  return hash
}

/** Revokes every live key of a server or of a principal. */
export function revokeKeysOf(
  sql: SqlStorage,
  of: KeyFilter,
  now: number,
): { id: string; hash: string }[] {
  const keys = listKeys(sql, of, '', Number.MAX_SAFE_INTEGER)
  return keys.map(({ id }) => ({ id, hash: revokeKey(sql, id, now) }))
}

/** What KV is told of a secret. */
export function formatCredential(sql: SqlStorage, organization: string, hash: string): string {
  const query = 'SELECT * FROM credentials WHERE hash = ? AND revoked_at IS NULL'
  const row = [...sql.exec<Row>(query, hash)][0]
  if (row === undefined) return REVOKED
  const { id, kind, server = '', tools, principal = '', environment, expiresAt } = toRecord(row)
  const common = { id, organization, ...(expiresAt !== null && { expiresAt }) }
  const published: PublishedCredential =
    kind === 'server'
      ? { ...common, kind, server, ...(tools && { tools }) }
      : { ...common, kind, principal, ...(environment !== undefined && { environment }) }
  return JSON.stringify(published)
}

/** The key whose secret had a hash that opens nothing any more: whose streams are to end. */
export function findDeadKey(
  sql: SqlStorage,
  hash: string,
): { id: string; server: string | null } | undefined {
  const query = `SELECT id, server FROM credentials
    WHERE (hash = ?1 AND revoked_at IS NOT NULL) OR id = (
      SELECT target FROM names WHERE kind = 'credential' AND name = ?1 AND state <> 'held'
    )`
  return [...sql.exec<{ id: string; server: string | null }>(query, hash)][0]
}

/** Why a caller may do nothing now, by its credential's id and its principal, if that has one. */
export type DeadCaller = 'invalid_api_key' | 'agent_suspended' | 'member_suspended'

/** Who asks: a principal by a credential, and who has signed in where that is known. */
export type Claimant = {
  /** The id of the credential; that of the principal for a session or a token. */
  credential: string
  principal: string
  /** The hash of an external id, which must be that of the principal. */
  person?: string | undefined
}

/**
 * Whether a key of a principal still stands for it. The credential of a session or of an OAuth token
 * is the principal itself, whose end is in the token, as long as it is the person who signed in.
 */
export function refusePrincipal(
  sql: SqlStorage,
  { credential, principal, person }: Claimant,
  now: number,
): DeadCaller | undefined {
  const found = findPrincipal(sql, principal)
  if (found === undefined) return 'invalid_api_key'
  if (credential !== principal && !isKeyLive(sql, credential, now)) return 'invalid_api_key'
  if (person !== undefined && !isPerson(found, person)) return 'invalid_api_key'
  return found.status === 'active' ? undefined : `${found.kind}_suspended`
}

/** Whether a caller of a hosted server may still come in: a key, a member and its person, or nobody. */
export function isCallerLive(
  sql: SqlStorage,
  { id, person }: { id: string; person?: string | undefined },
  now: number,
): boolean {
  if (id === 'anonymous' || isKeyLive(sql, id, now)) return true
  return refusePrincipal(sql, { credential: id, principal: id, person }, now) === undefined
}

function isKeyLive(sql: SqlStorage, id: string, now: number): boolean {
  const query =
    'SELECT id FROM credentials WHERE id = ? AND revoked_at IS NULL AND COALESCE(expires_at, ?) >= ?'
  return [...sql.exec(query, id, now, now)].length > 0
}
