/**
 * Who an account is shared with: a member, an agent, or everybody in the organization. A grant to
 * everybody is on the surface; one to somebody is with that principal.
 */
import { HttpError } from '../../protocol/http-error.ts'
import { notePrincipal } from './principals.ts'

export const EVERYBODY = 'everybody'

/** Whom an account is shared with. */
export type Grantee = { member: string } | { agent: string } | typeof EVERYBODY

export type GrantRecord = {
  id: string
  account: string
  to: Grantee
  /** The tools it is shared for; absent: all. */
  tools?: string[]
  createdAt: string
}

type Row = {
  id: string
  account: string
  grantee: string
  tools: string | null
  created_at: number
}

function toRecord({ grantee, tools, created_at, ...row }: Row): GrantRecord {
  return {
    ...row,
    to: granteeOf(grantee),
    ...(tools !== null && { tools: JSON.parse(tools) }),
    createdAt: new Date(created_at).toISOString(),
  }
}

/** A grantee as it is stored: ids say whether they are a member's or an agent's. */
export function formatGrantee(to: Grantee): string {
  if (to === EVERYBODY) return to
  return 'member' in to ? to.member : to.agent
}

function granteeOf(text: string): Grantee {
  if (text === EVERYBODY) return text
  return text.startsWith('agt_') ? { agent: text } : { member: text }
}

/** A grant that is there; 404 otherwise. */
export function requireGrant(sql: SqlStorage, id: string): GrantRecord {
  const row = [...sql.exec<Row>('SELECT * FROM grants WHERE id = ?', id)][0]
  if (row !== undefined) return toRecord(row)
  throw new HttpError(404, 'grant_not_found', `There is no grant ${id}`)
}

/** Which grants: every member that is given must hold. */
export type GrantFilter = {
  account?: string | undefined
  /** The member whose own the account is. */
  owner?: string | undefined
}

/** Grants by id, after one. */
export function listGrants(
  sql: SqlStorage,
  { account, owner }: GrantFilter,
  after: string,
  limit: number,
): GrantRecord[] {
  const query = `SELECT * FROM grants WHERE id > ?1 AND (?2 IS NULL OR account = ?2)
    AND (?3 IS NULL OR account IN (SELECT id FROM accounts WHERE owner = ?3)) ORDER BY id LIMIT ?4`
  return sql
    .exec<Row>(query, after, account ?? null, owner ?? null, limit)
    .toArray()
    .map(toRecord)
}

/** Writes a grant; 409 where the account is shared with that one already. */
export function writeGrant(
  sql: SqlStorage,
  { id, account, to, tools }: Omit<GrantRecord, 'createdAt'>,
  now: number,
): void {
  const grantee = formatGrantee(to)
  const query = 'SELECT id FROM grants WHERE account = ? AND grantee = ?'
  const known = [...sql.exec<{ id: string }>(query, account, grantee)][0]
  if (known !== undefined) {
    const message = `The account is shared with that one already, by ${known.id}`
    throw new HttpError(409, 'already_granted', message)
  }
  sql.exec(
    'INSERT INTO grants (id, account, grantee, tools, created_at) VALUES (?, ?, ?, ?, ?)',
    id,
    account,
    grantee,
    tools === undefined ? null : JSON.stringify(tools),
    now,
  )
  noteGrantee(sql, grantee)
}

/** Takes a grant away. */
export function removeGrant(sql: SqlStorage, { id, to }: GrantRecord): void {
  sql.exec('DELETE FROM grants WHERE id = ?', id)
  noteGrantee(sql, formatGrantee(to))
}

/** Takes all grants of an account away; true where one was to everybody. */
export function dropGrantsOf(sql: SqlStorage, account: string): boolean {
  const query = 'DELETE FROM grants WHERE account = ? RETURNING grantee'
  const gone = sql.exec<{ grantee: string }>(query, account).toArray()
  for (const { grantee } of gone) noteGrantee(sql, grantee)
  return gone.some(({ grantee }) => grantee === EVERYBODY)
}

/** Takes all grants to a principal away that goes. */
export function dropGrantsTo(sql: SqlStorage, principal: string): void {
  sql.exec('DELETE FROM grants WHERE grantee = ?', principal)
}

function noteGrantee(sql: SqlStorage, grantee: string): void {
  if (grantee !== EVERYBODY) notePrincipal(sql, grantee)
}
