/**
 * The accounts that a principal sees of itself: a member's own, and those that were shared with it.
 * What everybody shares is on the surface. An agent sees organization accounts alone.
 */
import type { VisibleAccount } from '../../callers/principal.ts'
import { HttpError } from '../../protocol/http-error.ts'

const MAX_VISIBLE_BYTES = 512 * 1024 // every list of the principal reads them

/** What is published with a principal, in the order of ids. */
export function visibleAccounts(
  sql: SqlStorage,
  principalId: string,
  kind: 'member' | 'agent',
): VisibleAccount[] {
  type Row = { account: string; server: string; owner: string | null; tools: string | null }
  return sql
    .exec<Row>(
      `SELECT a.id AS account, a.server, a.owner, g.tools FROM accounts a
         LEFT JOIN grants g ON g.account = a.id AND g.grantee = ?1
       WHERE a.id IN (SELECT account FROM grants WHERE grantee = ?1
                      UNION SELECT id FROM accounts WHERE owner = ?1)
       ORDER BY a.id`,
      principalId,
    )
    .toArray()
    .filter(({ owner }) => kind === 'member' || owner === null)
    .map(({ account, server, owner, tools }) => ({
      account,
      server,
      own: owner === principalId,
      ...(tools !== null && { tools: JSON.parse(tools) }),
    }))
}

/** Throws 413 where a principal sees more accounts than can be published with it. */
export function requireFits(sql: SqlStorage, principal: string): void {
  const accounts = visibleAccounts(sql, principal, 'member')
  if (JSON.stringify(accounts).length <= MAX_VISIBLE_BYTES) return
  const message = `${principal} would see too many accounts, or too many tools of them`
  throw new HttpError(413, 'too_many_accounts', message)
}
