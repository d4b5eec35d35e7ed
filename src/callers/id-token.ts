/** Who has signed in: the ID token of OpenID Connect that an issuer gave our own client. */
import * as z from 'zod'
import type { ExternalId } from './principal.ts'
import { verifyPayload, type Signed } from './verify-payload.ts'

const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(1000),
  nonce: z.string(),
  aud: z.union([z.string(), z.array(z.string())]),
  azp: z.string().optional(),
})

/** The person; undefined unless the token is good, for this client alone and for this very sign-in. */
export async function verifyIdToken(
  token: string,
  { nonce, ...signed }: Signed & { nonce: string },
): Promise<ExternalId | undefined> {
  const claims = Claims.safeParse(await verifyPayload(token, signed))
  if (!claims.success) return undefined
  const { iss: issuer, sub: subject, aud, azp = signed.audience } = claims.data
  const isForOthers = Array.isArray(aud) && aud.length > 1 && claims.data.azp === undefined
  if (claims.data.nonce !== nonce || azp !== signed.audience || isForOthers) return undefined
  return { issuer, subject }
}
