/**
 * `tools/call` on the gateway (`surfaces.md` C8–C12, C43, D15). A tool is found through the same decision
 * as the list; its server's own catalog then serves it as on its endpoint, with the account that the
 * organization has chosen.
 */
import { Catalog } from '../../catalog/catalog.ts'
import { MANAGE } from '../../catalog/gateway.ts'
import { ACCOUNT_ARGUMENT, takesAccount } from '../../catalog/surface-items.ts'
import { entryOf } from '../../methods/call-entry.ts'
import { completed, type Exchange, type Result } from '../../methods/exchange.ts'
import { finish } from '../../methods/finish.ts'
import { optionsOf } from '../../methods/finish-options.ts'
import { projectResult } from '../../methods/project-result.ts'
import { prepareCall, requireCall, UNCHECKED } from '../../methods/tools-call.ts'
import { INVALID_PARAMS, RpcError, type Params } from '../../protocol/json-rpc.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { PERIOD_SECONDS, takeSlot } from '../limits.ts'
import { commonExchange, serverAtLeast } from '../serving.ts'
import { serverSource } from '../sources.ts'
import { authorizeCall, type ServerTool } from './authorize-call.ts'
import { callOwnTool } from './manage/call-own-tool.ts'
import type { Site } from './site.ts'
import { refusalResult } from './tool-refusal.ts'

export type Calling = Pick<Exchange, 'revision' | 'clientCapabilities' | 'talk'>

type Arguments = Readonly<Record<string, unknown>>

/** Answers a call; one of a tool that is not listed is answered like one of a made-up name. */
export async function callTool(site: Site, params: Params, calling: Calling): Promise<Result> {
  const { name, args } = requireCall({ params })
  const isListed = site.shown.tools.names.has(name)
  const tool = isListed ? site.gateway.tools.get(name) : undefined
  if (tool === undefined) throw notFound(name)
  const { capability, operation } = tool
  const result =
    capability === MANAGE
      ? await callManageTool(site, { name, operation, args }, calling)
      : await callServerTool(site, { capability, operation }, { name, args, params }, calling)
  return completed({ revision: calling.revision, catalog: site.gateway.catalog }, result)
}

async function callManageTool(
  site: Site,
  { name, operation, args }: { name: string; operation: string; args: Arguments },
  { revision }: Calling,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await callOwnTool(site, operation, args)
  if (result === 'not found') throw notFound(name)
  return projectResult(result, revision)
}

async function callServerTool(
  site: Site,
  tool: ServerTool,
  { name, args, params }: { name: string; args: Arguments; params: Params },
  calling: Calling,
): Promise<Readonly<Record<string, unknown>>> {
  const { capability, operation } = tool
  const at = Date.now()
  const refuse = (result: CallToolResult) => {
    const subject = { ...subjectOf(site, tool), tool: operation }
    site.platform.calls.add(entryOf(subject, at, { result }), site.visit.waitUntil)
    return projectResult(result, calling.revision)
  }
  const { account, rest } = await takeAccount(site, tool, args)
  if (account !== undefined && typeof account !== 'string') {
    return refuse(failure(`Invalid arguments for ${name}:\n${ACCOUNT_ARGUMENT}: must be a string`))
  }
  const decided = await authorizeCall(site, name, tool, account)
  if (decided === 'not found') throw notFound(name)
  if (decided === 'unknown') return refuse(failure(UNCHECKED))
  if ('refused' in decided) return refuse(refusalResult(decided.refused))
  const { authorized } = decided
  const catalog = await catalogAt(site, capability.server, authorized.revision)
  if (catalog?.find('tools', operation) === undefined) throw notFound(name)
  const exchange: Exchange = {
    ...exchangeOf(site, catalog),
    ...calling,
    params: { ...params, name: operation, arguments: rest },
    account: authorized.account,
  }
  return finish(await prepareCall(exchange), optionsOf(exchange))
}

/** The alias that a call names, and the arguments that are the tool's own. */
async function takeAccount(site: Site, { capability, operation }: ServerTool, args: Arguments) {
  if (capability.account === 'none' || !Object.hasOwn(args, ACCOUNT_ARGUMENT)) return { rest: args }
  const { platform, visit } = site
  const source = serverSource(platform, visit)
  const { value } = await platform.servers.find(capability.server, source, visit.waitUntil)
  const item = value instanceof Catalog ? value.find('tools', operation) : undefined
  const isOurs =
    item === undefined || takesAccount((value as Catalog).callable(item).tool.inputSchema)
  const { [ACCOUNT_ARGUMENT]: account, ...rest } = args
  return isOurs ? { account, rest } : { rest: args }
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
    caller: { ...shown, tools: undefined },
    takeCall: async (tool, perMinute) => {
      const key = `tool ${catalog.id} ${tool} key ${shown.id}`
      return (await takeSlot(platform, key, perMinute)) ? undefined : PERIOD_SECONDS
    },
    verified: async () => catalog,
    catalogAt: async () => undefined, // nothing is listed by pages here
  } satisfies Partial<Exchange>
}

function subjectOf({ caller, shown }: Site, { capability }: ServerTool) {
  return {
    organization: caller.principal.organization,
    server: capability.server,
    caller: shown.id,
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function notFound(name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Tool not found: ${name}`)
}
