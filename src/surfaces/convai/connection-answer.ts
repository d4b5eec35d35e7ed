/** Auth connections as convai answers them (`convai-api.md` §6): all but what is secret. */
import type { StoredAuth } from '../../handlers/remote.ts'
import { DEFAULT_JWT_SECONDS } from '../../handlers/auth.ts'
import type { ConnectionRecord } from '../../objects/organization/connection-commands.ts'
import type { ConvaiCall } from './call.ts'
import { formatUsers } from './used-by.ts'

const AUTH_TYPES: Readonly<Record<StoredAuth['type'], string>> = {
  none: 'none', // which no connection is
  bearer: 'bearer_auth',
  header: 'custom_header_auth',
  query: 'url_secret',
  basic: 'basic_auth',
  oauth2: 'oauth2_client_credentials',
  jwt: 'private_key_jwt',
  jwt_bearer: 'oauth2_jwt',
}

/** What convai calls a way to authorize. */
export function authTypeOf({ type }: StoredAuth): string {
  return AUTH_TYPES[type]
}

/** A connection as an answer has it. */
export function formatConnection({ actor }: Pick<ConvaiCall, 'actor'>, record: ConnectionRecord) {
  const { id, name, provider, auth, status, statusDetail, statusAt, usedBy } = record
  return {
    auth_type: authTypeOf(auth),
    name,
    provider,
    ...fieldsOf(auth),
    id,
    used_by: {
      tools: [],
      mcp_servers: formatUsers(actor, usedBy),
      integration_connections: [],
    },
    status,
    status_detail: statusDetail ?? null,
    status_updated_at: statusAt === undefined ? null : new Date(statusAt).toISOString(),
  }
}

function fieldsOf(auth: StoredAuth): Record<string, unknown> {
  switch (auth.type) {
    case 'header':
      return { header_name: auth.name }
    case 'basic':
      return { username: openText(auth.username) }
    case 'oauth2': {
      const { audience, resource, params } = auth
      return {
        client_id: openText(auth.clientId),
        token_url: auth.tokenUrl,
        scopes: scopesOf(auth.scope),
        extra_params: {
          ...params,
          ...(audience !== undefined && { audience }),
          ...(resource !== undefined && { resource }),
        },
        basic_auth_in_header: auth.clientAuth !== 'body',
        custom_headers: openOnes(auth.headers ?? {}),
      }
    }
    case 'jwt':
      return signedFields(auth)
    case 'jwt_bearer':
      return {
        ...signedFields(auth),
        token_url: auth.tokenUrl,
        scopes: scopesOf(auth.scope),
        token_response_field: auth.tokenField ?? 'access_token',
      }
    case 'bearer':
    case 'query':
    case 'none':
    default:
      return {}
  }
}

function signedFields(auth: Extract<StoredAuth, { type: 'jwt' | 'jwt_bearer' }>) {
  return {
    algorithm: auth.algorithm ?? 'RS256',
    key_id: auth.keyId ?? null,
    issuer: auth.issuer,
    audience: auth.audience,
    subject: auth.subject,
    expiration_seconds: auth.expiresInSeconds ?? DEFAULT_JWT_SECONDS,
    extra_params: auth.claims ?? {},
  }
}

/** A text where it stands in the open; empty where it is a secret. */
function openText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function openOnes(headers: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    Object.entries(headers).filter(([, value]) => typeof value === 'string'),
  )
}

function scopesOf(scope = ''): string[] {
  return scope.split(' ').filter((one) => one !== '')
}
