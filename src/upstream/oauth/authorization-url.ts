/** Where a person is sent to say yes (RFC 6749 §4.1.1, RFC 7636, RFC 8707). */
import { OAuthFault } from './fault.ts'

export type AuthorizationRequest = {
  authorizationUrl: string
  clientId: string
  redirectUri: string
  state: string
  /** S256 of the verifier. */
  challenge: string
  scopes: readonly string[]
  /** What the token is for, by its URL (RFC 8707); absent for what is no MCP server. */
  resource?: string | undefined
  audience?: string | undefined
  /** Of OpenID Connect. */
  nonce?: string | undefined
}

/** The URL; `OAuthFault` where a browser must not be sent there. */
export function formatAuthorizationUrl(
  { authorizationUrl, scopes, ...request }: AuthorizationRequest,
  /** Whether plain http may be used: in development alone. */
  allowsHttp: boolean,
): URL {
  const url = new URL(authorizationUrl)
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && allowsHttp)
  if (!isSafe || url.username !== '' || url.password !== '') {
    throw new OAuthFault('unfit', `Nobody can be sent to ${url.host} over ${url.protocol}`)
  }
  const params = {
    response_type: 'code',
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    resource: request.resource,
    audience: request.audience,
    nonce: request.nonce,
  }
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  url.hash = ''
  return url
}
