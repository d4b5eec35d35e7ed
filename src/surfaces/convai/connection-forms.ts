/**
 * Auth connections as convai takes them (`convai-api.md` §6). An optional member that is null counts as
 * absent: the official client sends both alike.
 */
import * as z from 'zod'
import { JWT_ALGORITHMS, JwtSeconds, TokenParams } from '../../handlers/auth.ts'
import { HeaderName, headersOf, isCredentialHeader } from '../../handlers/headers.ts'
import { OpenUrl } from '../../handlers/open-url.ts'
import { SecretText } from '../../handlers/secret.ts'

const Text = z.string().min(1).max(2048)
const Scopes = z.array(z.string().min(1).max(1000)).max(100)
const TokenField = z.enum(['access_token', 'id_token'])
const Algorithm = z.enum(JWT_ALGORITHMS)
const KeyId = z.string().min(1).max(500)

/** Headers of a request for a token; those that are credentials are sealed. */
const CustomHeaders = z
  .record(z.string(), z.string().min(1).max(8192))
  .transform((headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        isCredentialHeader(name) ? { value } : value,
      ]),
    ),
  )
  .pipe(headersOf(z.union([z.string(), z.strictObject({ value: SecretText })])))

const common = { name: z.string().min(1).max(200), provider: z.string().max(200) }

const jwt = {
  ...common,
  algorithm: Algorithm.nullish(),
  key_id: KeyId.nullish(),
  issuer: Text,
  audience: Text,
  subject: Text,
  expiration_seconds: JwtSeconds.nullish(),
  extra_params: TokenParams.nullish(),
  secret_key: SecretText,
}

const MTLS_REFUSED =
  'is not supported: requests from here cannot present a certificate of the client'

/** A connection that is to be made. */
export const NewConnection = z.discriminatedUnion('auth_type', [
  z.object({
    auth_type: z.literal('oauth2_client_credentials'),
    ...common,
    client_id: Text,
    token_url: OpenUrl,
    client_secret: SecretText,
    scopes: Scopes.nullish(),
    extra_params: TokenParams.nullish(),
    basic_auth_in_header: z.boolean().nullish(),
    custom_headers: CustomHeaders.nullish(),
  }),
  z.object({
    auth_type: z.literal('custom_header_auth'),
    ...common,
    header_name: HeaderName,
    token: SecretText,
  }),
  z.object({
    auth_type: z.literal('basic_auth'),
    ...common,
    username: z.string().max(2048),
    password: SecretText,
  }),
  z.object({ auth_type: z.literal('bearer_auth'), ...common, token: SecretText }),
  z.object({
    auth_type: z.literal('oauth2_jwt'),
    ...jwt,
    token_url: OpenUrl,
    scopes: Scopes.nullish(),
    token_response_field: TokenField.nullish(),
  }),
  z.object({ auth_type: z.literal('private_key_jwt'), ...jwt }),
  z.object({ auth_type: z.literal('mtls') }).transform((_, context) => {
    context.addIssue({ code: 'custom', path: ['auth_type'], message: MTLS_REFUSED })
    return z.NEVER
  }),
])
export type NewConnection = z.infer<typeof NewConnection>

/** What of a connection changes. What is not of its type is ignored, like any unknown member. */
export const ConnectionUpdate = z.object({
  auth_type: z.string().nullish(),
  provider: common.provider.nullish(),
  client_id: Text.nullish(),
  client_secret: SecretText.nullish(),
  basic_auth_in_header: z.boolean().nullish(),
  custom_headers: CustomHeaders.nullish(),
  header_name: HeaderName.nullish(),
  token: SecretText.nullish(),
  username: z.string().max(2048).nullish(),
  password: SecretText.nullish(),
  algorithm: Algorithm.nullish(),
  key_id: KeyId.nullish(),
  issuer: Text.nullish(),
  audience: Text.nullish(),
  subject: Text.nullish(),
  expiration_seconds: JwtSeconds.nullish(),
  secret_key: SecretText.nullish(),
  scopes: Scopes.nullish(),
  extra_params: TokenParams.nullish(),
  token_response_field: TokenField.nullish(),
})
export type ConnectionUpdate = z.infer<typeof ConnectionUpdate>
