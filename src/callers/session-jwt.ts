/**
 * Session JWTs: a member who is signed in somewhere else, for five minutes at most (`surfaces.md` C36).
 * HS256 with the deployment's secret; a type of their own, so that no other token passes for one.
 */
import { errors, jwtVerify, SignJWT } from 'jose'
import * as z from 'zod'
import { claimedIssuer } from './jwt.ts'

const MAX_SESSION_SECONDS = 300
export const MIN_SESSION_SECRET_LENGTH = 32

const ALGORITHM = 'HS256'
const AUDIENCE = 'rollcall'
const TYPE = 'rollcall-session+jwt'
const SKEW_SECONDS = 5 // between our own machines

/** What signs and checks: the secret, and the name of the deployment that its tokens are for. */
export type SessionKey = { secret: string; issuer: string }

export type Session = {
  member: string
  organization: string
  /** Who has signed in, by the hash of its external id, where whoever made the session said so. */
  person?: string | undefined
  expiresAtMs: number
}

const Claims = z.object({
  sub: z.string(),
  org: z.string(),
  person: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
})

/** A token for a member; `seconds` is at most 300. */
export async function mintSession(
  { secret, issuer }: SessionKey,
  { member, organization, person }: Omit<Session, 'expiresAtMs'>,
  now: number,
  seconds = MAX_SESSION_SECONDS,
): Promise<{ token: string; expiresAtMs: number }> {
  const issuedAt = Math.floor(now / 1000)
  const expiresAt = issuedAt + Math.min(seconds, MAX_SESSION_SECONDS)
  const token = await new SignJWT({ org: organization, ...(person !== undefined && { person }) })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
    .setIssuer(issuer)
    .setAudience(AUDIENCE)
    .setSubject(member)
    .setIssuedAt(issuedAt)
    .setExpirationTime(expiresAt)
    .sign(bytesOf(secret))
  return { token, expiresAtMs: expiresAt * 1000 }
}

/** Who a token is of; undefined unless it is whole, ours and of now. */
export async function verifySession(
  { secret, issuer }: SessionKey,
  token: string,
  now: number,
): Promise<Session | undefined> {
  if (claimedIssuer(token) !== issuer) return undefined
  try {
    const { payload } = await jwtVerify(token, bytesOf(secret), {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'org', 'iat', 'exp'],
      maxTokenAge: MAX_SESSION_SECONDS,
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(now),
    })
    const claims = Claims.safeParse(payload)
    if (!claims.success) return undefined
    const { sub, org, person, iat, exp } = claims.data
    if (exp - iat > MAX_SESSION_SECONDS) return undefined
    const proven = person !== undefined && { person }
    return { member: sub, organization: org, ...proven, expiresAtMs: exp * 1000 }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

function bytesOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret)
}
