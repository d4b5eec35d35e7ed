/** Members and agents as the edge knows them, and the tokens that stand for members. */
import { verifyAccessToken, type AccessToken } from '../callers/oauth.ts'
import { KeysUnavailable } from '../callers/issuer-keys.ts'
import type { Principal } from '../callers/principal.ts'
import type { SessionKey } from '../callers/session-jwt.ts'
import { Unavailable } from '../memory/lookup.ts'
import type { Owned } from '../objects/directory.ts'
import { HttpError } from '../protocol/http-error.ts'
import { forgetMemberships, principalName, type Platform, type Visit } from './platform.ts'
import { membershipSource, principalSource } from './sources.ts'

/** A principal of an organization; undefined where there is none, or no longer. */
export async function findPrincipal(
  platform: Platform,
  visit: Visit,
  organization: string,
  id: string,
): Promise<Principal | undefined> {
  const name = principalName(organization, id)
  const { value } =
    platform.principals.fresh(name) ??
    (await platform.principals.find(
      name,
      principalSource(platform, visit, { organization, id }),
      visit.waitUntil,
    ))
  return value === 'gone' ? undefined : value
}

/** Throws 403 where a principal is suspended. */
export function requireActive({ status, kind }: Principal): void {
  if (status === 'active') return
  throw new HttpError(403, `${kind}_suspended`, `This ${kind} is suspended`)
}

/** What session JWTs are signed and checked with; undefined where the deployment has none. */
export function sessionKeyOf({ settings }: Platform): SessionKey | undefined {
  const { SESSION_JWT_SECRET: secret, PUBLIC_URL: issuer = 'rollcall' } = settings
  return secret === undefined ? undefined : { secret, issuer }
}

/** What an access token says, for a resource; undefined for one that is not good there. */
export async function findToken(
  { settings, issuerKeys }: Platform,
  { waitUntil }: Visit,
  token: string,
  resource: string,
): Promise<AccessToken | undefined> {
  const issuers = settings.OAUTH_ISSUERS
  const now = Date.now()
  try {
    return await verifyAccessToken(token, { issuers, keys: issuerKeys, resource, now, waitUntil })
  } catch (error) {
    if (!(error instanceof KeysUnavailable)) throw error
    throw new Unavailable('the keys of an issuer cannot be had', { cause: error })
  }
}

/** The organizations that a person is a member of, by id, each with the member's id. */
export async function membershipsOf(
  platform: Platform,
  visit: Visit,
  /** The hash of its external id. */
  person: string,
): Promise<readonly Owned[]> {
  const source = membershipSource(platform)
  const { value } = await platform.memberships.find(person, source, visit.waitUntil)
  return value ?? []
}

/** The member that a membership is of. One that is no longer there is looked for anew the next time. */
export async function findMember(
  platform: Platform,
  visit: Visit,
  /** The hash of its external id. */
  person: string,
  { owner, target }: Owned,
): Promise<Principal | undefined> {
  const member = await findPrincipal(platform, visit, owner, target)
  if (member === undefined) forgetMemberships(platform, person)
  return member
}
