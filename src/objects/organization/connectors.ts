/** The connectors of the gateway as a principal has them (`surfaces.md` D11). */
import { capabilityOf } from '../../catalog/server.ts'
import { readSurface } from './surface.ts'
import { requireEnvironment } from './environments.ts'
import { hasTool } from './choose-account.ts'
import { allTools } from './tools.ts'
import { seenAccounts, toolsOf, type Looking, type SeenAccount } from './seen-accounts.ts'
import { requireServer } from './servers.ts'

export type ConnectorStatus = 'connected' | 'needs_reauth' | 'not_connected'

export type Connector = {
  /** The capability. */
  id: string
  server: string
  name: string
  status: ConnectorStatus
  tool_count: number
  accounts: {
    alias: string
    identity: string | null
    status: 'connected' | 'needs_reauth'
    /** Whether it is the caller's own. */
    member_scope: boolean
    tools: string[] | null
  }[]
}

/** Every connector in the order of ids; in an environment, those that it has. */
export function describeConnectors(
  sql: SqlStorage,
  looking: Looking,
  environment?: string,
): Connector[] {
  const all = environment === undefined ? undefined : requireEnvironment(sql, environment).entries
  const accounts = Map.groupBy(seenAccounts(sql, looking), ({ server }) => server)
  return readSurface(sql)
    .capabilities.filter(({ account }) => account === 'required')
    .flatMap(({ id, server }): Connector[] => {
      const entries = all?.filter((entry) => entry.server === server)
      if (entries?.length === 0) return []
      const seen = (accounts.get(server) ?? []).filter(
        (account) =>
          entries?.every((entry) => (entry.account ?? account.id) !== account.id) !== true,
      )
      const tools = allTools(sql, server).filter(
        ({ name, status }) => status === 'active' && hasTool(entries, name),
      )
      const { name } = requireServer(sql, server).settings
      const described = { id, server, name, status: statusOf(seen), tool_count: tools.length }
      return [{ ...described, accounts: seen.map(formatAccount) }]
    })
}

/** An account in a list of them, with the connector it is of. */
export type ListedAccount = Omit<SeenAccount, 'grants' | 'owner'> & {
  /** The capability; the slug of a server that is not on the gateway. */
  connector: string
  tools: string[] | null
}

/** Every account that a principal sees. */
export function listSeenAccounts(sql: SqlStorage, looking: Looking): ListedAccount[] {
  return seenAccounts(sql, looking).map(({ grants, owner: _, ...account }) => {
    const { settings } = requireServer(sql, account.server)
    const connector = capabilityOf(settings) ?? settings.slug
    return { ...account, connector, tools: toolsOf({ grants }) }
  })
}

function formatAccount(account: SeenAccount): Connector['accounts'][number] {
  const { alias, identity, state: status, own } = account
  return { alias, identity, status, member_scope: own, tools: toolsOf(account) }
}

function statusOf(seen: readonly SeenAccount[]): ConnectorStatus {
  if (seen.length === 0) return 'not_connected'
  return seen.some(({ state }) => state === 'connected') ? 'connected' : 'needs_reauth'
}
