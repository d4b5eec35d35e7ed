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

/** The caller of a request, or 401 with a challenge. */
export async function requireCaller(
  platform: Platform,
  visit: Visit,
  { auth, id }: { auth: 'none' | 'key'; id: string },
  headers: Headers,
): Promise<Caller> {
  if (auth === 'none') return ANONYMOUS
  const secret = presentedSecret(headers)
  if (secret === undefined) {
    throw unauthorized(
      'missing_authorization',
      'This server needs a key: Authorization: Bearer <key>',
    )
  }
  const caller = isServerKey(secret) ? await callerOf(platform, visit, id, secret) : undefined
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
  const source = credentialSource(platform, visit)
  const { value } = await platform.credentials.find(sha256Hex(secret), source, visit.waitUntil)
  if (value === undefined || value === 'revoked') return undefined
  if (value.server !== server || value.expiresAtMs <= Date.now()) return undefined
  return { id: value.id, tools: value.tools, expiresAtMs: value.expiresAtMs }
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
