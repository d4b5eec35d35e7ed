/**
 * Who administers: the operator by the deployment's token, in the organization that the header
 * `Rollcall-Organization` names (its name or id; `default` is made when it is first asked for); or a
 * member by its key or a session JWT, in its own organization alone. Agents administer nothing.
 */
import { isJwt } from '../../callers/jwt.ts'
import { requireMember, type Actor } from '../../callers/may.ts'
import { presentedSecret } from '../../callers/presented.ts'
import { keyKindOf } from '../../callers/secret.ts'
import { verifySession } from '../../callers/session-jwt.ts'
import type { Source } from '../../memory/lookup.ts'
import { organizationOf } from '../../objects/resident.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { claimOfKey, identify, type Claimed } from '../identify.ts'
import { countFailedCredential } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'
import { sessionKeyOf } from '../principals.ts'
import { organizationSource } from '../sources.ts'

export const OPERATOR = 'operator'
export const DEFAULT_ORGANIZATION = { id: 'org_default', name: 'default' }

/** Who a request is from, or 401; 403 for an agent, and for who is suspended, or whose organization is. */
export async function requireActor(
  platform: Platform,
  visit: Visit,
  headers: Headers,
): Promise<Actor> {
  const secret = presentedSecret(headers)
  if (secret === undefined) {
    throw unauthorized('missing_authorization', 'Authorization: Bearer <operator token> is needed')
  }
  // Digests are compared, so the time it takes says nothing about the token.
  if (sha256Hex(secret) === sha256Hex(platform.settings.OPERATOR_TOKEN)) return OPERATOR
  const claimed = await claimedBy(platform, visit, secret)
  const actor = claimed && (await identify(platform, claimed))
  if (actor !== undefined) {
    requireMember(actor)
    return actor
  }
  await countFailedCredential(platform, visit)
  throw refusalOf(secret)
}

/** The id of the organization a request is about, or 404: for a principal its own, or none. */
export async function requireOrganizationId(
  platform: Platform,
  visit: Visit,
  headers: Headers,
  actor: Actor,
): Promise<string> {
  const named = headers.get('rollcall-organization')
  if (actor !== OPERATOR && named === null) return actor.principal.organization
  const name = named ?? DEFAULT_ORGANIZATION.name
  const isMade = actor === OPERATOR && name === DEFAULT_ORGANIZATION.name
  const source = isMade ? defaultSource(platform) : organizationSource(platform)
  const { value } = await platform.organizations.find(name, source, visit.waitUntil)
  const isTheirs = actor === OPERATOR || actor.principal.organization === value
  if (value === undefined || !isTheirs) throw organizationNotFound(name)
  return value
}

export function organizationNotFound(name: string): HttpError {
  return new HttpError(
    404,
    'organization_not_found',
    `There is no organization "${name.slice(0, 80)}"`,
  )
}

async function claimedBy(
  platform: Platform,
  visit: Visit,
  secret: string,
): Promise<Claimed | undefined> {
  const sessionKey = sessionKeyOf(platform)
  if (isJwt(secret) && visit.request.headers.has('authorization')) {
    const session = sessionKey && (await verifySession(sessionKey, secret, Date.now()))
    if (session === undefined) return undefined
    const { organization, member, person } = session
    return { organization, credential: member, principal: member, kind: 'session', person }
  }
  return claimOfKey(platform, visit, secret)
}

function refusalOf(secret: string): HttpError {
  if (isJwt(secret)) return unauthorized('invalid_jwt', 'This session is not good here')
  const kind = keyKindOf(secret)
  return kind === 'member' || kind === 'agent'
    ? unauthorized('invalid_api_key', 'This key is unknown, revoked or expired')
    : unauthorized('invalid_token', 'This is not the operator token')
}

function unauthorized(code: string, message: string): HttpError {
  return new HttpError(401, code, message, {
    headers: { 'WWW-Authenticate': 'Bearer realm="rollcall admin"' },
  })
}

/** The default organization has an id that is known, so that many first requests make one. */
function defaultSource(platform: Platform): Source<string> {
  return {
    ...organizationSource(platform),
    async origin() {
      const { id, name } = DEFAULT_ORGANIZATION
      valueOf(await organizationOf(platform.env, id).ensure(id, name, { actor: OPERATOR }))
      return { value: id, bytes: id.length }
    },
  }
}
