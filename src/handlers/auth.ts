/** How an outbound request is authorized: always by secrets of the organization or the account, by name. */
import * as z from 'zod'
import { ConstantHeaders, HeaderName } from './headers.ts'
import { OpenUrl } from './open-url.ts'
import { OpenOrSecret, Reference } from './secret.ts'

const MAX_PARAMS = 50
const MAX_JWT_SECONDS = 86_400
export const DEFAULT_JWT_SECONDS = 3600

const TokenParams = z
  .record(z.string().min(1).max(200), z.string().max(8192))
  .refine((all) => Object.keys(all).length <= MAX_PARAMS, `may have ${MAX_PARAMS} members`)

export const JWT_ALGORITHMS = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const

/** A JWT that is signed here: its claims, and the key as a text (PKCS #8 in PEM, or a shared secret). */
const SignedJwt = {
  algorithm: z.enum(JWT_ALGORITHMS).default('RS256'),
  keyId: z.string().min(1).max(500).optional(),
  issuer: z.string().min(1).max(2048),
  audience: z.string().min(1).max(2048),
  subject: z.string().min(1).max(2048),
  expiresInSeconds: z.int().min(30).max(MAX_JWT_SECONDS).default(DEFAULT_JWT_SECONDS),
  claims: TokenParams.optional().meta({ description: 'Further claims' }),
  key: Reference,
}

const Jwt = z
  .strictObject({ type: z.literal('jwt'), ...SignedJwt })
  .meta({ description: 'A JWT signed here, sent as the bearer token' })

const JwtBearer = z
  .strictObject({
    type: z.literal('jwt_bearer'),
    ...SignedJwt,
    tokenUrl: OpenUrl,
    scope: z.string().max(1000).optional(),
    /** The member of the token endpoint's answer that is the token. */
    tokenField: z.enum(['access_token', 'id_token']).default('access_token'),
  })
  .meta({ description: 'A JWT signed here, exchanged for a token (RFC 7523)' })

const OAuth2 = z
  .strictObject({
    type: z.literal('oauth2'),
    tokenUrl: OpenUrl,
    clientId: OpenOrSecret,
    clientSecret: Reference,
    scope: z.string().max(1000).optional(),
    audience: z.string().max(1000).optional(),
    resource: z.string().max(2048).optional(),
    /** Where the client's credentials go in the request for a token. */
    clientAuth: z.enum(['basic', 'body']).default('basic'),
    /** What else is sent with that request. */
    params: TokenParams.optional(),
    headers: ConstantHeaders.optional(),
  })
  .meta({
    description: 'OAuth 2 client credentials; the token is kept until shortly before its end',
  })

export const Auth = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('bearer'), token: Reference }),
  z.strictObject({ type: z.literal('header'), name: HeaderName, value: Reference }),
  z.strictObject({
    type: z.literal('query'),
    name: z.string().min(1).max(100),
    value: Reference,
  }),
  z.strictObject({ type: z.literal('basic'), username: OpenOrSecret, password: Reference }),
  OAuth2,
  Jwt,
  JwtBearer,
])
export type Auth = z.infer<typeof Auth>
export type OAuth2 = z.infer<typeof OAuth2>
export type Jwt = z.infer<typeof Jwt>
export type JwtBearer = z.infer<typeof JwtBearer>
