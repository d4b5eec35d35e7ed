/**
 * JWTs that are signed here, with a key of the organization or the account: as a bearer token, or as
 * the assertion that a token endpoint takes (RFC 7523 §2.1). Nothing of the key is in an error.
 */
import { importPKCS8, SignJWT } from 'jose'
import { DEFAULT_JWT_SECONDS } from '../../handlers/auth.ts'
import type { StoredAuth } from '../../handlers/remote.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { nameOf, type OpenedSecrets } from '../opened-secrets.ts'
import { CallFailed } from './call.ts'

export type Signing = Extract<StoredAuth, { type: 'jwt' | 'jwt_bearer' }>

/** A JWT of now, which counts as secret; `CallFailed` where the key is none. */
export async function signJwt(auth: Signing, secrets: OpenedSecrets, now: number) {
  const { algorithm = 'RS256', keyId, expiresInSeconds: lifeSeconds = DEFAULT_JWT_SECONDS } = auth
  const issuedAt = Math.floor(now / 1000)
  const jwt = new SignJWT({ ...auth.claims })
    .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) })
    .setIssuer(auth.issuer)
    .setAudience(auth.audience)
    .setSubject(auth.subject)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifeSeconds)
    .setJti(crypto.randomUUID()) // some take an assertion once
  const token = await signed(jwt, auth, secrets.reveal(auth.key))
  secrets.hide(token)
  return { token, lifeMs: lifeSeconds * 1000 }
}

/** What goes wrong is the key's fault: all else was checked when it was written. */
async function signed(jwt: SignJWT, { algorithm = 'RS256', key }: Signing, text: string) {
  const isShared = algorithm.startsWith('HS')
  try {
    return await jwt.sign(isShared ? encodeUtf8(text) : await importPKCS8(text, algorithm))
  } catch {
    const form = isShared ? 'must not be empty' : RSA_FORM
    throw new CallFailed(`${nameOf(key)} cannot sign a JWT by ${algorithm}: it ${form}`)
  }
}

const RSA_FORM =
  'must be an RSA key of 2048 bits or more as PKCS #8 in PEM, which begins with "-----BEGIN PRIVATE KEY-----" (openssl pkcs8 -topk8 -nocrypt makes that of other forms)'
