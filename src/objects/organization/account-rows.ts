/**
 * The accounts of an organization in the database, and who they are shared with. A credential goes in
 * sealed, as one JSON object, and comes out of the object no other way than sealed, to be opened where
 * the request that needs it is made.
 *
 * What KV is told of an account is who sees it, never its alias, identity or state: only what changes
 * that notes a publication.
 */
import { HttpError } from '../../protocol/http-error.ts'
import type { Place } from '../../sealing/seal.ts'
import type { SealedAccount } from '../../upstream/world.ts'
import { dropEntries } from './environments.ts'
import { dropGrantsOf } from './grants.ts'
import { notePrincipal } from './principals.ts'

export type AccountState = 'connected' | 'needs_reauth'

export type AccountRecord = {
  id: string
  server: string
  /** The member whose own it is; null: the organization's. */
  owner: string | null
  alias: string
  identity: string | null
  state: AccountState
  createdAt: string
  updatedAt: string
}

export type AccountRow = Omit<AccountRecord, 'createdAt' | 'updatedAt'> & {
  sealed: string
  /** When the token in it ends, in ms since the epoch. */
  ends_at: number | null
  created_at: number
  updated_at: number
}

/** Where the credential of an account is sealed for. */
export const accountPlace = (organization: string, account: string): Place => ({
  purpose: 'secrets',
  path: [organization, 'account', account, 'credential'],
})

/** An account as answers have it: without its credential. */
export function toAccount(row: AccountRow): AccountRecord {
  const { id, server, owner, alias, identity, state } = row
  const createdAt = new Date(row.created_at).toISOString()
  const updatedAt = new Date(row.updated_at).toISOString()
  return { id, server, owner, alias, identity, state, createdAt, updatedAt }
}

/** The account of an id; undefined for none. */
export function findAccount(sql: SqlStorage, id: string): AccountRow | undefined {
  return [...sql.exec<AccountRow>('SELECT * FROM accounts WHERE id = ?', id)][0]
}

/** An account that is there; 404 otherwise. */
export function requireAccount(sql: SqlStorage, id: string): AccountRow {
  const row = findAccount(sql, id)
  if (row !== undefined) return row
  throw new HttpError(404, 'account_not_found', `There is no account ${id}`)
}

/** Whose accounts, of which server: every member that is given must hold. */
export type AccountFilter = {
  server?: string | undefined
  /** A member's id, or `organization`. */
  owner?: string | undefined
  alias?: string | undefined
}

/** Accounts by id, after one. */
export function listAccounts(
  sql: SqlStorage,
  { server, owner, alias }: AccountFilter,
  after: string,
  limit: number,
): AccountRecord[] {
  return sql
    .exec<AccountRow>(
      `SELECT * FROM accounts WHERE id > ?1 AND (?2 IS NULL OR server = ?2)
       AND (?3 IS NULL OR COALESCE(owner, 'organization') = ?3)
       AND (?4 IS NULL OR alias = ?4) ORDER BY id LIMIT ?5`,
      after,
      server ?? null,
      owner ?? null,
      alias ?? null,
      limit,
    )
    .toArray()
    .map(toAccount)
}

/** How many accounts there are. */
export function countAccounts(sql: SqlStorage): number {
  return sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM accounts').one().count
}

/** The account of the organization that the lists of a remote server are read with. */
export function findReader(sql: SqlStorage, server: string): SealedAccount | undefined {
  const query = `SELECT id, sealed, ends_at FROM accounts
    WHERE server = ? AND owner IS NULL AND state = 'connected' ORDER BY created_at, id LIMIT 1`
  const row = [...sql.exec<Pick<AccountRow, 'id' | 'sealed' | 'ends_at'>>(query, server)][0]
  return row && sealedOf(row)
}

/** An account as a call needs it. */
export function sealedOf({
  id,
  sealed,
  ends_at,
}: Pick<AccountRow, 'id' | 'sealed' | 'ends_at'>): SealedAccount {
  return { id, sealed, ...(ends_at !== null && { endsAtMs: ends_at }) }
}

/** The account of an owner on a server that has an alias. */
export function findByAlias(
  sql: SqlStorage,
  { server, owner, alias }: Pick<AccountRow, 'server' | 'owner' | 'alias'>,
): AccountRow | undefined {
  const query = `SELECT * FROM accounts
    WHERE server = ? AND alias = ? AND COALESCE(owner, '') = ?`
  return [...sql.exec<AccountRow>(query, server, alias, owner ?? '')][0]
}

/**
 * Writes an account, new or changed; another credential ends its lease. 409 where another of the same
 * owner has its alias on the server; of those of others nothing is told by it.
 */
export function writeAccount(sql: SqlStorage, row: AccountRow): void {
  const { id, server, owner, alias } = row
  const other = findByAlias(sql, row)
  if (other !== undefined && other.id !== id) {
    const message = `Another account on this server has the alias "${alias}"`
    throw new HttpError(409, 'alias_taken', message)
  }
  sql.exec(
    `INSERT INTO accounts
       (id, server, owner, alias, identity, state, sealed, ends_at, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
     ON CONFLICT (id) DO UPDATE SET alias = ?4, identity = ?5, state = ?6, ends_at = ?8,
       updated_at = ?10, lease = CASE WHEN sealed = ?7 THEN lease END, sealed = ?7`,
    id,
    server,
    owner,
    alias,
    row.identity,
    row.state,
    row.sealed,
    row.ends_at,
    row.created_at,
    row.updated_at,
  )
}

/** Takes an account away with its grants and entries; true where everybody's list may differ. */
export function removeAccount(sql: SqlStorage, { id, owner }: AccountRow, now: number): boolean {
  const everybodys = dropGrantsOf(sql, id)
  if (owner !== null) notePrincipal(sql, owner)
  sql.exec('DELETE FROM accounts WHERE id = ?', id)
  return dropEntries(sql, ({ account }) => account === id, now) || everybodys
}

/** The same of all accounts of a server that goes, and its other entries. */
export function dropAccountsOfServer(sql: SqlStorage, server: string, now: number): boolean {
  let everybodys = false
  for (const row of sql
    .exec<AccountRow>('SELECT * FROM accounts WHERE server = ?', server)
    .toArray()) {
    everybodys = dropGrantsOf(sql, row.id) || everybodys
    if (row.owner !== null) notePrincipal(sql, row.owner)
  }
  sql.exec('DELETE FROM accounts WHERE server = ?', server)
  return dropEntries(sql, (entry) => entry.server === server, now) || everybodys
}

/** The same of all accounts of a member that goes. */
export function dropAccountsOfMember(sql: SqlStorage, member: string, now: number): boolean {
  const rows = sql.exec<AccountRow>('SELECT * FROM accounts WHERE owner = ?', member).toArray()
  return rows.map((row) => removeAccount(sql, row, now)).includes(true)
}

/** Throws 409 while a server has accounts: their credentials are not thrown away by the way. */
export function requireNoAccounts(sql: SqlStorage, server: string): void {
  const query = 'SELECT COUNT(*) AS count FROM accounts WHERE server = ?'
  const { count } = sql.exec<{ count: number }>(query, server).one()
  if (count === 0) return
  const message = `The server has accounts (${count}); delete them before it does without`
  throw new HttpError(409, 'accounts_left', message)
}
