/**
 * Running a held call that a person approved (`surfaces.md` C48): begun once in the organization, which
 * decides it anew, then run with the arguments that were approved, then told. The run belongs to nobody
 * who may leave: it goes on, and its result is kept for whoever waits next.
 */
import { logError } from '../../protocol/log.ts'
import { projectResult } from '../../methods/project-result.ts'
import type { Begun } from '../../objects/organization/held-commands.ts'
import { surfaceChannelOf, organizationOf } from '../../objects/resident.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { RpcError } from '../../protocol/json-rpc.ts'
import { CallToolResult } from '../../protocol/tool.ts'
import { retrying } from '../retrying.ts'
import { refuse, toRun } from './authorize-call.ts'
import { endResult } from './held-result.ts'
import { runTool, type Calling } from './run-tool.ts'
import type { Site } from './site.ts'
import { refusalResult } from './tool-refusal.ts'

/** The result of a held call that is run now; undefined where it is not approved, or runs already. */
export async function runHeld(
  site: Site,
  id: string,
  calling: Calling,
): Promise<CallToolResult | undefined> {
  const { platform, visit, caller } = site
  const { credential, principal } = caller
  const run = crypto.randomUUID()
  const stub = () => organizationOf(platform.env, principal.organization)
  const who = { credential: credential.id, principal: principal.id, person: credential.person }
  const begun = await retrying(async () => valueOf(await stub().beginHeld({ ...who, id, run })))
  if (begun === 'taken') return undefined
  if ('refused' in begun) return refusedResult(site, begun.refused)
  const ending = async () => {
    const result = await outcomeOf(site, begun, calling)
    const bytes = result && new TextEncoder().encode(JSON.stringify(result))
    try {
      await retrying(async () => valueOf(await stub().finishHeld({ id, run, result: bytes })))
      await surfaceChannelOf(platform.env, principal.organization).nudgePrincipal(principal.id)
    } catch (error) {
      logError(`the end of the held call ${id} could not be told`, error)
    }
    return result ?? endResult(id, 'unknown')
  }
  const work = ending()
  visit.waitUntil(work)
  return work
}

/** What came of a run; undefined where nobody knows what it has done. */
async function outcomeOf(
  asking: Site,
  { authorized, server, tool, name, environment, args }: Begun,
  { revision, talk }: Calling,
): Promise<CallToolResult | undefined> {
  try {
    const chosen = asking.caller.credential.environment ?? environment ?? undefined
    const run = await toRun({ ...asking, environment: chosen }, name, authorized)
    if (run === 'not found') return notThere(name)
    if ('refused' in run) return refusalResult(run.refused)
    const { gateway } = run.site
    const capability = gateway.surface.capabilities.find((one) => one.server === server)
    if (gateway.tools.get(name)?.operation !== tool || !capability) return notThere(name)
    const params = { arguments: JSON.parse(new TextDecoder().decode(args)) }
    const result = await runTool(
      run.site,
      { capability, operation: tool },
      { authorized: run.authorized, params, isAllowed: true },
      // Who waits is not asked anything, and may leave.
      { revision, clientCapabilities: {}, talk: talk && { ...talk, signal: undefined } },
    )
    return result === 'not found'
      ? notThere(name)
      : projectResult(CallToolResult.parse(result), revision)
  } catch (error) {
    // Said of a call that did not run, or as the tool's own answer to one that did.
    if (error instanceof HttpError) return refusalResult(error)
    if (error instanceof RpcError)
      return refusalResult({ code: 'call_failed', message: error.message })
    logError('a held call was lost', error)
    return undefined
  }
}

function refusedResult(site: Site, refused: Parameters<typeof refuse>[1]): CallToolResult {
  const decided = refuse(site, refused)
  return decided === 'not found' ? notThere('') : refusalResult(refused)
}

function notThere(name: string): CallToolResult {
  return refusalResult({ code: 'tool_not_found', message: `Tool not found: ${name}` })
}
