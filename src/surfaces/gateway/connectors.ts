/** `GET /connectors` (`surfaces.md` D11): the connectors a caller has, and how their accounts are. */
import { organizationOf } from '../../objects/resident.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { corsHeaders, preflight, requireDeploymentOrigin } from '../cors.ts'
import type { Platform, Visit } from '../platform.ts'
import { refusalOf } from '../rest-answer.ts'
import { retrying } from '../retrying.ts'
import { requireGatewayCaller } from './caller.ts'
import { formatGatewayRefusal, methodNotAllowed, NO_STORE } from './refusal.ts'
import { requireSite, takeGatewaySlot } from './site.ts'

/** Answers any request to `/connectors`. */
export async function connectors(platform: Platform, visit: Visit): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    requireDeploymentOrigin(origin, platform.settings)
    if (request.method === 'OPTIONS') return preflight(request)
    const caller = await requireGatewayCaller(platform, visit)
    const site = await requireSite(platform, visit, caller, undefined)
    await takeGatewaySlot(site)
    if (request.method !== 'GET') throw methodNotAllowed('GET')
    const { organization, id, kind } = caller.principal
    const stub = () => organizationOf(platform.env, organization)
    const described = await retrying(async () =>
      valueOf(await stub().describeConnectors({ id, kind }, site.environment)),
    )
    const all = described.map(({ server: _, ...connector }) => connector)
    return Response.json({ connectors: all }, { headers: { ...NO_STORE, ...corsHeaders(origin) } })
  } catch (error) {
    return formatGatewayRefusal(refusalOf(error), origin)
  }
}
