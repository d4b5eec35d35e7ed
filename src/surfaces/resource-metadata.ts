/**
 * Endpoints as OAuth resources (`mcp-protocol.md` §7.1, §7.2): their URLs, the challenge that leads a
 * client to their metadata, and that metadata. All of it from PUBLIC_URL, never the request's Host.
 */
import type { Platform } from './platform.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The URL that tokens for an endpoint must name; undefined where none are taken. */
export function resourceOf({ settings }: Platform, path: string): string | undefined {
  const { OAUTH_ISSUERS, PUBLIC_URL } = settings
  return OAUTH_ISSUERS.length === 0 ? undefined : `${PUBLIC_URL}${path}`
}

/** The challenge of a refusal at an endpoint; `error` only where a credential was presented. */
export function challenge(
  platform: Platform,
  path: string,
  {
    error,
    scopes = [],
  }: { error?: string | undefined; scopes?: readonly string[] | undefined } = {},
): Readonly<Record<string, string>> {
  const metadata =
    resourceOf(platform, path) && `${platform.settings.PUBLIC_URL}${WELL_KNOWN}${path}`
  const parameters = [
    'realm="rollcall"',
    ...(error === undefined ? [] : [`error="${error}"`]),
    ...(scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`]),
    ...(metadata === undefined ? [] : [`resource_metadata="${metadata}"`]),
  ]
  return { 'WWW-Authenticate': `Bearer ${parameters.join(', ')}` }
}

/** The protected resource metadata of an endpoint (RFC 9728), which any page may read. */
export function formatMetadata(
  { settings }: Platform,
  resource: string,
  { name, scopes = [] }: { name: string; scopes?: readonly string[] | undefined },
): Response {
  const metadata = {
    resource,
    authorization_servers: settings.OAUTH_ISSUERS.map(({ issuer }) => issuer),
    ...(scopes.length > 0 && { scopes_supported: scopes }),
    bearer_methods_supported: ['header'],
    resource_name: name,
  }
  return Response.json(metadata, {
    headers: { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=60' },
  })
}

/** Answers a preflight for metadata. */
export function preflightMetadata(): Response {
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET',
    'Access-Control-Allow-Headers': '*', // the SDK sends MCP-Protocol-Version
  }
  return new Response(null, { status: 204, headers })
}
