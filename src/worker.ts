/**
 * The roof: which path belongs to which surface, and what an isolate makes once. Settings are read
 * with the first request; a wrong one fails it with a message that names it.
 */
import { Router, type IRequest } from 'itty-router'
import { Misconfigured, readSettings, type Env } from './env.ts'
import { HttpError } from './protocol/http-error.ts'
import { admin, openApiDocument } from './surfaces/admin/admin.ts'
import { convai } from './surfaces/convai/convai.ts'
import { isLoopbackHost } from './surfaces/cors.ts'
import { connectors } from './surfaces/gateway/connectors.ts'
import { gateway } from './surfaces/gateway/endpoint.ts'
import { gatewayMetadata } from './surfaces/gateway/metadata.ts'
import { hosted } from './surfaces/hosted/endpoint.ts'
import { hostedMetadata } from './surfaces/hosted/metadata.ts'
import {
  approvalForm,
  approvalPage,
  connectForm,
  connectPage,
  oauthCallback,
} from './surfaces/pages/pages.ts'
import { clientDocument } from './surfaces/pages/redirect-uri.ts'
import { preflightMetadata } from './surfaces/resource-metadata.ts'
import { createPlatform, type Platform, type Visit } from './surfaces/platform.ts'
import { residency } from './surfaces/residency.ts'
import { formatRefusal, notFound, refusalOf } from './surfaces/rest-answer.ts'

export { Channel } from './objects/channel.ts'
export { Directory } from './objects/directory.ts'
export { Organization } from './objects/organization.ts'
export { Session } from './objects/session.ts'
export { Upstream } from './objects/upstream.ts'

type Args = [Platform, Visit]

const router = Router<IRequest, Args, Response>({
  catch: (error: unknown, request: IRequest) =>
    formatRefusal(refusalOf(error), request.headers.get('origin')),
})
router
  .all('/api/v1/*', (_request, platform, visit) => admin(platform, visit))
  .all('/v1/convai/*', (_request, platform, visit) => convai(platform, visit))
  .all('/v1/workspace/auth-connections/*?', (_request, platform, visit) => convai(platform, visit))
  .get('/openapi.json', (_request, platform) => openApiDocument(platform))
  .all('/connectors', (_request, platform, visit) => connectors(platform, visit))
  .get('/health', () => Response.json({ status: 'ok' }))
  .head('/health', () => new Response(null))
  .get('/residency', (_request, { settings }) => residency(settings))
  .options('/.well-known/oauth-protected-resource/*', preflightMetadata)
  .get('/.well-known/oauth-protected-resource/mcp', (_request, platform) =>
    gatewayMetadata(platform, undefined),
  )
  .get('/.well-known/oauth-protected-resource/mcp/env', nothing)
  .get('/.well-known/oauth-protected-resource/mcp/env/:name', ({ params }, platform) =>
    gatewayMetadata(platform, params['name'] ?? ''),
  )
  .get('/.well-known/oauth-protected-resource/mcp/:slug/:id?', ({ params }, platform, visit) =>
    hostedMetadata(platform, visit, { slug: params['slug'] ?? '', id: params['id'] }),
  )
  .get('/connect', (_request, platform, visit) => connectPage(platform, visit))
  .post('/connect', (_request, platform, visit) => connectForm(platform, visit))
  .get('/approve', (_request, platform, visit) => approvalPage(platform, visit))
  .post('/approve', (_request, platform, visit) => approvalForm(platform, visit))
  .get('/oauth/callback', (_request, platform, visit) => oauthCallback(platform, visit))
  .get('/oauth/client.json', (_request, platform, visit) => clientDocument(platform, visit))
  .all('*', nothing)

/**
 * The path of most requests, told apart before the router: its work on each would be a seventh of a
 * short list's. `/mcp/env` is not a hosted server's (`surfaces.md` X1).
 */
const HOSTED = /^https?:\/\/[^/]+\/mcp\/(?!env(?:[/?#]|$))([^/?#]+)(?:\/([^/?#]+))?\/?(?:[?#]|$)/

/** The gateway and its environments, whose names no other segment follows. */
const GATEWAY = /^https?:\/\/[^/]+\/mcp(?:\/env\/([^/?#]+))?\/?(?:[?#]|$)/

function nothing(): never {
  throw notFound()
}

function hostNotAllowed(): HttpError {
  return new HttpError(403, 'host_not_allowed', 'In development the Host must be loopback')
}

let platform: Platform | undefined
/** The Host that was found to be loopback last; development alone looks at it. */
let loopbackHost: string | null = null

export default {
  // Not async, as it only hands promises on.
  fetch(request, env, context): Response | Promise<Response> {
    try {
      platform ??= createPlatform(env, readSettings(env))
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error
      console.error(error.message)
      return formatRefusal(new HttpError(500, 'misconfigured', error.message), null)
    }
    const host = request.headers.get('host')
    if (platform.settings.DEVELOPMENT && host !== loopbackHost) {
      if (!isLoopbackHost(host)) return formatRefusal(hostNotAllowed(), null)
      loopbackHost = host
    }
    const visit: Visit = {
      request,
      waitUntil: (work) => context.waitUntil(work),
      get address() {
        return request.headers.get('cf-connecting-ip') ?? 'unknown'
      },
    }
    const [, slug, id] = HOSTED.exec(request.url) ?? []
    if (slug !== undefined) return hosted(platform, visit, { slug, id })
    const ofGateway = GATEWAY.exec(request.url)
    if (ofGateway !== null) return gateway(platform, visit, ofGateway[1])
    return router.fetch(request, platform, visit)
  },
} satisfies ExportedHandler<Env>
