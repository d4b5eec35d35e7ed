/**
 * The roof: which path belongs to which surface, and what an isolate makes once. Settings are read
 * with the first request; a wrong one fails it with a message that names it.
 */
import { Router, type IRequest } from 'itty-router'
import { Misconfigured, readSettings, type Env } from './env.ts'
import { HttpError } from './protocol/http-error.ts'
import { admin, openApiDocument } from './surfaces/admin/admin.ts'
import { isLoopbackHost } from './surfaces/cors.ts'
import { hosted } from './surfaces/hosted/endpoint.ts'
import { createPlatform, type Platform, type Visit } from './surfaces/platform.ts'
import { formatRefusal, notFound, refusalOf } from './surfaces/rest-answer.ts'

export { Channel } from './objects/channel.ts'
export { Directory } from './objects/directory.ts'
export { Organization } from './objects/organization.ts'
export { Session } from './objects/session.ts'

type Args = [Platform, Visit]

const router = Router<IRequest, Args, Response>({
  catch: (error: unknown, request: IRequest) =>
    formatRefusal(refusalOf(error), request.headers.get('origin')),
})
router
  .all('/mcp/env', nothing)
  .all('/mcp/env/*', nothing)
  .all('/mcp/:slug/:id', ({ params }, platform, visit) =>
    hosted(platform, visit, { slug: params['slug'] ?? '', id: params['id'] }),
  )
  .all('/mcp/:slug', ({ params }, platform, visit) =>
    hosted(platform, visit, { slug: params['slug'] ?? '', id: undefined }),
  )
  .all('/api/v1/*', (_request, platform, visit) => admin(platform, visit))
  .get('/openapi.json', (_request, platform) => openApiDocument(platform))
  .get('/health', () => Response.json({ status: 'ok' }))
  .all('*', nothing)

function nothing(): never {
  throw notFound()
}

let platform: Platform | undefined

export default {
  async fetch(request, env, context): Promise<Response> {
    try {
      platform ??= createPlatform(env, readSettings(env))
    } catch (error) {
      if (!(error instanceof Misconfigured)) throw error
      console.error(error.message)
      return formatRefusal(new HttpError(500, 'misconfigured', error.message), null)
    }
    if (platform.settings.DEVELOPMENT && !isLoopbackHost(request.headers.get('host'))) {
      return formatRefusal(
        new HttpError(403, 'host_not_allowed', 'In development the Host must be loopback'),
        null,
      )
    }
    const visit: Visit = {
      request,
      waitUntil: (work) => context.waitUntil(work),
      address: request.headers.get('cf-connecting-ip') ?? 'unknown',
    }
    return router.fetch(request, platform, visit)
  },
} satisfies ExportedHandler<Env>
