/**
 * The convai surface: `/v1/convai` and `/v1/workspace/auth-connections` by the table in routes.ts, as
 * the official client of `convai-api.md` calls them. Every answer tells the id of its request.
 */
import { corsHeaders, ORIGIN_REFUSED, preflight, requireDeploymentOrigin } from '../cors.ts'
import type { Platform, Visit } from '../platform.ts'
import { organizationOf } from '../../objects/resident.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { requireCaller, requireMay } from './authorize.ts'
import { formatConvaiError } from './errors.ts'
import { createRouter } from './route.ts'
import { ROUTES } from './routes.ts'

const find = createRouter(ROUTES)

/** Answers a request; in order 401, 422, 404 (`surfaces.md` D20). */
export async function convai(platform: Platform, visit: Visit): Promise<Response> {
  const origin = visit.request.headers.get('origin')
  const requestId = crypto.randomUUID()
  let readable = corsHeaders(origin)
  let response: Response
  try {
    requireDeploymentOrigin(origin, platform.settings)
    response = await respond(platform, visit, requestId)
  } catch (error) {
    if (error instanceof HttpError && error.code === ORIGIN_REFUSED) readable = {}
    response = formatConvaiError(error, requestId)
  }
  response.headers.set('X-Request-Id', requestId)
  for (const [name, value] of Object.entries(readable)) response.headers.set(name, value)
  return response
}

async function respond(platform: Platform, visit: Visit, requestId: string): Promise<Response> {
  const { request } = visit
  if (request.method === 'OPTIONS') return preflight(request)
  const { actor, organization } = await requireCaller(platform, visit)
  const { pathname, searchParams: query } = new URL(request.url)
  const { route, params } = find(request.method, pathname)
  requireMay(actor, route.act)
  const stub = organizationOf(platform.env, organization)
  const acting = { platform, visit, actor, organization, stub }
  return route.handler({ ...acting, request, params, query, requestId })
}
