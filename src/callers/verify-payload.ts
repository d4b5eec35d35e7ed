/** What a JWT says that an OAuth issuer signed for one audience: its signature, issuer and times hold. */
import { errors, jwtVerify, type JWTPayload } from 'jose'
import type { WaitUntil } from '../memory/single-flight.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { ALGORITHMS, type OAuthIssuer } from './oauth-issuer.ts'

const SKEW_SECONDS = 60

export type Signed = {
  issuer: OAuthIssuer
  keys: IssuerKeys
  audience: string
  now: number
  waitUntil: WaitUntil
}

/** The payload; undefined unless it is whole, of the issuer, for the audience, of now. */
export async function verifyPayload(
  token: string,
  { issuer, keys, audience, now, waitUntil }: Signed,
): Promise<JWTPayload | undefined> {
  try {
    const set = await keys.find(issuer, waitUntil)
    const { payload } = await jwtVerify(
      token,
      async (header, jws) => {
        try {
          return await set.resolve(header, jws)
        } catch (error) {
          if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
          return (await keys.renew(issuer, set, waitUntil)).resolve(header, jws)
        }
      },
      {
        algorithms: [...(issuer.algorithms ?? ALGORITHMS)],
        issuer: issuer.issuer,
        audience,
        requiredClaims: ['sub', 'exp'],
        clockTolerance: SKEW_SECONDS,
        currentDate: new Date(now),
      },
    )
    return payload
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
