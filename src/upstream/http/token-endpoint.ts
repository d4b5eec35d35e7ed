/**
 * Asking a token endpoint for an access token: by OAuth 2 client credentials (RFC 6749 §4.4), or by
 * a JWT that is signed here (RFC 7523 §2.1). Errors name the endpoint's host and the error's code.
 */
import type { StoredAuth } from '../../handlers/remote.ts'
import { isHeaderValue } from '../../handlers/headers.ts'
import { authorize } from '../authorize.ts'
import { readText } from '../bounded-body.ts'
import { errorCodeOf } from '../oauth/fault.ts'
import { parseAnswer } from '../oauth/post.ts'
import { formEncoded } from '../oauth/tokens.ts'
import { basicCredentials, type OpenedSecrets } from '../opened-secrets.ts'
import { OutboundRefused, type Outbound } from '../outbound.ts'
import { CallFailed } from './call.ts'
import { signJwt } from './signed-jwt.ts'

const MAX_ANSWER_BYTES = 64 * 1024
const DEFAULT_LIFE_MS = 300_000 // where the answer does not say
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

type OAuth2 = Extract<StoredAuth, { type: 'oauth2' }>
type JwtBearer = Extract<StoredAuth, { type: 'jwt_bearer' }>

export type Granting = {
  auth: OAuth2 | JwtBearer
  secrets: OpenedSecrets
  outbound: Outbound
  signal: AbortSignal
  hops: number
}

/** A new token with how long it lives; `CallFailed` where none is given. */
export async function grantToken(granting: Granting, now: number) {
  const { auth, secrets, outbound, signal, hops } = granting
  const headers = new Map<string, string>()
  const form =
    auth.type === 'oauth2'
      ? clientCredentials(auth, secrets, headers)
      : new URLSearchParams({
          grant_type: JWT_BEARER,
          assertion: (await signJwt(auth, secrets, now)).token,
          ...(auth.scope !== undefined && { scope: auth.scope }),
        })
  headers.set('accept', 'application/json')
  headers.set('content-type', 'application/x-www-form-urlencoded')
  const body = form.toString()
  // What it is sent is for nobody else: redirects are not followed.
  const sent = { url: auth.tokenUrl, method: 'POST', headers, body, signal, hops, maxRedirects: 0 }
  const response = await outbound(sent).catch((error: unknown) => {
    if (error instanceof OutboundRefused) throw error
    throw new CallFailed(`${endpointOf(auth)} could not be reached`)
  })
  const { text } = await readText(response, MAX_ANSWER_BYTES)
  return readGrant(auth, response.status, parseAnswer(text))
}

/** The form by which a client asks; what is of the protocol has the last word. */
function clientCredentials(
  { headers: constant = {}, ...auth }: OAuth2,
  secrets: OpenedSecrets,
  headers: Map<string, string>,
): URLSearchParams {
  authorize({ headers, query: [] }, { headers: constant }, secrets)
  const { scope, audience, resource } = auth
  const form = new URLSearchParams({ ...auth.params, grant_type: 'client_credentials' })
  const optional = Object.entries({ scope, audience, resource })
  for (const [name, value] of optional) if (value !== undefined) form.set(name, value)
  if (auth.clientAuth === 'body') {
    form.set('client_id', secrets.reveal(auth.clientId))
    form.set('client_secret', secrets.reveal(auth.clientSecret))
    return form
  }
  const user = formEncoded(secrets.reveal(auth.clientId))
  const password = formEncoded(secrets.reveal(auth.clientSecret))
  headers.set('authorization', basicCredentials(secrets, user, password))
  return form
}

function endpointOf({ tokenUrl }: Granting['auth']): string {
  return `The token endpoint at ${new URL(tokenUrl).host}`
}

function readGrant(
  auth: Granting['auth'],
  status: number,
  answer: Readonly<Record<string, unknown>>,
): { token: string; lifeMs: number } {
  const { token_type: type = 'Bearer', expires_in: life, error } = answer
  const { tokenField: field = 'access_token' } = auth.type === 'jwt_bearer' ? auth : {}
  const token = answer[field]
  const at = endpointOf(auth)
  if (status !== 200) {
    const code = errorCodeOf(error)
    throw new CallFailed(`${at} answered ${status}${code === undefined ? '' : ` (${code})`}`)
  }
  if (typeof token !== 'string' || token === '' || !isHeaderValue(token)) {
    throw new CallFailed(`${at} gave no ${field}`)
  }
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer'
  if (field === 'access_token' && !isBearer) {
    throw new CallFailed(`${at} gave a token that is no bearer token`)
  }
  const seconds = Number(life ?? NaN)
  return { token, lifeMs: seconds >= 0 ? seconds * 1000 : DEFAULT_LIFE_MS }
}
