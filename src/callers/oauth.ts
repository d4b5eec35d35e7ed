/**
 * OAuth access tokens: JWTs of the issuers that the deployment trusts, for exactly one resource
 * (`mcp-protocol.md` §7.3). Whose member the person is, is looked up elsewhere.
 */
import * as z from 'zod'
import type { WaitUntil } from '../memory/single-flight.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { claimedIssuer } from './jwt.ts'
import type { OAuthIssuer } from './oauth-issuer.ts'
import { verifyPayload } from './verify-payload.ts'

export type AccessToken = {
  issuer: string
  subject: string
  /** The organization that the person has chosen, where the token says so. */
  organization: string | undefined
  scopes: ReadonlySet<string>
  expiresAtMs: number
}

const Scopes = z.union([z.string(), z.array(z.string())])
const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(1000),
  exp: z.number(),
  org: z.string().optional(),
  scope: Scopes.optional(),
  scp: Scopes.optional(),
})

export type Verification = {
  issuers: readonly OAuthIssuer[]
  keys: IssuerKeys
  /** The URL of the endpoint that the token must be for. */
  resource: string
  now: number
  waitUntil: WaitUntil
}

/** What a token says; undefined unless it is whole, of an issuer of ours, for the resource, of now. */
export async function verifyAccessToken(
  token: string,
  { issuers, keys, resource, now, waitUntil }: Verification,
): Promise<AccessToken | undefined> {
  const claimed = claimedIssuer(token)
  const issuer = issuers.find((one) => one.issuer === claimed)
  if (issuer === undefined) return undefined
  const payload = await verifyPayload(token, { issuer, keys, audience: resource, now, waitUntil })
  const claims = Claims.safeParse(payload)
  return claims.success ? toToken(claims.data) : undefined
}

function toToken({ iss, sub, exp, org, scope = [], scp = [] }: z.infer<typeof Claims>) {
  const words = [scope, scp].flat().flatMap((text) => text.split(' '))
  const scopes = new Set(words.filter((word) => word !== ''))
  return { issuer: iss, subject: sub, organization: org, scopes, expiresAtMs: exp * 1000 }
}
