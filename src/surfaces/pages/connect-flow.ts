/**
 * Connecting by OAuth: from what a server says, or what is found by itself, to the authorization server
 * (`mcp-protocol.md` §7.5); and from its answer to the account's credential.
 */
import { openClient } from '../../objects/open-client.ts'
import * as z from 'zod'
import type { OAuthConnect } from '../../catalog/connect.ts'
import { mintNonce } from '../../catalog/names.ts'
import { DEFAULT_ENVIRONMENT } from '../../handlers/variable.ts'
import type { AccountCredential } from '../../handlers/account-credential.ts'
import type { Organization } from '../../objects/organization.ts'
import type { DescribedConnect } from '../../objects/organization/connect-commands.ts'
import { clientPlace } from '../../objects/organization/oauth-clients.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Place } from '../../sealing/seal.ts'
import { createFetchJson } from '../../upstream/fetch-json.ts'
import {
  AuthorizationServer,
  discoverServer,
  requireIssuer,
} from '../../upstream/oauth/authorization-server.ts'
import { formatAuthorizationUrl } from '../../upstream/oauth/authorization-url.ts'
import { Client, registerClient } from '../../upstream/oauth/client.ts'
import { formatCredential } from '../../upstream/oauth/credential.ts'
import { OAuthFault } from '../../upstream/oauth/fault.ts'
import { challengeOf } from '../../upstream/oauth/pkce.ts'
import { discoverResource } from '../../upstream/oauth/protected-resource.ts'
import { exchangeCode } from '../../upstream/oauth/tokens.ts'
import type { Platform } from '../platform.ts'
import { clientIdOf, redirectUriOf } from './redirect-uri.ts'

/** What is kept, sealed, until the answer comes. */
export const Flow = z.strictObject({
  server: AuthorizationServer,
  client: Client,
  /** The id of a client that was registered here. */
  registered: z.string().optional(),
  verifier: z.string(),
  redirectUri: z.string(),
  resource: z.string().optional(),
})
export type Flow = z.infer<typeof Flow>

/** Where the flow of a connect is sealed for. */
export const flowPlace = (organization: string, connect: string): Place => ({
  purpose: 'links',
  path: [organization, 'connect', connect, 'flow'],
})

export type Connecting = {
  platform: Platform
  organization: string
  stub: DurableObjectStub<Organization>
  /** Of this deployment, as people reach it. */
  origin: string
}

/** A flow, and where the person is sent, which hangs on the state; `OAuthFault` where there is no way. */
export async function beginFlow(
  connecting: Connecting,
  { server: id, isRemote }: Pick<DescribedConnect, 'server' | 'isRemote'>,
  asks: OAuthConnect,
): Promise<{ flow: Flow; urlWith: (state: string) => Promise<URL> }> {
  const { platform, origin } = connecting
  const found = await findServer(connecting, id, isRemote, asks)
  const { server, resource } = found
  const redirectUri = redirectUriOf(origin)
  const { client, registered } = await findClient(connecting, server, asks)
  const verifier = mintNonce()
  const flow: Flow = {
    server,
    client,
    verifier,
    redirectUri,
    ...(registered !== undefined && { registered }),
    ...(resource !== undefined && { resource }),
  }
  const urlWith = async (state: string) =>
    formatAuthorizationUrl(
      {
        authorizationUrl: server.authorizationUrl,
        clientId: client.id,
        redirectUri,
        state,
        challenge: await challengeOf(verifier),
        scopes: asks.scopes ?? found.scopes,
        resource,
        audience: asks.audience,
      },
      platform.settings.DEVELOPMENT,
    )
  return { flow, urlWith }
}

/** The credential that the answer of an authorization server stands for, or `OAuthFault`. */
export async function endFlow(
  { platform: { world }, organization, stub }: Connecting,
  flow: Flow,
  answer: URLSearchParams,
): Promise<AccountCredential> {
  const { server, client, verifier, redirectUri, resource, registered } = flow
  requireIssuer(server, answer.get('iss'))
  const code = answer.get('code')
  const { host } = new URL(server.authorizationUrl)
  if (code === null || answer.has('error'))
    throw new OAuthFault('refused', `${host} said no; ask for a new link to try again`)
  const shown = await openClient({ world, organization, stub }, client)
  const endpoint = { tokenUrl: server.tokenUrl, client: shown, resource }
  const grant = { code, redirectUri, verifier }
  try {
    const tokens = await exchangeCode(world.outbound, endpoint, grant, Date.now())
    return formatCredential(tokens, endpoint)
  } catch (error) {
    const isUnknown = error instanceof OAuthFault && error.error === 'invalid_client'
    // It was registered once, and is not known there any more: the next try registers anew.
    if (isUnknown && registered !== undefined) await stub.forgetClient(registered)
    throw error
  }
}

async function findServer(
  connecting: Connecting,
  id: string,
  isRemote: boolean,
  { issuer, authorizationUrl, tokenUrl }: OAuthConnect,
): Promise<{ server: AuthorizationServer; resource?: string; scopes: readonly string[] }> {
  const { outbound } = connecting.platform.world
  const fetchJson = createFetchJson(outbound)
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    const said = issuer === undefined ? {} : { issuer }
    const urls = { authorizationUrl, tokenUrl, namesItself: false, readsClientMetadata: false }
    const endpoint = isRemote ? { resource: await endpointOf(connecting, id) } : {}
    return { server: { ...said, ...urls }, ...endpoint, scopes: [] }
  }
  if (!isRemote) return { server: await discoverServer(fetchJson, issuer ?? ''), scopes: [] }
  const endpoint = await endpointOf(connecting, id)
  const found = await discoverResource(outbound, fetchJson, endpoint)
  const { resource, scopes } = found
  return { server: await discoverServer(fetchJson, issuer ?? found.issuer), resource, scopes }
}

/** The URL of a remote server as it is without an environment. */
async function endpointOf({ stub }: Connecting, id: string): Promise<string> {
  const found = await stub.remote(id, DEFAULT_ENVIRONMENT)
  if (found === undefined || 'problem' in found) {
    throw new HttpError(409, 'server_not_reachable', 'The server cannot be reached as it is set up')
  }
  const { url } = found.remote
  if (typeof url === 'string') return new URL(url).href
  const message =
    'The URL of the server is a secret: its "connect" needs authorizationUrl, tokenUrl'
  throw new HttpError(409, 'server_url_secret', message)
}

/** The client that we are there: configured, by its metadata, or registered now or before. */
async function findClient(
  { platform: { world }, organization, stub, origin }: Connecting,
  server: AuthorizationServer,
  { clientId, clientSecret, clientAuth }: OAuthConnect,
): Promise<{ client: Client; registered?: string }> {
  if (clientId !== undefined) {
    const auth = clientAuth ?? (clientSecret === undefined ? 'none' : 'basic')
    const named = clientSecret !== undefined && { secretName: clientSecret.secret }
    return { client: { id: clientId, auth, ...named } }
  }
  if (server.readsClientMetadata) return { client: { id: clientIdOf(origin), auth: 'none' } }
  const registered = `${server.issuer ?? server.tokenUrl} ${origin}`
  const place = clientPlace(organization, registered)
  const sealed = await stub.findClient(registered)
  if (sealed !== undefined) {
    return { client: Client.parse(JSON.parse(await world.unseal(place, sealed))), registered }
  }
  const metadata = { redirectUri: redirectUriOf(origin), clientUri: origin }
  const { client, endsAtMs } = await registerClient(world.outbound, server, metadata)
  const kept = { id: registered, sealed: await world.seal(place, JSON.stringify(client)), endsAtMs }
  await stub.keepClient(kept)
  return { client, registered }
}
