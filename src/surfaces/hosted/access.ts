/**
 * Who asks a hosted server (`surfaces.md` D5, D10): nobody in particular, the holder of a key, or a
 * member of its organization by an OAuth token for this very endpoint (`mcp-protocol.md` §7).
 */
import { ANONYMOUS, type Caller } from '../../callers/caller.ts'
import type { Credential } from '../../callers/credential.ts'
import { presentedSecret } from '../../callers/presented.ts'
import { externalHash } from '../../callers/principal.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { findKey } from '../keys.ts'
import { countFailedCredential } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'
import { findMember, findToken, membershipsOf, requireActive } from '../principals.ts'
import { challenge, resourceOf } from '../resource-metadata.ts'
import { notFound } from '../rest-answer.ts'

/** Where a server was asked: by slug and id, or by the slug of a vanity server alone. */
export type Address = { slug: string; id: string | undefined }

/** The path of an endpoint, which its metadata and tokens name. */
export function pathOf({ slug, id }: Address): string {
  return id === undefined ? `/mcp/${slug}` : `/mcp/${slug}/${id}`
}

/** The caller of a request, or 401 with a challenge. No promise where nothing has to be looked up. */
export function requireCaller(
  platform: Platform,
  visit: Visit,
  catalog: Catalog,
  address: Address,
): Caller | Promise<Caller> {
  const { auth } = catalog.settings
  if (auth === 'none') return ANONYMOUS
  if (auth === 'key') return requireKeyHolder(platform, visit, catalog.id)
  return requireTokenHolder(platform, visit, catalog, pathOf(address))
}

function requireKeyHolder(
  platform: Platform,
  visit: Visit,
  server: string,
): Caller | Promise<Caller> {
  const secret = presentedSecret(visit.request.headers)
  if (secret === undefined) {
    const message = 'This server needs a key: Authorization: Bearer <key>'
    throw unauthorized('missing_authorization', message)
  }
  const holderOf = (key: Credential | undefined): Caller | Promise<Caller> => {
    if (key?.kind !== 'server' || key.server !== server) return refuseKey(platform, visit)
    const { id, tools, expiresAtMs } = key
    return { id, tools, expiresAtMs }
  }
  const key = findKey(platform, visit, secret)
  return key instanceof Promise ? key.then(holderOf) : holderOf(key)
}

async function refuseKey(platform: Platform, visit: Visit): Promise<never> {
  await countFailedCredential(platform, visit)
  throw invalidKey()
}

/** The member a token is of: what its tokens and keys have in common is the principal's id. */
async function requireTokenHolder(
  platform: Platform,
  visit: Visit,
  { settings: { scopes = [] }, organization }: Catalog,
  path: string,
): Promise<Caller> {
  const { headers } = visit.request
  const unasked = challenge(platform, path, { scopes })
  const secret = presentedSecret(headers, unasked)
  if (secret === undefined) {
    const message = 'This server needs an OAuth access token'
    throw new HttpError(401, 'missing_authorization', message, { headers: unasked })
  }
  const resource = resourceOf(platform, path)
  const isBearer = resource !== undefined && headers.has('authorization')
  const token = isBearer ? await findToken(platform, visit, secret, resource) : undefined
  if (token === undefined) {
    await countFailedCredential(platform, visit)
    throw new HttpError(401, 'invalid_jwt', 'This token is not good at this endpoint', {
      headers: challenge(platform, path, { error: 'invalid_token', scopes }),
    })
  }
  const person = externalHash(token)
  const memberships = await membershipsOf(platform, visit, person)
  const membership = memberships.find(({ owner }) => owner === organization)
  const member = membership && (await findMember(platform, visit, person, membership))
  if (member === undefined) throw notFound() // whose server it is, is not told
  requireActive(member)
  if (scopes.some((scope) => !token.scopes.has(scope))) {
    throw new HttpError(403, 'insufficient_scope', `This needs the scopes ${scopes.join(' ')}`, {
      headers: challenge(platform, path, { error: 'insufficient_scope', scopes }),
    })
  }
  return { id: member.id, tools: undefined, person, expiresAtMs: token.expiresAtMs }
}

/** The refusal of a key that is unknown, revoked, expired, or for something else: all alike. */
export function invalidKey(): HttpError {
  return unauthorized(
    'invalid_api_key',
    'This key does not open this server',
    ', error="invalid_token"',
  )
}

/** The key a caller's messages count under: their credential, else server and address. */
export function limitKey({ id }: Catalog, caller: Caller, { address }: Visit): string {
  return caller.id === 'anonymous' ? `server ${id} ${address}` : `key ${caller.id}`
}

function unauthorized(code: string, message: string, parameters = ''): HttpError {
  return new HttpError(401, code, message, {
    headers: { 'WWW-Authenticate': `Bearer realm="rollcall"${parameters}` },
  })
}
