/** Keys as they are presented, looked up by their digest. */
import type { Credential } from '../callers/credential.ts'
import { keyKindOf } from '../callers/secret.ts'
import { sha256Hex } from '../sealing/digest.ts'
import type { Platform, Visit } from './platform.ts'
import { credentialSource } from './sources.ts'

/** The key a secret is of; undefined for one that is unknown, mistyped, revoked or expired. */
export async function findKey(
  platform: Platform,
  visit: Visit,
  secret: string,
): Promise<Credential | undefined> {
  const digest = digestOf(platform, secret)
  if (digest === undefined) return undefined
  const { value } =
    platform.credentials.fresh(digest) ??
    (await platform.credentials.find(digest, credentialSource(platform, visit), visit.waitUntil))
  if (value === undefined || value === 'revoked') return undefined
  return value.expiresAtMs > Date.now() ? value : undefined
}

/** The digest a key is looked up by; undefined for what cannot be one. Made once for each key. */
function digestOf({ digestsOfKeys }: Platform, secret: string): string | undefined {
  const known = digestsOfKeys.get(secret)
  if (known !== undefined) return known
  if (keyKindOf(secret) === undefined) return undefined
  const digest = sha256Hex(secret)
  digestsOfKeys.set(secret, digest, 2 * (secret.length + digest.length))
  return digest
}
