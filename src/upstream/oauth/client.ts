/**
 * The client that we are at an authorization server: one that an operator configured, our client id
 * metadata document, or one that was registered there (RFC 7591) where that is all there is.
 */
import * as z from 'zod'
import type { Outbound } from '../outbound.ts'
import type { AuthorizationServer } from './authorization-server.ts'
import { OAuthFault } from './fault.ts'
import { postTo } from './post.ts'

export const ClientAuth = z.enum(['none', 'basic', 'body'])
export type ClientAuth = z.infer<typeof ClientAuth>

/** As it is kept, sealed: its secret, or the name of the organization's that it is. */
export const Client = z.strictObject({
  id: z.string(),
  auth: ClientAuth,
  secret: z.string().optional(),
  secretName: z.string().optional(),
})
export type Client = z.infer<typeof Client>

const Registered = z.looseObject({
  client_id: z.string().min(1).max(2048),
  client_secret: z.string().min(1).max(4096).optional(),
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
})

/** What we are called at authorization servers, and where they send people back to. */
export type ClientMetadata = { redirectUri: string; clientUri: string }

/** The metadata of our client, as a document or as a registration. */
export function clientMetadata({ redirectUri, clientUri }: ClientMetadata) {
  return {
    client_name: 'Rollcall',
    client_uri: clientUri,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

/** Registers a client, with when it ends; `OAuthFault` where that cannot be done. */
export async function registerClient(
  outbound: Outbound,
  { registrationUrl, tokenUrl }: AuthorizationServer,
  metadata: ClientMetadata,
): Promise<{ client: Client; endsAtMs: number | undefined }> {
  const { host } = new URL(tokenUrl)
  if (registrationUrl === undefined) {
    const message = `${host} knows us as no client; the server's "connect" needs a clientId`
    throw new OAuthFault('unfit', message)
  }
  const answer = await postTo(outbound, {
    url: registrationUrl,
    contentType: 'application/json',
    body: JSON.stringify(clientMetadata(metadata)),
  })
  const registered = Registered.safeParse(answer)
  if (!registered.success) throw new OAuthFault('unfit', `${host} registered no client`)
  const { client_id: id, client_secret: secret, client_secret_expires_at: ends } = registered.data
  const method = registered.data.token_endpoint_auth_method ?? 'client_secret_basic'
  const auth = method === 'client_secret_post' ? 'body' : 'basic'
  const client: Client =
    secret === undefined || method === 'none' ? { id, auth: 'none' } : { id, auth, secret }
  return { client, endsAtMs: ends === undefined || ends === 0 ? undefined : ends * 1000 }
}
