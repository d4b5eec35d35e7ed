/**
 * Who asks the gateway, and what of it is theirs: found for a request, and found again when something
 * has changed. A list and a call are answered from the same `Site`.
 */
import type { Caller, GatewayCaller } from '../../callers/caller.ts'
import type { Gateway } from '../../catalog/gateway.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { requireSlots } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'
import { gatewayAtLeast, requireGateway, visibleTools } from './gateways.ts'

const ENVIRONMENT = /^[A-Za-z0-9_-]{1,64}$/

export type Site = {
  platform: Platform
  visit: Visit
  gateway: Gateway
  caller: GatewayCaller
  /** Of the key, or else of the path (`surfaces.md` C54). */
  environment: string | undefined
  /** The caller as methods know one: by its credential, with the names it sees. */
  shown: Caller & { tools: NonNullable<Caller['tools']> }
}

/** What a caller sees at a path; 404 for an environment that its organization has not. */
export async function requireSite(
  platform: Platform,
  visit: Visit,
  caller: GatewayCaller,
  environment: string | undefined,
): Promise<Site> {
  const gateway = await requireGateway(platform, visit, caller.principal.organization)
  const chosen = caller.credential.environment ?? environment
  requireEnvironment(gateway, chosen)
  return siteOf(platform, visit, { gateway, caller, environment: chosen })
}

/** The site with its gateway and its principal no older than these. */
export async function siteAtLeast(
  { platform, visit, environment, ...site }: Site,
  caller: GatewayCaller,
  revision: number,
): Promise<Site> {
  const { organization } = caller.principal
  const gateway =
    site.gateway.revision >= revision
      ? site.gateway
      : await gatewayAtLeast(platform, visit, { organization, revision })
  requireEnvironment(gateway, environment)
  return siteOf(platform, visit, { gateway, caller, environment })
}

/** Takes a slot of the credential's, where the deployment has a limit: one a request (C42). */
export async function takeGatewaySlot({ platform, shown }: Site): Promise<void> {
  const { GATEWAY_LIMIT } = platform.settings
  if (GATEWAY_LIMIT === undefined) return
  await requireSlots(platform, `gateway ${shown.id}`, GATEWAY_LIMIT)
}

function siteOf(
  platform: Platform,
  visit: Visit,
  { gateway, caller, environment }: Pick<Site, 'gateway' | 'caller' | 'environment'>,
): Site {
  const { credential, principal } = caller
  const tools = visibleTools(platform, gateway, { principal, environment })
  const shown = { id: credential.id, tools, expiresAtMs: credential.expiresAtMs }
  return { platform, visit, gateway, caller, environment, shown }
}

function requireEnvironment({ surface }: Gateway, name: string | undefined): void {
  if (name === undefined) return
  if (ENVIRONMENT.test(name) && Object.hasOwn(surface.environments, name)) return
  throw new HttpError(404, 'environment_not_found', 'There is no environment of this name')
}
