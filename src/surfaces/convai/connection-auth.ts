/** What an auth connection of convai's form is among ours, made or updated. */
import type { ConnectionAuth } from '../../catalog/connection-auth.ts'
import { DEFAULT_JWT_SECONDS } from '../../handlers/auth.ts'
import type { StoredAuth } from '../../handlers/remote.ts'
import type { ConnectionUpdate, NewConnection } from './connection-forms.ts'
import { given } from './extras.ts'

/** What authorizes by a new connection, its secrets by value. */
export function toAuth(made: NewConnection): ConnectionAuth {
  switch (made.auth_type) {
    case 'oauth2_client_credentials':
      return {
        type: 'oauth2',
        tokenUrl: made.token_url,
        clientId: made.client_id,
        clientSecret: { value: made.client_secret },
        clientAuth: made.basic_auth_in_header === true ? 'basic' : 'body',
        ...scopeOf(made.scopes),
        ...(made.extra_params && { params: made.extra_params }),
        ...(made.custom_headers && { headers: made.custom_headers }),
      }
    case 'custom_header_auth':
      return { type: 'header', name: made.header_name, value: { value: made.token } }
    case 'basic_auth':
      return { type: 'basic', username: made.username, password: { value: made.password } }
    case 'bearer_auth':
      return { type: 'bearer', token: { value: made.token } }
    case 'oauth2_jwt':
      return {
        type: 'jwt_bearer',
        ...signedBy(made),
        tokenUrl: made.token_url,
        tokenField: made.token_response_field ?? 'access_token',
        ...scopeOf(made.scopes),
      }
    case 'private_key_jwt':
    default:
      return { type: 'jwt', ...signedBy(made) }
  }
}

/** How a connection authorizes after an update, its new secrets by value; what is absent stays. */
export function updatedAuth(auth: StoredAuth, update: ConnectionUpdate): ConnectionAuth {
  const token = secret(update.token)
  switch (auth.type) {
    case 'bearer':
      return changed(auth, { token })
    case 'header':
      return changed(auth, { name: update.header_name, value: token })
    case 'basic':
      return changed(auth, { username: update.username, password: secret(update.password) })
    case 'oauth2':
      return changed(scoped(withParams(auth, update), update), {
        clientId: update.client_id,
        clientSecret: secret(update.client_secret),
        clientAuth: clientAuthOf(update),
        headers: update.custom_headers && { ...sealedIn(auth), ...update.custom_headers },
      })
    case 'jwt':
      return changed(auth, signedAgain(update))
    case 'jwt_bearer':
      return changed(scoped(auth, update), {
        ...signedAgain(update),
        tokenField: update.token_response_field,
      })
    case 'query':
    case 'none':
    default:
      return changed(auth, {})
  }
}

/** The same with other values; null and undefined change nothing. */
function changed(auth: StoredAuth, members: Readonly<Record<string, unknown>>): ConnectionAuth {
  // A connection refers to no account: nobody could have stored one that does.
  return { ...auth, ...given(members) } as ConnectionAuth
}

type OAuth2 = Extract<StoredAuth, { type: 'oauth2' }>

function scoped<T extends { scope?: string | undefined }>(auth: T, { scopes }: ConnectionUpdate) {
  if (!scopes) return auth
  const { scope: _, ...rest } = auth
  return { ...rest, ...scopeOf(scopes) }
}

/** With other parameters; audience and resource stand among those that convai shows. */
function withParams(auth: OAuth2, { extra_params: params }: ConnectionUpdate): OAuth2 {
  if (!params) return auth
  const { audience: _a, resource: _r, ...rest } = auth
  return { ...rest, params }
}

/** The headers that are not shown: one who sends the others back did not mean to drop them. */
function sealedIn({ headers = {} }: OAuth2) {
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => typeof value !== 'string'),
  )
}

function clientAuthOf({ basic_auth_in_header: inHeader }: ConnectionUpdate) {
  if (typeof inHeader !== 'boolean') return undefined
  return inHeader ? 'basic' : 'body'
}

function signedAgain(update: ConnectionUpdate) {
  return {
    algorithm: update.algorithm,
    keyId: update.key_id,
    issuer: update.issuer,
    audience: update.audience,
    subject: update.subject,
    expiresInSeconds: update.expiration_seconds,
    claims: update.extra_params,
    key: secret(update.secret_key),
  }
}

function secret(value: string | null | undefined): { value: string } | undefined {
  return typeof value === 'string' ? { value } : undefined
}

function scopeOf(scopes: readonly string[] | null | undefined): { scope?: string } {
  return scopes && scopes.length > 0 ? { scope: scopes.join(' ') } : {}
}

function signedBy(made: Extract<NewConnection, { secret_key: string }>) {
  const { issuer, audience, subject } = made
  return {
    algorithm: made.algorithm ?? 'HS256',
    ...(made.key_id && { keyId: made.key_id }),
    issuer,
    audience,
    subject,
    expiresInSeconds: made.expiration_seconds ?? DEFAULT_JWT_SECONDS,
    ...(made.extra_params && { claims: made.extra_params }),
    key: { value: made.secret_key },
  }
}
