/**
 * Running a call that the organization has authorized: the tool's server serves it as on its own
 * endpoint, from its own catalog, with the account that was chosen.
 */
import { Catalog } from '../../catalog/catalog.ts'
import type { Exchange } from '../../methods/exchange.ts'
import { finish } from '../../methods/finish.ts'
import { optionsOf } from '../../methods/finish-options.ts'
import type { CallExchange } from '../../methods/found-call.ts'
import { prepareCall } from '../../methods/tools-call.ts'
import type { AuthorizedCall } from '../../objects/organization/authorize-call.ts'
import type { Params } from '../../protocol/json-rpc.ts'
import { hopsOf } from '../hops.ts'
import { PERIOD_SECONDS, takeSlot } from '../limits.ts'
import { commonExchange, serverAtLeast } from '../serving.ts'
import type { ServerTool } from './authorize-call.ts'
import type { Site } from './site.ts'

export type Calling = Pick<Exchange, 'revision' | 'clientCapabilities' | 'talk'>

export type Run = {
  authorized: AuthorizedCall
  /** With the tool's own arguments. */
  params: Params
  /** Absent where it is not by the request itself that the tool was called. */
  headers?: Headers
  /** Whether a person allows just this call. */
  isAllowed?: boolean
}

/** The result of a call; `not found` where the tool is not there any more, and nothing ran. */
export async function runTool(
  site: Site,
  { capability, operation }: ServerTool,
  { authorized, params, headers, isAllowed = false }: Run,
  calling: Calling,
): Promise<Readonly<Record<string, unknown>> | 'not found'> {
  const catalog = await catalogAt(site, capability.server, authorized.revision)
  if (catalog?.find('tools', operation) === undefined) return 'not found'
  const exchange = {
    ...exchangeOf(site, catalog),
    ...calling,
    params: { ...params, name: operation },
    headers,
    account: authorized.account,
    isAllowed,
  } satisfies CallExchange
  return finish(await prepareCall(exchange), optionsOf(exchange))
}

/** The catalog of a server that is served, at a revision or a newer one. */
async function catalogAt({ platform, visit, caller }: Site, id: string, revision: number) {
  const { organization } = caller.principal
  const server = await serverAtLeast(platform, visit, { id, organization, revision })
  return server instanceof Catalog && server.settings.status === 'active' ? server : undefined
}

/** What a call is given of the gateway; who may call has been decided. */
function exchangeOf(site: Site, catalog: Catalog) {
  const { platform, visit, shown, environment } = site
  return {
    ...commonExchange(platform, visit, catalog, environment),
    hops: hopsOf(visit.request.headers),
    caller: { ...shown, tools: undefined },
    takeCall: async (tool, perMinute) => {
      const key = `tool ${catalog.id} ${tool} key ${shown.id}`
      return (await takeSlot(platform, key, perMinute)) ? undefined : PERIOD_SECONDS
    },
    verified: async () => catalog,
    catalogAt: async () => undefined, // nothing is listed by pages here
  } satisfies Partial<Exchange>
}
