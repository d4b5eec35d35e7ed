/**
 * With which account a call is made, or why with none (`surfaces.md` C9, C10, C43; D12). Pure: from the
 * accounts of the server that the caller sees, and what its environment has of it.
 */
import type { EnvironmentEntry } from '../../catalog/surface.ts'
import type { AccountState } from './account-rows.ts'

/** An account that a caller sees. */
export type Seen = {
  id: string
  alias: string
  state: AccountState
  /** The tools of each grant by which it is seen, undefined for all of them; an own one has all. */
  grants: readonly (readonly string[] | undefined)[]
}

export type AccountRefusal = {
  code: 'not_connected' | 'tool_not_granted' | 'needs_reauth' | 'ambiguous_account'
  message: string
  /** Of the accounts there are to choose from. */
  aliases?: string[]
}

/** What a call wants. */
export type Wanted = {
  /** The tool's name on its server. */
  tool: string
  /** The alias that the caller names. */
  alias: string | undefined
  /** The entries of the server in the environment; undefined where there is no environment. */
  entries: readonly EnvironmentEntry[] | undefined
}

/** The account of a call, or why there is none. */
export function chooseAccount(
  seen: readonly Seen[],
  wanted: Wanted,
): { account: string } | { refused: AccountRefusal } {
  const { alias, entries } = wanted
  const there = seen.filter(({ id }) => entriesOf(entries, id).length > 0)
  const named = alias === undefined ? there : there.filter((account) => account.alias === alias)
  if (named.length === 0) return refuse(notConnected(alias, there))
  const allowed = named.filter((account) => allows(account, wanted))
  const [first, ...others] = allowed
  if (first === undefined) {
    const whose = alias === undefined ? 'No account of yours' : `The account "${alias}" was not`
    const message = `${whose} ${alias === undefined ? 'was ' : ''}shared for the tool ${wanted.tool}`
    return refuse({ code: 'tool_not_granted', message })
  }
  if (allowed.every(({ state }) => state === 'needs_reauth')) {
    const message = `The account "${first.alias}" must be connected again before it can be used`
    return refuse({ code: 'needs_reauth', message, aliases: aliasesOf(allowed) })
  }
  if (others.length > 0) {
    const message =
      alias === undefined
        ? 'There are several accounts: name one by its alias in the argument "account"'
        : `There are several accounts "${alias}": one must be renamed before it can be chosen`
    return refuse({ code: 'ambiguous_account', message, aliases: aliasesOf(allowed) })
  }
  return { account: first.id }
}

/** Whether the entries of an environment have a tool of a server at all; always where there is none. */
export function hasTool(entries: readonly EnvironmentEntry[] | undefined, tool: string): boolean {
  return entries === undefined || entries.some(({ tools }) => includes(tools, tool))
}

function allows({ id, grants }: Seen, { tool, entries }: Wanted): boolean {
  const isGranted = grants.some((tools) => includes(tools, tool))
  return isGranted && entriesOf(entries, id).some(({ tools }) => includes(tools, tool))
}

const EVERYTHING: readonly Pick<EnvironmentEntry, 'tools'>[] = [{}]

function entriesOf(entries: readonly EnvironmentEntry[] | undefined, account: string) {
  if (entries === undefined) return EVERYTHING
  return entries.filter((entry) => entry.account === undefined || entry.account === account)
}

function includes(tools: readonly string[] | undefined, tool: string): boolean {
  return tools === undefined || tools.includes(tool)
}

function notConnected(alias: string | undefined, there: readonly Seen[]): AccountRefusal {
  if (alias === undefined || there.length === 0) {
    return { code: 'not_connected', message: 'There is no account to make this call with' }
  }
  const message = `There is no account "${alias}" to make this call with`
  return { code: 'not_connected', message, aliases: aliasesOf(there) }
}

function aliasesOf(accounts: readonly Seen[]): string[] {
  return accounts.map(({ alias }) => alias).toSorted()
}

function refuse(refused: AccountRefusal): { refused: AccountRefusal } {
  return { refused }
}
