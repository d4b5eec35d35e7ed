/**
 * Accounts that are being connected by a link, in the database. A row lives ten minutes and is kept a day
 * for who asks how it went. What a flow needs to go on is sealed by the Worker; the browser that goes
 * through it and the nonce of its state are here as hashes, so that each can be used by its own once.
 */
import { HttpError } from '../../protocol/http-error.ts'

const LIFE_MS = 10 * 60 * 1000
const KEPT_MS = 24 * 3600 * 1000
const MAX_OPEN = 20 // of one who makes links, for one who will hold the account
/** In which what came back at the last moment can be finished. */
const FINISH_MS = 60_000

export type ConnectState = 'pending' | 'started' | 'connected' | 'failed' | 'expired'

export type ConnectRow = {
  id: string
  server: string
  owner: string | null
  alias: string
  state: ConnectState
  problem: string | null
  account: string | null
  browser: string | null
  nonce: string | null
  sealed: string | null
  created_by: string
  created_at: number
  expires_at: number
}

/** What those who ask are told. */
export type ConnectRecord = {
  id: string
  server: string
  owner: string | null
  alias: string
  state: ConnectState
  problem: string | null
  account: string | null
  createdBy: string
  expiresAt: string
}

/** A row as it is told; one that was not finished in time is expired. */
export function toConnect(row: ConnectRow, now: number): ConnectRecord {
  const { id, server, owner, alias, problem, account, created_by: createdBy } = row
  const state = isOpen(row) && row.expires_at <= now ? 'expired' : row.state
  const expiresAt = new Date(row.expires_at).toISOString()
  return { id, server, owner, alias, state, problem, account, createdBy, expiresAt }
}

/** A row that is there; 404 otherwise. */
export function requireConnect(sql: SqlStorage, id: string): ConnectRow {
  const row = [...sql.exec<ConnectRow>('SELECT * FROM connects WHERE id = ?', id)][0]
  if (row !== undefined) return row
  throw new HttpError(404, 'connect_not_found', `There is no connect ${id}`)
}

export type NewConnect = Pick<ConnectRow, 'id' | 'server' | 'owner' | 'alias' | 'created_by'>

/** Writes a new row, and drops those of yesterday; 429 where its maker has too many open for its holder. */
export function addConnect(sql: SqlStorage, connect: NewConnect, now: number): ConnectRow {
  sql.exec('DELETE FROM connects WHERE expires_at < ?', now - KEPT_MS)
  const query = `SELECT COUNT(*) AS count FROM connects
    WHERE created_by = ? AND owner IS ? AND expires_at > ? AND state IN ('pending', 'started')`
  const { count } = sql.exec<{ count: number }>(query, connect.created_by, connect.owner, now).one()
  if (count >= MAX_OPEN) {
    const message = `There may be ${MAX_OPEN} links that wait; use one, or wait ten minutes`
    throw new HttpError(429, 'too_many_connects', message)
  }
  const { id, server, owner, alias, created_by } = connect
  sql.exec(
    `INSERT INTO connects (id, server, owner, alias, state, created_by, created_at, expires_at)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?)`,
    id,
    server,
    owner,
    alias,
    created_by,
    now,
    now + LIFE_MS,
  )
  return requireConnect(sql, id)
}

/** A row that can still be gone on with: 409 where it is over, 410 where it has expired. */
export function requireOpen(sql: SqlStorage, id: string, now: number): ConnectRow {
  const row = requireConnect(sql, id)
  if (!isOpen(row)) {
    throw new HttpError(409, 'connect_over', 'This link was used already; ask for a new one')
  }
  if (row.expires_at > now) return row
  throw new HttpError(410, 'link_expired', 'This link has expired; ask for a new one')
}

/** Throws 403 where another browser has begun. */
export function requireSameBrowser({ browser }: ConnectRow, asking: string): void {
  if (browser === null || browser === asking) return
  throw new HttpError(
    403,
    'other_browser',
    'This link was used in another browser; ask for a new one',
  )
}

/** Notes which browser begins, and what is needed to go on; an earlier try of it is over by that. */
export function beginConnect(
  sql: SqlStorage,
  id: string,
  { browser, nonce, sealed }: { browser: string; nonce: string | null; sealed: string | null },
): void {
  sql.exec(
    "UPDATE connects SET state = 'started', browser = ?, nonce = ?, sealed = ? WHERE id = ?",
    browser,
    nonce,
    sealed,
    id,
  )
}

/** Uses the nonce up, and gives what was kept; 403 where it is another or was used. */
export function takeNonce(sql: SqlStorage, row: ConnectRow, nonce: string, now: number): string {
  if (row.nonce === null || row.nonce !== nonce || row.sealed === null) {
    throw new HttpError(403, 'state_used', 'This answer was used already, or is of another try')
  }
  sql.exec(
    'UPDATE connects SET nonce = NULL, sealed = NULL, expires_at = MAX(expires_at, ?) WHERE id = ?',
    now + FINISH_MS,
    row.id,
  )
  return row.sealed
}

/** Notes how it ended. */
export function endConnect(
  sql: SqlStorage,
  id: string,
  { state, ...end }: { state: 'connected' | 'failed'; problem?: string; account?: string },
): void {
  sql.exec(
    `UPDATE connects SET state = ?, problem = ?, account = ?, nonce = NULL, sealed = NULL
     WHERE id = ?`,
    state,
    end.problem ?? null,
    end.account ?? null,
    id,
  )
}

function isOpen({ state }: ConnectRow): boolean {
  return state === 'pending' || state === 'started'
}
