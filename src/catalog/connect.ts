/**
 * What a person is asked for who connects an account on a server: a yes at an authorization server, or
 * the fields of a credential (`surfaces.md` C49). A server may say nothing: then it is found by what its
 * handlers refer to.
 */
import * as z from 'zod'
import { OpenUrl } from '../handlers/open-url.ts'
import { SecretName, SecretReference } from '../handlers/secret.ts'
import type { Detail } from '../protocol/http-error.ts'

const MAX_FIELDS = 20

/** The field of an account's credential that is the access token. */
const TOKEN_FIELD = 'token'

/** A scope as RFC 6749 §3.3 has it. */
export const Scope = z
  .string()
  .max(200)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'must be a scope: no spaces, quotes or backslashes')

const OAuthConnect = z.strictObject({
  type: z.literal('oauth'),
  issuer: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .refine((text) => !/[?#]/.test(text), 'must have no query or fragment')
    .optional()
    .meta({ description: 'Its metadata says the rest; of a remote server it is found' }),
  authorizationUrl: OpenUrl.optional(),
  tokenUrl: OpenUrl.optional(),
  clientId: z.string().min(1).max(2048).optional().meta({
    description: 'Absent: our client ID metadata document, or a client that is registered',
  }),
  clientSecret: SecretReference.optional(),
  clientAuth: z.enum(['none', 'basic', 'body']).optional().meta({
    description: 'How the client shows itself. Default: basic with a clientSecret, else none',
  }),
  scopes: z.array(Scope).max(50).optional(),
  audience: z.string().min(1).max(1000).optional(),
})
export type OAuthConnect = z.infer<typeof OAuthConnect>

const Field = z.strictObject({
  name: SecretName,
  label: z.string().trim().min(1).max(200),
  secret: z.boolean().default(true).meta({ description: 'Whether it is hidden when it is typed' }),
})

const FormConnect = z.strictObject({
  type: z.literal('form'),
  fields: z
    .array(Field)
    .min(1)
    .max(MAX_FIELDS)
    .refine(
      (fields) => new Set(fields.map(({ name }) => name)).size === fields.length,
      'names a field twice',
    ),
})
export type FormConnect = z.infer<typeof FormConnect>

export const Connect = z.discriminatedUnion('type', [OAuthConnect, FormConnect])
export type Connect = z.infer<typeof Connect>

type Connectable = {
  connect?: Connect | undefined
  remote?: { auth?: unknown } | undefined
}

/** What does not fit together in `connect`. */
export function problemsOfConnect(
  { connect, remote }: Connectable,
  needsAccount: boolean,
): Detail[] {
  if (connect === undefined) return []
  const problem = (path: string, message: string): Detail => ({ path: `connect${path}`, message })
  const problems = needsAccount ? [] : [problem('', 'is of servers with account "required" alone')]
  if (connect.type === 'form') return problems
  const { issuer, authorizationUrl, tokenUrl, clientId, clientSecret, clientAuth } = connect
  const hasUrls = authorizationUrl !== undefined && tokenUrl !== undefined
  const lacks = (path: string, message: string) => problems.push(problem(path, message))
  if (!hasUrls && (authorizationUrl ?? tokenUrl) !== undefined) {
    lacks(authorizationUrl === undefined ? '.authorizationUrl' : '.tokenUrl', 'is missing')
  }
  if (!hasUrls && issuer === undefined && remote === undefined) {
    lacks('.issuer', 'is needed, or authorizationUrl and tokenUrl: nothing can be found by itself')
  }
  if (hasUrls && clientId === undefined) lacks('.clientId', 'is needed with authorizationUrl')
  if (clientSecret !== undefined && clientId === undefined) lacks('.clientId', 'is missing')
  if (clientSecret !== undefined && issuer === undefined && remote !== undefined && !hasUrls) {
    // Else the server that is called would say to whom the secret goes.
    lacks('.issuer', 'is needed with a clientSecret, or authorizationUrl and tokenUrl')
  }
  const isSecretNeeded = clientAuth === 'basic' || clientAuth === 'body'
  if (isSecretNeeded && clientSecret === undefined) lacks('.clientSecret', 'is missing')
  return problems
}

/** What a connect asks for, by the fields that the server's handlers refer to; undefined for nothing. */
export function connectOf(
  { connect, remote }: Connectable,
  fields: readonly string[],
): Connect | undefined {
  if (connect !== undefined) return connect
  if (remote !== undefined && isOfToken(remote.auth)) return { type: 'oauth' }
  if (fields.length === 0) return undefined
  const shown = fields.slice(0, MAX_FIELDS)
  return { type: 'form', fields: shown.map((name) => ({ name, label: name, secret: true })) }
}

/** Whether a remote server is called with the bearer token of the account. */
function isOfToken(auth: unknown): boolean {
  return (
    JSON.stringify(auth) === JSON.stringify({ type: 'bearer', token: { account: TOKEN_FIELD } })
  )
}
