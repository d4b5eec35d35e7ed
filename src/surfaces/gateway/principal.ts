/** A caller as its organization has it now, for what must not be older than something else is known to be. */
import type { GatewayCaller } from '../../callers/caller.ts'
import { parsePrincipal } from '../../callers/principal.ts'
import { organizationOf } from '../../objects/resident.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { principalName } from '../platform.ts'
import { retrying } from '../retrying.ts'
import { deadCaller } from './caller.ts'
import { siteAtLeast, type Site } from './site.ts'

type Asking = Pick<Site, 'platform' | 'caller' | 'environment'>

/** The caller with its newest principal; 401 once its credential is dead, 403 while that is suspended. */
export async function newestCaller(asking: Asking): Promise<GatewayCaller> {
  return (await identify(asking)).caller
}

/** The site with its newest principal, and its gateway as the organization has it now. */
export async function newestSite(site: Site): Promise<Site> {
  const { caller, surface } = await identify(site)
  return siteAtLeast(site, caller, surface)
}

/** The caller with its principal at a version or a newer one. */
export async function callerAtLeast(asking: Asking, version: number): Promise<GatewayCaller> {
  const { caller } = asking
  return caller.principal.version >= version ? caller : newestCaller(asking)
}

async function identify({ platform, caller, environment }: Asking) {
  const { env, principals } = platform
  const { organization, id } = caller.principal
  const { credential } = caller
  const who = { credential: credential.id, principal: id, person: credential.person }
  const identified = await retrying(async () =>
    valueOf(await organizationOf(env, organization).identify(who)),
  )
  const read = identified && parsePrincipal(identified.principal)
  if (identified === undefined || read === undefined) {
    throw deadCaller(platform, credential, environment)
  }
  principals.remember(principalName(organization, id), read.value, read.bytes)
  return { caller: { ...caller, principal: read.value }, surface: identified.surface }
}
