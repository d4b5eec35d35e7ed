/** Keys as they are presented, looked up by their digest. */
import type { Credential } from '../callers/credential.ts'
import { keyKindOf } from '../callers/secret.ts'
import { sha256Hex } from '../sealing/digest.ts'
import type { Found } from '../memory/lookup.ts'
import type { Platform, Visit } from './platform.ts'
import { credentialSource } from './sources.ts'

/**
 * The key a secret is of; undefined for one that is unknown, mistyped, revoked or expired. No promise
 * where that is remembered.
 */
export function findKey(
  platform: Platform,
  visit: Visit,
  secret: string,
): Credential | undefined | Promise<Credential | undefined> {
  const digest = digestOf(platform, secret)
  if (digest === undefined) return undefined
  const fresh = platform.credentials.fresh(digest)
  if (fresh !== undefined) return valid(fresh)
  const source = credentialSource(platform, visit)
  return platform.credentials.find(digest, source, visit.waitUntil).then(valid)
}

function valid({ value }: Found<Credential | 'revoked'>): Credential | undefined {
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
