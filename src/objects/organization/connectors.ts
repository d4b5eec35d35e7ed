/**
 * The connectors of the gateway as a principal has them (`surfaces.md` D11): what its list has of them,
 * and what that would have once there is an account.
 */
import { parsePrincipal } from '../../callers/principal.ts'
import { capabilityOf } from '../../catalog/server.ts'
import { withheldOnGateway } from '../../visibility/gateway.ts'
import { hasTool } from './choose-account.ts'
import type { Context } from './context.ts'
import { requireEnvironment } from './environments.ts'
import { formatPrincipal } from './principals.ts'
import { seenAccounts, toolsOf, type Looking, type SeenAccount } from './seen-accounts.ts'
import { requireServer } from './servers.ts'
import { readSurface } from './surface.ts'
import { allTools } from './tools.ts'

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

/** The connectors in the order of ids; in an environment, those that it has. */
export function describeConnectors(
  { sql, organization }: Pick<Context, 'sql' | 'organization'>,
  looking: Looking,
  environment?: string,
): Connector[] {
  const principal = parsePrincipal(formatPrincipal(sql, organization, looking.id))?.value
  if (principal === undefined) return []
  const surface = readSurface(sql)
  const view = { surface, principal, environment }
  const all = environment === undefined ? undefined : requireEnvironment(sql, environment).entries
  const accounts = Map.groupBy(seenAccounts(sql, looking), ({ server }) => server)
  return surface.capabilities
    .filter(({ account }) => account === 'required')
    .flatMap((capability): Connector[] => {
      const { id, server } = capability
      const entries = all?.filter((entry) => entry.server === server)
      if (entries?.length === 0) return []
      const seen = (accounts.get(server) ?? []).filter(
        (account) =>
          entries?.every((entry) => (entry.account ?? account.id) !== account.id) !== true,
      )
      const isShown = (operation: string) => {
        const reason = withheldOnGateway({ capability, operation }, view)
        return reason === undefined || (reason === 'no_account' && hasTool(entries, operation))
      }
      const tools = allTools(sql, server).filter(({ status }) => status === 'active')
      const shown = tools.filter(({ name }) => isShown(name))
      // One without tools, such as was not read yet, is there unless it is off as a whole.
      if (shown.length === 0 && (tools.length > 0 || !isShown(''))) return []
      const { name } = requireServer(sql, server).settings
      const described = { id, server, name, status: statusOf(seen), tool_count: shown.length }
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
