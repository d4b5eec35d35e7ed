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
  /** The client that our pages are there: people can then sign in on them (OpenID Connect). */
  clientId: z.string().min(1).max(2048).optional(),
})
export type OAuthIssuer = z.infer<typeof OAuthIssuer>

const MAX_ISSUERS = 20

/** The setting as text, parsed and checked. */
export const OAuthIssuers = jsonText('array', []).pipe(
  z
    .array(OAuthIssuer)
    .max(MAX_ISSUERS)
    .refine(
      (issuers) => new Set(issuers.map(({ issuer }) => issuer)).size === issuers.length,
      'names an issuer twice',
    ),
)

/** The setting `OAUTH_CLIENT_SECRETS`: a JSON object of the clients' secrets, by issuer. */
export const OAuthClientSecrets = jsonText('object', {}).pipe(
  z.record(z.string(), z.string().min(1).max(4096)),
)

function jsonText(kind: 'array' | 'object', absent: unknown) {
  return z
    .string()
    .optional()
    .transform((text, context): unknown => {
      if (text === undefined || text.trim() === '') return absent
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: `must be a JSON ${kind}` })
        return z.NEVER
      }
    })
}
