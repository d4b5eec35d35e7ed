/**
 * The gateway surface: `/mcp` and `/mcp/env/{name}`, one endpoint for an organization, without sessions
 * (`surfaces.md` C, D8, D9). Checks in the order of `design.md` §1.
 */
import { classify } from '../../protocol/classify.ts'
import { essenceOf, isJson } from '../../protocol/headers.ts'
import { parseMessage, type Message } from '../../protocol/json-rpc.ts'
import { isModern, NEWEST_LEGACY } from '../../protocol/revisions.ts'
import { parseJson, readBody } from '../body.ts'
import { corsHeaders, preflight, requireDeploymentOrigin } from '../cors.ts'
import { hopsOf } from '../hops.ts'
import { ACCEPTED, answerError, type Answer } from '../messages.ts'
import type { Platform, Visit } from '../platform.ts'
import { refusalOf } from '../rest-answer.ts'
import { answerLegacy, answerModern } from './answer.ts'
import { requireGatewayCaller } from './caller.ts'
import { formatOneEvent } from './one-event.ts'
import {
  formatGatewayRefusal,
  methodNotAllowed,
  NO_STORE,
  noBatches,
  notAcceptable,
  unsupportedMediaType,
} from './refusal.ts'
import { requireSite, takeGatewaySlot, type Site } from './site.ts'

/** What a request is answered with, and the era it is of. */
type Answered = { answer: Answer | Response; era: 'legacy' | 'modern' }

/** Answers any request to the gateway, or to one of its environments. */
export async function gateway(
  platform: Platform,
  visit: Visit,
  environment: string | undefined,
): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    hopsOf(request.headers)
    requireDeploymentOrigin(origin, platform.settings)
    if (request.method === 'OPTIONS') return preflight(request)
    const caller = await requireGatewayCaller(platform, visit, environment)
    const site = await requireSite(platform, visit, caller, environment)
    await takeGatewaySlot(site)
    if (request.method !== 'POST') throw methodNotAllowed('POST')
    return respond(await answerPost(site), corsHeaders(origin))
  } catch (error) {
    return formatGatewayRefusal(refusalOf(error), origin)
  }
}

async function answerPost(site: Site): Promise<Answered> {
  const { request } = site.visit
  const era = isModernRequest(request) ? 'modern' : 'legacy'
  if (!isJson(request.headers.get('content-type'))) return { answer: unsupportedMediaType(), era }
  if (era === 'legacy' && !acceptsBoth(request)) return { answer: notAcceptable(), era }
  try {
    const body = parseJson(await readBody(request))
    if (Array.isArray(body)) return { answer: noBatches(), era }
    return await answerOne(
      site,
      parseMessage(body, () => (era === 'modern' ? 400 : 200)),
    )
  } catch (error) {
    return { answer: answerError(error, null), era }
  }
}

async function answerOne(site: Site, message: Message): Promise<Answered> {
  const { headers } = site.visit.request
  const classified = classify(message, headers)
  const { era } = classified
  if ('envelope' in classified) {
    return { answer: await answerModern(site, classified.message, classified.envelope), era }
  }
  if (classified.era === 'modern' || message.kind !== 'request') return { answer: ACCEPTED, era }
  // Refusals are told in `structuredContent` (C40), which clients read that send no header, too.
  const revision = headers.has('mcp-protocol-version') ? classified.revision : NEWEST_LEGACY
  return { answer: await answerLegacy(site, message, revision), era }
}

/** A 2025 request that was understood is answered as one event (C27), anything else as JSON. */
function respond({ answer, era }: Answered, cors: Readonly<Record<string, string>>): Response {
  if (answer instanceof Response) {
    for (const [name, value] of Object.entries({ ...NO_STORE, ...cors })) {
      if (!answer.headers.has(name)) answer.headers.set(name, value)
    }
    return answer
  }
  const { status, body } = answer
  const headers = { ...NO_STORE, ...cors }
  if (body === undefined) return new Response(null, { status, headers })
  if (era === 'legacy' && status === 200) return formatOneEvent(body, cors)
  return new Response(body, { status, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** Whether the header says the stateless era, whose clients are not asked for what they accept (D8). */
function isModernRequest({ headers }: Request): boolean {
  const revision = headers.get('mcp-protocol-version')
  return revision !== null && isModern(revision)
}

/** Whether a client names both media types (C23); a wildcard is neither. */
function acceptsBoth({ headers }: Request): boolean {
  const named = new Set((headers.get('accept') ?? '').split(',').map(essenceOf))
  return named.has('application/json') && named.has('text/event-stream')
}
