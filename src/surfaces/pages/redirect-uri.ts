/** The one address that authorization servers send people back to, and what they are told of us. */
import { clientMetadata } from '../../upstream/oauth/client.ts'
import { publicOrigin } from '../link.ts'
import type { Platform, Visit } from '../platform.ts'

const DOCUMENT_SECONDS = 3600

/** The redirect URI of a deployment. */
export function redirectUriOf(origin: string): string {
  return `${origin}/oauth/callback`
}

/** The id that we have as a client whose metadata is read from its URL. */
export function clientIdOf(origin: string): string {
  return `${origin}/oauth/client.json`
}

/** Answers with that metadata (client ID metadata document). */
export function clientDocument(platform: Platform, { request }: Visit): Response {
  const origin = publicOrigin(platform, request)
  const metadata = clientMetadata({ redirectUri: redirectUriOf(origin), clientUri: origin })
  return Response.json(
    { client_id: clientIdOf(origin), ...metadata },
    { headers: { 'Cache-Control': `public, max-age=${DOCUMENT_SECONDS}` } },
  )
}
