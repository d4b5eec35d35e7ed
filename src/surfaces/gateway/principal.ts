/** A principal no older than something else is known to be. */
import type { Principal } from '../../callers/principal.ts'
import { principalName, type Platform, type Visit } from '../platform.ts'
import { requireActive } from '../principals.ts'
import { principalSource } from '../sources.ts'
import { deadCaller } from './caller.ts'

/** The principal as its organization has it now; 401 once it is gone, 403 while it is suspended. */
export async function newestPrincipal(
  platform: Platform,
  visit: Visit,
  { organization, id }: Principal,
): Promise<Principal> {
  const read = await principalSource(platform, visit, { organization, id }).origin(id)
  if (read !== undefined) {
    platform.principals.remember(principalName(organization, id), read.value, read.bytes)
  }
  if (read === undefined || read.value === 'gone') throw deadCaller()
  requireActive(read.value)
  return read.value
}

/** The principal at a version or a newer one. */
export async function principalAtLeast(
  platform: Platform,
  visit: Visit,
  principal: Principal,
  version: number,
): Promise<Principal> {
  return principal.version >= version ? principal : newestPrincipal(platform, visit, principal)
}
