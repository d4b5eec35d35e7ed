/** How an outbound request is authorized: always by secrets of the organization or the account, by name. */
import * as z from 'zod'
import { HeaderName, headersOf } from './headers.ts'
import { OpenUrl } from './open-url.ts'
import { OpenOrSecret, Reference } from './secret.ts'

const MAX_PARAMS = 50
const MAX_JWT_SECONDS = 86_400
export const DEFAULT_JWT_SECONDS = 3600

/** How long a JWT that is signed here is good for. */
export const JwtSeconds = z.int().min(30).max(MAX_JWT_SECONDS)

/** What is sent beside, by name: parameters of a request for a token, claims of a JWT. */
export const TokenParams = z
  .record(z.string().min(1).max(200), z.string().max(8192))
  .refine((all) => Object.keys(all).length <= MAX_PARAMS, `may have ${MAX_PARAMS} members`)

export const JWT_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const

/**
 * The forms of authorization, with what may stand for a secret (`reference`), and for a text that need
 * not be one.
 */
export function authOf<R extends z.ZodType, O extends z.ZodType>(reference: R, openOrSecret: O) {
  /** The claims, and the key as a text (PKCS #8 in PEM, or a shared secret). */
  const signedJwt = {
    algorithm: z.enum(JWT_ALGORITHMS).default('RS256'),
    keyId: z.string().min(1).max(500).optional(),
    issuer: z.string().min(1).max(2048),
    audience: z.string().min(1).max(2048),
    subject: z.string().min(1).max(2048),
    expiresInSeconds: JwtSeconds.default(DEFAULT_JWT_SECONDS),
    claims: TokenParams.optional().meta({ description: 'Further claims' }),
    key: reference,
  }
  const oauth2 = {
    tokenUrl: OpenUrl,
    clientId: openOrSecret,
    clientSecret: reference,
    scope: z.string().max(1000).optional(),
    audience: z.string().max(1000).optional(),
    resource: z.string().max(2048).optional(),
    /** Where the client's credentials go in the request for a token. */
    clientAuth: z.enum(['basic', 'body']).default('basic'),
    /** What else is sent with that request. */
    params: TokenParams.optional(),
    headers: headersOf(openOrSecret).optional(),
  }
  return z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('none') }),
    z.strictObject({ type: z.literal('bearer'), token: reference }),
    z.strictObject({ type: z.literal('header'), name: HeaderName, value: reference }),
    z.strictObject({
      type: z.literal('query'),
      name: z.string().min(1).max(100),
      value: reference,
    }),
    z.strictObject({ type: z.literal('basic'), username: openOrSecret, password: reference }),
    z.strictObject({ type: z.literal('oauth2'), ...oauth2 }).meta({
      description: 'OAuth 2 client credentials; the token is kept until shortly before its end',
    }),
    z
      .strictObject({ type: z.literal('jwt'), ...signedJwt })
      .meta({ description: 'A JWT signed here, sent as the bearer token' }),
    z
      .strictObject({
        type: z.literal('jwt_bearer'),
        ...signedJwt,
        tokenUrl: OpenUrl,
        scope: z.string().max(1000).optional(),
        /** The member of the token endpoint's answer that is the token. */
        tokenField: z.enum(['access_token', 'id_token']).default('access_token'),
      })
      .meta({ description: 'A JWT signed here, exchanged for a token (RFC 7523)' }),
  ])
}

export const Auth = authOf(Reference, OpenOrSecret)
export type Auth = z.infer<typeof Auth>
export type OAuth2 = Extract<Auth, { type: 'oauth2' }>
export type JwtBearer = Extract<Auth, { type: 'jwt_bearer' }>
