/**
 * The accounts that a principal sees, with all that a call or a person needs to know of them: its own,
 * those shared with it, and those everybody shares. An agent sees the organization's alone.
 */
import type { PrincipalKind } from './principals.ts'
import type { AccountRecord } from './account-rows.ts'
import { EVERYBODY } from './grants.ts'
import type { Seen } from './choose-account.ts'

/** Who looks. */
export type Looking = { id: string; kind: PrincipalKind }

export type SeenAccount = Seen & {
  server: string
  identity: string | null
  owner: string | null
  /** Whether it is the looking principal's own. */
  own: boolean
}

/** The accounts by alias, of one server or of all. */
export function seenAccounts(
  sql: SqlStorage,
  { id: principal, kind }: Looking,
  server?: string,
): SeenAccount[] {
  type Row = Omit<AccountRecord, 'createdAt' | 'updatedAt'> & {
    granted: number
    tools: string | null
  }
  const rows = sql
    .exec<Row>(
      `SELECT a.id, a.server, a.owner, a.alias, a.identity, a.state, 0 AS granted, NULL AS tools
         FROM accounts a WHERE a.owner = ?1 AND (?2 IS NULL OR a.server = ?2)
       UNION ALL
       SELECT a.id, a.server, a.owner, a.alias, a.identity, a.state, 1 AS granted, g.tools
         FROM grants g JOIN accounts a ON a.id = g.account
         WHERE g.grantee IN (?1, ?3) AND (?2 IS NULL OR a.server = ?2)
       ORDER BY server, alias`,
      principal,
      server ?? null,
      EVERYBODY,
    )
    .toArray()
    .filter(({ owner }) => kind === 'member' || owner === null)
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const { granted: _, tools: _t, ...account } = first
    const grants = [first, ...others].map(({ tools }): string[] | undefined =>
      tools === null ? undefined : JSON.parse(tools),
    )
    return [{ ...account, own: account.owner === principal, grants }]
  })
}

/** The tools that an account is seen for, of all its grants; null for all of them. */
export function toolsOf({ grants }: Pick<Seen, 'grants'>): string[] | null {
  const lists = grants.filter((tools) => tools !== undefined)
  return lists.length < grants.length ? null : [...new Set(lists.flat())].toSorted()
}
