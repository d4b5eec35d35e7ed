/**
 * The organization's own word on a call, asked for each: who may make it and with which account. What
 * the edge remembers may be a minute old, so the site is brought up to what the answer names, and the
 * tool has to be there still (`design.md` §2).
 */
import type { GatewayTool } from '../../catalog/gateway.ts'
import type { Capability } from '../../catalog/surface.ts'
import type { AuthorizedCall } from '../../objects/organization/authorize-call.ts'
import { freshAccount } from '../../objects/fresh-account.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
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
  | 'not found'
  /** The organization could not be asked: the call did not run. */
  | 'unknown'

/** Decides a call of a visible tool of a server, and counts it. */
export async function authorizeCall(
  site: Site,
  name: string,
  { capability, operation }: ServerTool,
  account: string | undefined,
): Promise<Decided> {
  const { platform, caller, environment } = site
  const { credential, principal } = caller
  const stub = platform.env.ORGANIZATION.getByName(principal.organization)
  try {
    const decided = valueOf(
      await stub.authorizeCall({
        credential: credential.id,
        principal: principal.id,
        person: credential.person,
        server: capability.server,
        tool: operation,
        account,
        environment,
      }),
    )
    if ('refused' in decided) return refuse(site, decided.refused)
    const current = await callerAtLeast(site, decided.version)
    const now = await siteAtLeast(site, current, decided.surface)
    if (!now.shown.tools.names.has(name)) return 'not found'
    if (decided.account === undefined) return { authorized: decided }
    const { organization } = principal
    const refreshing = { world: platform.world, organization, stub }
    const fresh = await freshAccount(refreshing, decided.account)
    return 'refused' in fresh ? fresh : { authorized: { ...decided, ...fresh } }
  } catch (error) {
    if (error instanceof HttpError) throw error
    console.error('a call could not be authorized', error)
    return 'unknown'
  }
}

function refuse({ platform, caller, environment }: Site, refused: ToolRefusal): Decided {
  if (refused.code === 'tool_not_found') return 'not found'
  if (refused.code === 'invalid_api_key') throw deadCaller(platform, caller.credential, environment)
  const status = STATUSES.get(refused.code)
  if (status !== undefined) throw new HttpError(status, refused.code, refused.message)
  return { refused }
}
