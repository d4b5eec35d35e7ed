/**
 * An authorization server as its metadata describes it (RFC 8414, OpenID Connect Discovery), which must
 * be of the issuer it was asked for.
 */
import * as z from 'zod'
import { discoveryUrls } from '../../protocol/well-known.ts'
import { OAuthFault } from './fault.ts'

const MAX_URL_LENGTH = 2048

const Url = z.url({ protocol: /^https?$/ }).max(MAX_URL_LENGTH)

const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: Url,
  token_endpoint: Url,
  registration_endpoint: Url.optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
})

export const AuthorizationServer = z.strictObject({
  /** Absent where an operator said its URLs alone. */
  issuer: z.string().optional(),
  authorizationUrl: z.string(),
  tokenUrl: z.string(),
  registrationUrl: z.string().optional(),
  /** Whether its answers always name it (RFC 9207). */
  namesItself: z.boolean(),
  /** Whether a client may be the URL of its metadata. */
  readsClientMetadata: z.boolean(),
})
export type AuthorizationServer = z.infer<typeof AuthorizationServer>

/** Reads JSON over HTTP, bounded in size and time; throws for anything else. */
export type FetchJson = (url: string) => Promise<unknown>

/**
 * The server of an issuer, or `OAuthFault`: one that does not say that it does PKCE with S256 is not used
 * (`mcp-protocol.md` §7.5). Those that people sign in to may be silent, since an ID token is bound by its nonce.
 */
export async function discoverServer(
  fetchJson: FetchJson,
  issuer: string,
  purpose: 'access' | 'sign-in' = 'access',
): Promise<AuthorizationServer> {
  const { host } = new URL(issuer)
  let fault = new OAuthFault('unfit', `${host} has no metadata of an authorization server`)
  for (const url of discoveryUrls(issuer)) {
    const found = await fetchJson(url).catch(() => undefined) // the next form may be the right one
    if (found === undefined) continue
    const metadata = Metadata.safeParse(found)
    if (!metadata.success) {
      fault = new OAuthFault('unfit', `The metadata of ${host} lacks what is needed`)
    } else if (metadata.data.issuer === issuer) {
      if (purpose === 'access') requirePkce(metadata.data, host)
      return toServer(metadata.data)
    } else {
      fault = new OAuthFault('unfit', `The metadata at ${host} is of another issuer`)
    }
  }
  throw fault
}

/** Throws `OAuthFault` where an answer is of another server than was asked (RFC 9207). */
export function requireIssuer({ issuer, namesItself }: AuthorizationServer, iss: string | null) {
  const isMissing = iss === null && namesItself
  const isOther = iss !== null && issuer !== undefined && iss !== issuer
  if (!isMissing && !isOther) return
  throw new OAuthFault('unfit', 'The answer is not of the authorization server that was asked')
}

function requirePkce(metadata: z.infer<typeof Metadata>, host: string): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') === true) return
  throw new OAuthFault('unfit', `${host} does not say that it does PKCE with S256`)
}

function toServer(metadata: z.infer<typeof Metadata>): AuthorizationServer {
  const { registration_endpoint: registrationUrl } = metadata
  return {
    issuer: metadata.issuer,
    authorizationUrl: metadata.authorization_endpoint,
    tokenUrl: metadata.token_endpoint,
    ...(registrationUrl !== undefined && { registrationUrl }),
    namesItself: metadata.authorization_response_iss_parameter_supported === true,
    readsClientMetadata: metadata.client_id_metadata_document_supported === true,
  }
}
