/**
 * Who a key or a session stands for, as its organization says: it is asked each time, so who was
 * demoted, suspended or revoked is so at once. Which kinds a surface takes is the surface's.
 */
import type { Actor } from '../callers/may.ts'
import { parsePrincipal } from '../callers/principal.ts'
import { organizationOf } from '../objects/resident.ts'
import { valueOf } from '../protocol/http-error.ts'
import { findKey } from './keys.ts'
import type { Platform, Visit } from './platform.ts'

/** What a credential says of itself, before its organization was asked. */
export type Claimed = {
  organization: string
  credential: string
  principal: string
  kind: 'member' | 'agent' | 'session'
  /** Who has signed in, where a session says so. */
  person?: string | undefined
}

/** What a key claims; undefined for one that is no principal's, unknown, revoked or expired. */
export async function claimOfKey(
  platform: Platform,
  visit: Visit,
  secret: string,
): Promise<Claimed | undefined> {
  const key = await findKey(platform, visit, secret)
  if (key === undefined || key.kind === 'server') return undefined
  const { id: credential, organization, principal, kind } = key
  return { organization, credential, principal, kind }
}

/** Who it is; undefined where it opens nothing any more, 403 for who is suspended. */
export async function identify(platform: Platform, claimed: Claimed): Promise<Actor | undefined> {
  const { organization, credential, principal, kind, person } = claimed
  const stub = organizationOf(platform.env, organization)
  const outcome = await stub.identify({ credential, principal, person })
  // An organization that has gone has no callers.
  if ('refusal' in outcome && outcome.refusal.status === 404) return undefined
  const identified = valueOf(outcome)
  const found = identified && parsePrincipal(identified.principal)?.value
  return found && { principal: found, credentialKind: kind }
}
