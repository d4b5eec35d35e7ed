/** The OAuth issuers whose tokens are taken: the setting `OAUTH_ISSUERS`, a JSON array. */
import * as z from 'zod'

/** Asymmetric alone: a public key must never pass for a shared secret. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'] as const

const HttpUrl = z
  .url({ protocol: /^https?$/, error: 'must be a URL' })
  .max(2048)
  .refine((text) => !/[?#]/.test(text), 'must have no query or fragment')

const OAuthIssuer = z.strictObject({
  issuer: HttpUrl,
  /** Absent: found by RFC 8414 or OpenID Connect discovery. */
  jwksUri: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
  /** Absent: all of ours. */
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).optional(),
})
export type OAuthIssuer = z.infer<typeof OAuthIssuer>

const MAX_ISSUERS = 20

/** The setting as text, parsed and checked. */
export const OAuthIssuers = z
  .string()
  .optional()
  .transform((text, context): unknown => {
    if (text === undefined || text.trim() === '') return []
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be a JSON array' })
      return z.NEVER
    }
  })
  .pipe(
    z
      .array(OAuthIssuer)
      .max(MAX_ISSUERS)
      .refine(
        (issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length,
        'names an issuer twice',
      ),
  )
