/**
 * The organization's own word on a call, asked for each: who may make it and with which account. What
 * the edge remembers may be a minute old, so the site is brought up to what the answer names, and the
 * tool has to be there still (`design.md` §2).
 */
import type { GatewayTool } from '../../catalog/gateway.ts'
import type { Capability } from '../../catalog/surface.ts'
import type { AuthorizedCall } from '../../objects/organization/authorize-call.ts'
import { freshAccount } from '../../objects/fresh-account.ts'
import { organizationOf } from '../../objects/resident.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { logError } from '../../protocol/log.ts'
import { deadCaller } from './caller.ts'
import { callerAtLeast } from './principal.ts'
import { siteAtLeast, type Site } from './site.ts'
import type { ToolRefusal } from './tool-refusal.ts'

/** Refusals of who asks rather than of what is asked for: they are the whole request's (C39). */
const STATUSES: ReadonlyMap<string, number> = new Map([
  ['agent_suspended', 403],
  ['member_suspended', 403],
  ['org_suspended', 403],
  ['environment_not_found', 404],
])

export type ServerTool = GatewayTool & { capability: Capability }

export type Decided =
  | { authorized: AuthorizedCall }
  | { refused: ToolRefusal }
  /** The id of the call, which waits for a person now. */
  | { held: string }
  | 'not found'
  /** The organization could not be asked: the call did not run. */
  | 'unknown'

/** Decides a call of a visible tool of a server, and counts or holds it. */
export async function authorizeCall(
  site: Site,
  { capability, operation }: ServerTool,
  call: { name: string; account: string | undefined; args: Readonly<Record<string, unknown>> },
): Promise<Decided> {
  const { platform, caller, environment, gateway } = site
  const { credential, principal } = caller
  const { name, account } = call
  const stub = organizationOf(platform.env, principal.organization)
  const ask = async (withArguments: boolean) =>
    valueOf(
      await stub.authorizeCall({
        credential: credential.id,
        principal: principal.id,
        person: credential.person,
        server: capability.server,
        tool: operation,
        name,
        account,
        environment,
        ...(withArguments && { args: encodeUtf8(JSON.stringify(call.args)) }),
      }),
    )
  try {
    const first = await ask(gateway.surface.features.approvals)
    // The feature is on since a moment ago: its rules have to see the arguments.
    const decided = first === 'needs arguments' ? await ask(true) : first
    if (decided === 'needs arguments') throw new Error('arguments were sent, and are needed still')
    if ('refused' in decided) return refuse(site, decided.refused)
    if ('held' in decided) return decided
    const run = await toRun(site, name, decided)
    if (run === 'not found' || 'refused' in run) return run
    return { authorized: run.authorized }
  } catch (error) {
    if (error instanceof HttpError) throw error
    logError('a call could not be authorized', error)
    return 'unknown'
  }
}

/**
 * The site no older than what the organization decided by, where the tool has to be still, and the
 * account of the call with a token that lasts.
 */
export async function toRun(
  site: Site,
  name: string,
  decided: AuthorizedCall,
): Promise<{ site: Site; authorized: AuthorizedCall } | { refused: ToolRefusal } | 'not found'> {
  const { platform, caller } = site
  const current = await callerAtLeast(site, decided.version)
  const now = await siteAtLeast(site, current, decided.surface)
  if (!now.shown.tools.names.has(name)) return 'not found'
  if (decided.account === undefined) return { site: now, authorized: decided }
  const { organization } = caller.principal
  const stub = organizationOf(platform.env, organization)
  const refreshing = { world: platform.world, organization, stub }
  const fresh = await freshAccount(refreshing, decided.account)
  return 'refused' in fresh ? fresh : { site: now, authorized: { ...decided, ...fresh } }
}

/** What a refusal of the organization is here: some are the whole request's. */
export function refuse({ platform, caller, environment }: Site, refused: ToolRefusal): Decided {
  if (refused.code === 'tool_not_found') return 'not found'
  if (refused.code === 'invalid_api_key') throw deadCaller(platform, caller.credential, environment)
  const status = STATUSES.get(refused.code)
  if (status !== undefined) throw new HttpError(status, refused.code, refused.message)
  return { refused }
}
