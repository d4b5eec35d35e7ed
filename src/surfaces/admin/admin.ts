/** The admin surface: `/api/v1` by the table in routes.ts, and `/openapi.json`. */
import { Router, type IRequest } from 'itty-router'
import { corsHeaders, preflight, requireOrigin } from '../cors.ts'
import type { Platform, Visit } from '../platform.ts'
import { formatRefusal, notFound, refusalOf } from '../rest-answer.ts'
import { requireOperator, requireOrganizationId } from './authorize.ts'
import type { AdminCall } from './call.ts'
import { openApi } from './openapi.ts'
import { ROUTES, type Route } from './routes.ts'

type Args = [Platform, Visit]

const router = Router<IRequest, Args, Response | undefined>({ base: '/api/v1' })
for (const route of ROUTES) {
  router.all(route.path, ({ method, params }, platform, visit) =>
    method === route.method ? run(route, platform, visit, params) : undefined,
  )
}

/** Answers a request below `/api/v1`. */
export async function admin(platform: Platform, visit: Visit): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    const { ALLOWED_ORIGINS, DEVELOPMENT } = platform.settings
    requireOrigin(origin, DEVELOPMENT ? undefined : ALLOWED_ORIGINS, DEVELOPMENT)
    if (request.method === 'OPTIONS') return preflight(request)
    await requireOperator(platform, visit, request.headers)
    const response = await router.fetch(request, platform, visit)
    if (response === undefined) throw notFound()
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

async function run(
  route: Route,
  platform: Platform,
  visit: Visit,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const { request } = visit
  const query = new URL(request.url).searchParams
  const call = { platform, visit, request, params, query }
  if (route.scope === 'deployment') return route.handler(call)
  const organization = await requireOrganizationId(platform, visit, request.headers)
  const stub: AdminCall['stub'] = platform.env.ORGANIZATION.getByName(organization)
  return route.handler({ ...call, organization, stub })
}
