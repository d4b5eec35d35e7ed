/** Who asks a hosted server (`surfaces.md` D5, D10): nobody in particular, or the holder of a key. */
import { ANONYMOUS, type Caller } from '../../callers/caller.ts'
import { presentedSecret } from '../../callers/presented.ts'
import { isServerKey } from '../../callers/secret.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { countFailedCredential } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'
import { credentialSource } from '../sources.ts'

/** The caller of a request, or 401 with a challenge. No promise where a server is open to all. */
export function requireCaller(
  platform: Platform,
  visit: Visit,
  { settings, id }: Catalog,
): Caller | Promise<Caller> {
  if (settings.auth === 'none') return ANONYMOUS
  return requireKeyHolder(platform, visit, id)
}

async function requireKeyHolder(platform: Platform, visit: Visit, server: string): Promise<Caller> {
  const secret = presentedSecret(visit.request.headers)
  if (secret === undefined) {
    const message = 'This server needs a key: Authorization: Bearer <key>'
    throw unauthorized('missing_authorization', message)
  }
  const caller = await callerOf(platform, visit, server, secret)
  if (caller !== undefined) return caller
  await countFailedCredential(platform, visit)
  throw invalidKey()
}

/** The refusal of a key that is unknown, revoked, expired, or for something else: all alike. */
export function invalidKey(): HttpError {
  return unauthorized(
    'invalid_api_key',
    'This key does not open this server',
    ', error="invalid_token"',
  )
}

async function callerOf(
  platform: Platform,
  visit: Visit,
  server: string,
  secret: string,
): Promise<Caller | undefined> {
  const digest = digestOf(platform, secret)
  if (digest === undefined) return undefined
  const { value } =
    platform.credentials.fresh(digest) ??
    (await platform.credentials.find(digest, credentialSource(platform, visit), visit.waitUntil))
  if (value === undefined || value === 'revoked') return undefined
  if (value.server !== server || value.expiresAtMs <= Date.now()) return undefined
  return { id: value.id, tools: value.tools, expiresAtMs: value.expiresAtMs }
}

/** The digest a key is looked up by; undefined for what cannot be one. Made once for each key. */
function digestOf({ digestsOfKeys }: Platform, secret: string): string | undefined {
  const known = digestsOfKeys.get(secret)
  if (known !== undefined) return known
  if (!isServerKey(secret)) return undefined
  const digest = sha256Hex(secret)
  digestsOfKeys.set(secret, digest, 2 * (secret.length + digest.length))
  return digest
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
