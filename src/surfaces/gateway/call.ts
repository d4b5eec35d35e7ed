/**
 * `tools/call` on the gateway (`surfaces.md` C8–C12, C43, D15). A tool is found through the same decision
 * as the list; its server's own catalog then serves it as on its endpoint, with the account that the
 * organization has chosen.
 */
import { Catalog } from '../../catalog/catalog.ts'
import { MANAGE } from '../../catalog/gateway.ts'
import { ACCOUNT_ARGUMENT, takesAccount } from '../../catalog/surface-items.ts'
import { entryOf } from '../../methods/call-entry.ts'
import { completed, type Result } from '../../methods/exchange.ts'
import { projectResult } from '../../methods/project-result.ts'
import { UNCHECKED } from '../../methods/found-call.ts'
import { requireCall } from '../../methods/tools-call.ts'
import { INVALID_PARAMS, RpcError, type Params } from '../../protocol/json-rpc.ts'
import type { CallToolResult } from '../../protocol/tool.ts'
import { approvalLink } from '../approval-link.ts'
import { serverSource } from '../sources.ts'
import { authorizeCall, type ServerTool } from './authorize-call.ts'
import { APPROVAL_WAIT, heldResult } from './held-result.ts'
import { callOwnTool } from './manage/call-own-tool.ts'
import { newestSite } from './principal.ts'
import { runHeld } from './run-held.ts'
import { runTool, type Calling } from './run-tool.ts'
import type { Site } from './site.ts'
import { refusalResult } from './tool-refusal.ts'

type Arguments = Readonly<Record<string, unknown>>

/** Answers a call; one of a tool that is not listed is answered like one of a made-up name. */
export async function callTool(asked: Site, params: Params, calling: Calling): Promise<Result> {
  const { name, args } = requireCall({ params })
  // Whoever was held is told to wait at once, also where it is not known yet that calls are held.
  const isLate = name === APPROVAL_WAIT && !asked.shown.tools.names.has(name)
  const site = isLate ? await newestSite(asked) : asked
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
  calling: Calling,
): Promise<Readonly<Record<string, unknown>>> {
  const result = await callOwnTool(site, { operation, args }, (now, id) =>
    runHeld(now, id, calling),
  )
  if (result === 'not found') throw notFound(name)
  return projectResult(result, calling.revision)
}

async function callServerTool(
  site: Site,
  tool: ServerTool,
  { name, args, params }: { name: string; args: Arguments; params: Params },
  calling: Calling,
): Promise<Readonly<Record<string, unknown>>> {
  const { platform, visit } = site
  const at = Date.now()
  const refuse = (result: CallToolResult) => {
    platform.calls.add(entryOf(subjectOf(site, tool), at, { result }), visit.waitUntil)
    return projectResult(result, calling.revision)
  }
  const { account, rest } = await takeAccount(site, tool, args)
  if (account !== undefined && typeof account !== 'string') {
    return refuse(failure(`Invalid arguments for ${name}:\n${ACCOUNT_ARGUMENT}: must be a string`))
  }
  const decided = await authorizeCall(site, tool, { name, account, args: rest })
  if (decided === 'not found') throw notFound(name)
  if (decided === 'unknown') return refuse(failure(UNCHECKED))
  if ('refused' in decided) return refuse(refusalResult(decided.refused))
  if ('held' in decided) {
    const deciding = { platform, visit, organization: site.caller.principal.organization }
    // Never a link that decides by itself: a key is not to approve its own call.
    return refuse(heldResult(decided.held, await approvalLink(deciding, decided.held, undefined)))
  }
  const { authorized } = decided
  const run = { authorized, params: { ...params, arguments: rest }, headers: visit.request.headers }
  const result = await runTool(site, tool, run, calling)
  if (result === 'not found') throw notFound(name)
  return result
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

function subjectOf({ caller, shown }: Site, { capability, operation }: ServerTool) {
  return {
    organization: caller.principal.organization,
    server: capability.server,
    tool: operation,
    caller: shown.id,
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

function notFound(name: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Tool not found: ${name}`)
}
