/**
 * Who asks the gateway (`surfaces.md` C21, C22, C36, C41, D10, D12): a member or an agent by its key, a
 * member by a session JWT or an OAuth access token.
 */
import type { GatewayCaller } from '../../callers/caller.ts'
import { claimedIssuer, isJwt } from '../../callers/jwt.ts'
import { presentedSecret } from '../../callers/presented.ts'
import { externalHash } from '../../callers/principal.ts'
import { keyKindOf } from '../../callers/secret.ts'
import { verifySession } from '../../callers/session-jwt.ts'
import type { Owned } from '../../objects/directory.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { findKey } from '../keys.ts'
import { countFailedCredential } from '../limits.ts'
import { forgetMemberships, type Platform, type Visit } from '../platform.ts'
import {
  findMember,
  findPrincipal,
  findToken,
  membershipsOf,
  requireActive,
  sessionKeyOf,
} from '../principals.ts'
import { challenge, resourceOf } from '../resource-metadata.ts'

/** What people put a key under in a URL, where logs and histories keep it. */
const URL_CREDENTIALS: ReadonlySet<string> = new Set([
  'access_token',
  'api_key',
  'apikey',
  'x-api-key',
  'authorization',
  'token',
])

/** The path of the gateway, or of one of its environments. */
export function gatewayPath(environment: string | undefined): string {
  return environment === undefined ? '/mcp' : `/mcp/env/${environment}`
}

/**
 * The caller of a request to the gateway, or to an environment of it: 401 with a challenge, or 403. What
 * the organization's status says is in its surface, and left to whoever reads that.
 */
export async function requireGatewayCaller(
  platform: Platform,
  visit: Visit,
  environment?: string,
): Promise<GatewayCaller> {
  const path = gatewayPath(environment)
  const { headers, url } = visit.request
  refuseUrlCredentials(platform, path, url)
  const secret = presentedSecret(headers, challenge(platform, path))
  if (secret === undefined) {
    const message = 'Authorization: Bearer <key or token> is needed'
    throw unauthorized(platform, path, 'missing_authorization', message)
  }
  const isToken = isJwt(secret)
  const caller =
    isToken && headers.has('authorization')
      ? await callerOfToken(platform, visit, secret, path)
      : await callerOfKey(platform, visit, secret)
  if (caller === undefined) {
    await countFailedCredential(platform, visit)
    throw isToken
      ? unauthorized(platform, path, 'invalid_jwt', 'This token is not good here')
      : unauthorized(platform, path, 'invalid_api_key', 'This key is unknown, revoked or expired')
  }
  requireActive(caller.principal)
  const bound = caller.credential.environment
  if (bound !== undefined && environment !== undefined && bound !== environment) {
    const message = 'This key is bound to another environment'
    throw new HttpError(403, 'environment_mismatch', message)
  }
  return caller
}

/** The refusal of a credential that has come to nothing since it was last looked at. */
export function deadCaller(
  platform: Platform,
  { person }: GatewayCaller['credential'],
  environment: string | undefined,
): HttpError {
  if (person !== undefined) forgetMemberships(platform, person) // it may be a member no longer
  const message = 'This credential opens nothing any more'
  return unauthorized(platform, gatewayPath(environment), 'invalid_api_key', message)
}

/** The refusal of everybody in an organization that is suspended. */
export function organizationSuspended(): HttpError {
  return new HttpError(403, 'org_suspended', 'This organization is suspended')
}

async function callerOfKey(
  platform: Platform,
  visit: Visit,
  secret: string,
): Promise<GatewayCaller | undefined> {
  const key = await findKey(platform, visit, secret)
  if (key === undefined || key.kind === 'server') return undefined
  const { id, kind, organization, environment, expiresAtMs } = key
  const principal = await findPrincipal(platform, visit, organization, key.principal)
  if (principal === undefined) return undefined
  const bound = environment !== undefined && { environment }
  return { credential: { id, kind, ...bound, expiresAtMs }, principal }
}

/** A session JWT says that it is of this deployment; anything else is an access token or nothing. */
async function callerOfToken(
  platform: Platform,
  visit: Visit,
  token: string,
  path: string,
): Promise<GatewayCaller | undefined> {
  const key = sessionKeyOf(platform)
  if (key !== undefined && claimedIssuer(token) === key.issuer) {
    const session = await verifySession(key, token, Date.now())
    if (session === undefined) return undefined
    const { organization, member, person, expiresAtMs } = session
    const principal = await findPrincipal(platform, visit, organization, member)
    if (principal?.kind !== 'member') return undefined
    const proven = person !== undefined && { person }
    return { credential: { id: member, kind: 'session', ...proven, expiresAtMs }, principal }
  }
  const resource = resourceOf(platform, path)
  const access = resource && (await findToken(platform, visit, token, resource))
  if (!access) return undefined
  const person = externalHash(access)
  const memberships = await membershipsOf(platform, visit, person)
  const chosen = chooseMembership(memberships, access.organization)
  const principal = chosen && (await findMember(platform, visit, person, chosen))
  if (principal === undefined) throw noActiveOrganization()
  const { expiresAtMs } = access
  return { credential: { id: principal.id, kind: 'oauth', person, expiresAtMs }, principal }
}

/** The membership that a token is for: the one it names, or the only one where it names none. */
function chooseMembership(
  memberships: readonly Owned[],
  named: string | undefined,
): Owned | undefined {
  if (named !== undefined) return memberships.find(({ owner }) => owner === named)
  if (memberships.length < 2) return memberships[0]
  throw noActiveOrganization(
    'You are a member of several organizations; the token must name one in its claim "org"',
  )
}

function noActiveOrganization(message = 'You are no member of the organization'): HttpError {
  return new HttpError(403, 'no_active_org', message)
}

/** Throws 401 for a credential in the URL, even beside a good one: it is known to others by now. */
function refuseUrlCredentials(platform: Platform, path: string, url: string): void {
  const at = url.indexOf('?')
  if (at < 0) return
  for (const [name, value] of new URLSearchParams(url.slice(at))) {
    const isNamed = URL_CREDENTIALS.has(name.toLowerCase())
    const isSecret = keyKindOf(value) !== undefined || (value.startsWith('eyJ') && isJwt(value))
    if (!isNamed && !isSecret) continue
    const message = 'A credential must not stand in the URL; send it in Authorization'
    throw unauthorized(platform, path, 'credential_in_url', message)
  }
}

function unauthorized(platform: Platform, path: string, code: string, message: string): HttpError {
  const error = code === 'missing_authorization' ? undefined : 'invalid_token'
  return new HttpError(401, code, message, { headers: challenge(platform, path, { error }) })
}
