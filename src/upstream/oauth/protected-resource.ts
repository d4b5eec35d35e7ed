/**
 * Which authorization server a remote MCP server trusts (RFC 9728; `mcp-protocol.md` §7.1): what its 401
 * points to, else its well-known metadata, else, as of 2025-03-26, the server's own origin.
 */
import * as z from 'zod'
import { resourceMetadataUrls } from '../../protocol/well-known.ts'
import type { FetchJson } from './authorization-server.ts'
import { OAuthFault } from './fault.ts'
import type { Outbound } from '../outbound.ts'

const PROBE = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const PROBE_MS = 5000
const MAX_SCOPES = 100

const Metadata = z.looseObject({
  resource: z.string().max(2048),
  authorization_servers: z
    .array(z.url({ protocol: /^https?$/ }).max(2048))
    .min(1)
    .max(20),
  scopes_supported: z.array(z.string().max(200)).max(MAX_SCOPES).optional().catch(undefined),
})

export type ProtectedResource = {
  /** What tokens are asked for. */
  resource: string
  issuer: string
  /** What it says that a client should ask for. */
  scopes: readonly string[]
}

/** The resource that an endpoint is, and who gives tokens for it; `OAuthFault` where that is unfit. */
export async function discoverResource(
  outbound: Outbound,
  fetchJson: FetchJson,
  endpoint: string,
): Promise<ProtectedResource> {
  const challenged = await probe(outbound, endpoint)
  const pointed = challenged.metadataUrl === undefined ? [] : [challenged.metadataUrl]
  for (const url of [...pointed, ...resourceMetadataUrls(endpoint)]) {
    const found = await fetchJson(url).catch(() => undefined) // it need not be at each
    const metadata = Metadata.safeParse(found)
    if (!metadata.success) continue
    const { resource, authorization_servers: servers, scopes_supported = [] } = metadata.data
    if (!isResourceOf(resource, endpoint)) continue
    const [issuer = ''] = servers
    return { resource, issuer, scopes: challenged.scopes ?? scopes_supported }
  }
  const { origin } = new URL(endpoint)
  return { resource: endpoint, issuer: origin, scopes: challenged.scopes ?? [] }
}

/** What the endpoint says to whoever has no token. */
async function probe(outbound: Outbound, url: string) {
  const headers = new Map([
    ['accept', 'application/json, text/event-stream'],
    ['content-type', 'application/json'],
  ])
  const signal = AbortSignal.timeout(PROBE_MS)
  try {
    const sent = { url, method: 'POST', headers, body: PROBE, signal, maxRedirects: 0 }
    const response = await outbound(sent)
    await response.body?.cancel()
    return response.status === 401 ? readChallenge(response.headers.get('www-authenticate')) : {}
  } catch (error) {
    throw new OAuthFault('unreachable', `${new URL(url).host} could not be reached`, {
      cause: error,
    })
  }
}

/** The parameters of a Bearer challenge that lead to a token. */
function readChallenge(challenge: string | null): { metadataUrl?: string; scopes?: string[] } {
  const text = challenge ?? ''
  const metadataUrl = /\bresource_metadata="([^"]{1,2048})"/i.exec(text)?.[1]
  const scope = /\bscope="([^"]{1,4096})"/i.exec(text)?.[1]
  return {
    ...(metadataUrl !== undefined && URL.canParse(metadataUrl) && { metadataUrl }),
    ...(scope !== undefined && { scopes: scope.split(' ').filter(Boolean).slice(0, MAX_SCOPES) }),
  }
}

/** Whether metadata is of an endpoint: of its very URL, or of a path above it at the same origin. */
function isResourceOf(resource: string, endpoint: string): boolean {
  const [of, at] = [URL.parse(resource), new URL(endpoint)]
  if (of === null || of.origin !== at.origin) return false
  const path = of.pathname.replace(/\/$/, '')
  return at.pathname === of.pathname || `${at.pathname}/`.startsWith(`${path}/`)
}
