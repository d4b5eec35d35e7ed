/** The admin surface: `/api/v1` by the table in routes.ts, and `/openapi.json`. */
import { Router, type IRequest } from 'itty-router'
import { requireMay, type Actor } from '../../callers/may.ts'
import { organizationOf } from '../../objects/resident.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { corsHeaders, preflight, requireDeploymentOrigin } from '../cors.ts'
import type { Platform, Visit } from '../platform.ts'
import { formatRefusal, notFound, refusalOf } from '../rest-answer.ts'
import { requireActor, requireOrganizationId } from './authorize.ts'
import type { AdminCall } from './call.ts'
import { openApi } from './openapi.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'

/** The last collects the methods of the paths that matched, for the answer when none of them fits. */
type Args = [Platform, Visit, Actor, Set<string>]

const router = Router<IRequest, Args, Response | undefined>({ base: '/api/v1' })
for (const route of ROUTES) {
  router.all(route.path, ({ method, params }, platform, visit, actor, methods) => {
    if (method === route.method) return run(route, platform, visit, actor, params)
    methods.add(route.method)
    return undefined
  })
}

/** Answers a request below `/api/v1`. */
export async function admin(platform: Platform, visit: Visit): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    requireDeploymentOrigin(origin, platform.settings)
    if (request.method === 'OPTIONS') return preflight(request)
    const actor = await requireActor(platform, visit, request.headers)
    const methods = new Set<string>()
    const response = await router.fetch(request, platform, visit, actor, methods)
    if (response === undefined) throw methods.size === 0 ? notFound() : methodNotAllowed(methods)
    for (const [name, value] of Object.entries(corsHeaders(origin)))
      response.headers.set(name, value)
    return response
  } catch (error) {
    return formatRefusal(refusalOf(error), origin)
  }
}

/** Answers `GET /openapi.json`, which needs no credential. */
export function openApiDocument({ settings }: Platform): Response {
  return Response.json(openApi(settings.PUBLIC_URL))
}

function methodNotAllowed(methods: ReadonlySet<string>): HttpError {
  const allow = [...methods].join(', ')
  return new HttpError(405, 'method_not_allowed', `Use ${allow}`, { headers: { Allow: allow } })
}

async function run(
  route: Route,
  platform: Platform,
  visit: Visit,
  actor: Actor,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  requireMay(actor, route.act)
  const { request } = visit
  const query = new URL(request.url).searchParams
  const call = { platform, visit, request, params, query, actor }
  if (route.scope === 'deployment') return route.handler(call)
  const organization = await requireOrganizationId(platform, visit, request.headers, actor)
  const stub: AdminCall['stub'] = organizationOf(platform.env, organization)
  return route.handler({ ...call, organization, stub })
}
