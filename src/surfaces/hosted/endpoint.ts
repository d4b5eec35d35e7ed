/**
 * The hosted surface: one MCP server at `/mcp/{slug}/{server_id}`, and at `/mcp/{slug}` where it is a
 * vanity server. Checks in the order of `design.md` §1; each refusal is a status of `surfaces.md` D5.
 */
import type { Caller } from '../../callers/caller.ts'
import { Catalog } from '../../catalog/catalog.ts'
import type { Gone } from '../../catalog/published.ts'
import { SERVER_ID } from '../../catalog/names.ts'
import { isJson } from '../../protocol/headers.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { formatError, RpcError } from '../../protocol/json-rpc.ts'
import { Unavailable } from '../../memory/lookup.ts'
import { requireSlots } from '../limits.ts'
import { learnRevision, type Platform, type Visit } from '../platform.ts'
import { formatRefusal, notFound, refusalOf } from '../rest-answer.ts'
import { checkSource, revisionSource, serverSource, vanitySource } from '../sources.ts'
import { invalidKey, limitKey, requireCaller } from './access.ts'
import { readJson, requireBatch } from './body.ts'
import { corsHeaders, preflight, requireOrigin } from '../cors.ts'
import { answerBatch, answerOne, type Answer, type Asked } from './messages.ts'
import { isSessionId } from './session-id.ts'

type Address = { slug: string; id: string | undefined }

/** Answers any request to a hosted server's path. */
export async function hosted(
  platform: Platform,
  visit: Visit,
  address: Address,
): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    const { catalog, staleMs } = await requireCatalog(platform, visit, address)
    requireOrigin(origin, catalog.settings.origins, platform.settings.DEVELOPMENT)
    if (request.method === 'OPTIONS') return preflight(request)
    const headers = { ...corsHeaders(origin), ...ageHeader(staleMs) }
    return await answer(platform, visit, catalog, headers)
  } catch (error) {
    return formatRefusal(refusalOf(error), origin)
  }
}

async function answer(
  platform: Platform,
  visit: Visit,
  catalog: Catalog,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const { request } = visit
  const { settings, id } = requireServing(catalog)
  const caller = await requireCaller(platform, visit, { auth: settings.auth, id }, request.headers)
  const key = limitKey(catalog, caller, visit)
  if (settings.rateLimit !== undefined) await requireSlots(platform, key, settings.rateLimit)
  requirePost(request)
  if (!isJson(request.headers.get('content-type'))) {
    throw new HttpError(415, 'unsupported_media_type', 'Content-Type must be application/json')
  }
  const asked: Asked = {
    caller,
    catalog,
    headers: request.headers,
    verified: () => verified(platform, visit, catalog, caller),
    catalogAt: (revision) => catalogAt(platform, visit, catalog, revision),
  }
  const reply = await answerBody(request, asked, async (more) => {
    if (settings.rateLimit === undefined || more === 0) return
    await requireSlots(platform, key, settings.rateLimit, more)
  })
  return respond(reply, catalog, headers)
}

/** `takeSlots` is asked for the messages of a batch beyond the first: each takes one (D2). */
async function answerBody(
  request: Request,
  asked: Asked,
  takeSlots: (more: number) => Promise<void>,
): Promise<Answer> {
  try {
    const body = await readJson(request)
    if (!Array.isArray(body)) return await answerOne(body, asked)
    const batch = requireBatch(body, request.headers)
    await takeSlots(batch.length - 1)
    return await answerBatch(batch, asked)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return { status: error.status, body: formatError(error, error.id) }
  }
}

function respond(
  { status, body }: Answer,
  { settings }: Catalog,
  headers: Readonly<Record<string, string>>,
): Response {
  if (body === undefined) return new Response(null, { status, headers })
  return new Response(body, {
    status,
    headers: {
      'Content-Type': 'application/json',
      // A list that depends on the caller belongs in no shared cache.
      ...(settings.auth !== 'none' && { 'Cache-Control': 'no-store' }),
      ...headers,
    },
  })
}

/** GET and DELETE are of sessions: 404 for an id of our shape, which none here has (D1). */
function requirePost({ method, headers }: Request): void {
  if (method === 'POST') return
  if ((method === 'GET' || method === 'DELETE') && isSessionId(headers.get('mcp-session-id'))) {
    throw new HttpError(404, 'session_not_found', 'There is no such session')
  }
  throw new HttpError(405, 'method_not_allowed', 'Use POST', { headers: { Allow: 'POST' } })
}

async function requireCatalog(platform: Platform, visit: Visit, { slug, id }: Address) {
  const found = id ?? (await vanityServer(platform, visit, slug))
  if (found === undefined || !SERVER_ID.test(found)) throw notFound()
  const { value, staleMs } =
    platform.servers.fresh(found) ??
    (await platform.servers.find(found, serverSource(platform, visit), visit.waitUntil))
  if (!isShown(value)) throw notFound()
  if (value.settings.slug !== slug || (id === undefined && !value.settings.vanity)) throw notFound()
  return { catalog: value, staleMs }
}

function isShown(server: Catalog | Gone | undefined): server is Catalog {
  return server instanceof Catalog && server.settings.status !== 'draft'
}

/** A server that answers: 503 while it is paused, 404 when it is gone. */
function requireServing(server: Catalog | Gone | undefined): Catalog {
  if (!isShown(server)) throw notFound()
  if (server.settings.status === 'active') return server
  throw new HttpError(503, 'server_paused', 'This server is paused')
}

async function vanityServer(platform: Platform, visit: Visit, slug: string) {
  const source = vanitySource(platform, visit)
  const { value } = await platform.vanities.find(slug, source, visit.waitUntil)
  return value?.server
}

/** The catalog no older than 5 s, as the organization has it; undefined when it cannot be asked. */
async function verified(platform: Platform, visit: Visit, catalog: Catalog, caller: Caller) {
  try {
    const { id, organization } = catalog
    const source = checkSource(platform, organization)
    const { value } = await platform.checks.find(`${id} ${caller.id}`, source, visit.waitUntil)
    if (value === undefined) return undefined
    if (!value.credential) throw invalidKey()
    if (value.revision <= catalog.revision) return catalog
    learnRevision(platform, id, value.revision)
    const newest = await platform.servers.find(id, serverSource(platform, visit), visit.waitUntil)
    return requireServing(newest.value)
  } catch (error) {
    if (error instanceof Unavailable) return undefined // the call then says to retry
    throw error
  }
}

async function catalogAt(
  platform: Platform,
  visit: Visit,
  { id, organization }: Catalog,
  revision: number,
) {
  const source = revisionSource(platform, visit, organization)
  const { value } = await platform.revisions.find(`${id}:${revision}`, source, visit.waitUntil)
  return value instanceof Catalog ? value : undefined
}

function ageHeader(staleMs: number): Readonly<Record<string, string>> {
  return staleMs === 0 ? {} : { Age: String(Math.ceil(staleMs / 1000)) }
}
