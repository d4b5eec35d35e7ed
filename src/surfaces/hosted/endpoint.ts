/**
 * The hosted surface: one MCP server at `/mcp/{slug}/{server_id}`, and at `/mcp/{slug}` where it is a
 * vanity server. Checks in the order of `design.md` §1; each refusal is a status of `surfaces.md` D5.
 */
import type { Catalog } from '../../catalog/catalog.ts'
import { isRelayed } from '../../methods/prepare-relay.ts'
import { classify, legacyRevision } from '../../protocol/classify.ts'
import { isJson } from '../../protocol/headers.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import type { Envelope } from '../../protocol/envelope.ts'
import {
  parseMessage,
  RpcError,
  type Message,
  type Request as RpcRequest,
} from '../../protocol/json-rpc.ts'
import { isModern, MODERN_REVISION, type LegacyRevision } from '../../protocol/revisions.ts'
import { parseJson, readBody } from '../body.ts'
import { corsHeaders, preflight, requireOrigin } from '../cors.ts'
import { hopsOf } from '../hops.ts'
import { requireSlots } from '../limits.ts'
import { answerLive } from '../live-answer.ts'
import type { Platform, Visit } from '../platform.ts'
import { formatRefusal, refusalOf } from '../rest-answer.ts'
import { limitKey, requireCaller, type Address } from './access.ts'
import {
  answerBatchInSession,
  answerInSession,
  claimOf,
  findVisitor,
  sessionNotFound,
  type Visitor,
} from './in-session.ts'
import { listen } from './listen.ts'
import { ACCEPTED, answerError, answerRequest, type Answer } from '../messages.ts'
import { answerBatch, requireBatch, type TakeNote } from './batch.ts'
import { openSession } from './open-session.ts'
import { openSessionStream } from './session-stream.ts'
import { exchangeOf, freshCatalog, requireCatalog, requireServing, type Site } from './site.ts'

/** Answers any request to a hosted server's path. */
export async function hosted(
  platform: Platform,
  visit: Visit,
  address: Address,
): Promise<Response> {
  const { request } = visit
  const origin = request.headers.get('origin')
  try {
    const hops = hopsOf(request.headers)
    const { catalog, staleMs } =
      freshCatalog(platform, address) ?? (await requireCatalog(platform, visit, address))
    requireOrigin(origin, catalog.settings.origins, platform.settings.DEVELOPMENT)
    if (request.method === 'OPTIONS') return preflight(request)
    requireServing(catalog)
    const who = requireCaller(platform, visit, catalog, address)
    // What is no promise is not awaited: this is the path of every request.
    const caller = who instanceof Promise ? await who : who
    const site: Site = { platform, visit, catalog, caller, hops }
    if (catalog.settings.rateLimit !== undefined) await takeSlots(site, 1)
    const headers = headersOf(origin, staleMs, catalog)
    if (request.method !== 'POST') return respond(await answerOtherMethod(site), headers)
    if (!isJson(request.headers.get('content-type'))) throw unsupportedMediaType()
    let answer: Answer | Response
    try {
      const given = answerBody(site, parseJson(await readBody(request)))
      answer = given instanceof Promise ? await given : given
    } catch (error) {
      answer = answerError(error, undefined)
    }
    return respond(answer, headers)
  } catch (error) {
    return formatRefusal(refusalOf(error), origin)
  }
}

/** GET and DELETE are of sessions: 405 without an id of our shape (D1). */
async function answerOtherMethod(site: Site): Promise<Answer | Response> {
  const { request } = site.visit
  const isOfSession = request.method === 'GET' || request.method === 'DELETE'
  const visitor = isOfSession && !isModernRequest(request) ? findVisitor(site) : undefined
  if (visitor === undefined) throw methodNotAllowed('POST')
  requireLegacyRevision(request)
  if (request.method === 'GET') {
    if (!site.catalog.settings.notifications && !request.headers.has('last-event-id')) {
      throw methodNotAllowed('POST, DELETE')
    }
    return openSessionStream(visitor)
  }
  if (!(await visitor.stub.end(claimOf(site)))) throw sessionNotFound()
  return new Response(null, { status: 204 })
}

function answerBody(site: Site, body: unknown): Answer | Response | Promise<Answer | Response> {
  if (Array.isArray(body)) return answerArray(site, body)
  const { request } = site.visit
  return answerOne(
    site,
    parseMessage(body, () => (isModernRequest(request) ? 400 : 200)),
  )
}

function answerOne(site: Site, message: Message): Answer | Response | Promise<Answer | Response> {
  const { headers } = site.visit.request
  const classified = classify(message, headers)
  if (classified.era === 'modern') {
    return 'envelope' in classified ? answerModern(site, classified) : ACCEPTED
  }
  const visitor = findVisitor(site)
  if (message.kind !== 'request') return takeNote(visitor, site, message)
  if (message.method === 'initialize') return initialize(visitor, site, message)
  if (visitor !== undefined) return answerInSession(visitor, message)
  const { revision } = classified
  const asked = { ...exchangeOf(site), revision, clientCapabilities: undefined }
  return answerRequest('legacy', message, asked)
}

function answerModern(
  site: Site,
  { envelope, message }: { envelope: Envelope; message: RpcRequest },
): Answer | Promise<Answer | Response> {
  if (message.method === 'subscriptions/listen') return listen(site, message)
  const { clientCapabilities } = envelope
  const asked = { ...exchangeOf(site), revision: MODERN_REVISION, clientCapabilities } as const
  const isLive = message.method === 'tools/call' || isRelayed(message.method, site.catalog)
  if (!isLive) return answerRequest('modern', message, asked)
  return answerLive(envelope, site.visit, (talk) =>
    answerRequest('modern', message, { ...asked, talk }),
  )
}

/** `initialize` opens a session, another one where it comes within one; a dead one is 404 (D1). */
async function initialize(visitor: Visitor | undefined, site: Site, message: RpcRequest) {
  if (visitor !== undefined) valueOf(await visitor.stub.describe(claimOf(site)))
  return openSession(site, message)
}

/** A batch, which 2025-03-26 alone has: the session's revision, or else the header's (D2). */
async function answerArray(site: Site, body: readonly unknown[]): Promise<Answer | Response> {
  const visitor = findVisitor(site)
  const record = visitor && valueOf(await visitor.stub.describe(claimOf(site)))
  const batch = requireBatch(body, site.visit.request.headers, record?.revision)
  await takeSlots(site, batch.length - 1)
  const note: TakeNote = (message) => takeNote(visitor, site, message)
  if (visitor !== undefined && record !== undefined) {
    return answerBatchInSession(visitor, batch, record, note)
  }
  const revision: LegacyRevision = '2025-03-26'
  const asked = { ...exchangeOf(site), revision, clientCapabilities: undefined }
  return answerBatch(batch, (message) => answerRequest('legacy', message, asked), note)
}

/** Takes a notification or a response: 202, and what it means for a session. */
async function takeNote(
  visitor: Visitor | undefined,
  site: Site,
  message: Exclude<Message, { kind: 'request' }>,
): Promise<Answer> {
  if (visitor === undefined) return ACCEPTED
  if (message.kind === 'response') {
    valueOf(await visitor.stub.answer(claimOf(site), message))
    return ACCEPTED
  }
  const requestId = message.params?.['requestId']
  const id = typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined
  valueOf(await visitor.stub.notify(claimOf(site), message.method, id))
  return ACCEPTED
}

async function takeSlots(site: Site, slots: number): Promise<void> {
  const { rateLimit } = site.catalog.settings
  if (rateLimit === undefined || slots === 0) return
  await requireSlots(
    site.platform,
    limitKey(site.catalog, site.caller, site.visit),
    rateLimit,
    slots,
  )
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const NO_HEADERS: Readonly<Record<string, string>> = {}
/** What no cache may keep. */
const PRIVATE = { 'Cache-Control': 'no-store' }
/** What most answers are made with, by what is added to them: headers that are made once cost less. */
const MADE: ReadonlyMap<object, { headers: Headers }> = new Map(
  [NO_HEADERS, PRIVATE].map((added) => [
    added,
    { headers: new Headers({ ...JSON_TYPE, ...added }) },
  ]),
)

/** The response of an answer; `headers` are what this request adds. */
function respond(answer: Answer | Response, headers: Readonly<Record<string, string>>): Response {
  if (answer instanceof Response) return headers === NO_HEADERS ? answer : extended(answer, headers)
  const { status, body } = answer
  if (body === undefined) return new Response(null, { status, headers })
  const made = status === 200 ? MADE.get(headers) : undefined
  return new Response(body, made ?? { status, headers: { ...JSON_TYPE, ...headers } })
}

function extended(response: Response, headers: Readonly<Record<string, string>>): Response {
  const copy = new Response(response.body, response)
  for (const [name, value] of Object.entries(headers)) {
    if (!copy.headers.has(name)) copy.headers.set(name, value)
  }
  return copy
}

/** Whether the header says the stateless era, which has POST alone. */
function isModernRequest({ headers }: Request): boolean {
  const revision = headers.get('mcp-protocol-version')
  return revision !== null && isModern(revision)
}

/** Throws 400 for a revision that is none of the session era's (§3.6). */
function requireLegacyRevision({ headers }: Request): void {
  try {
    legacyRevision(headers.get('mcp-protocol-version'))
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    throw new HttpError(400, 'unsupported_revision', error.message)
  }
}

function unsupportedMediaType(): HttpError {
  return new HttpError(415, 'unsupported_media_type', 'Content-Type must be application/json')
}

function methodNotAllowed(allow: string): HttpError {
  return new HttpError(405, 'method_not_allowed', `Use ${allow}`, { headers: { Allow: allow } })
}

/** A page's permission, the age of a copy or an upstream that could not be checked, and what no cache may keep. */
function headersOf(
  origin: string | null,
  staleMs: number,
  { settings, upstream }: Catalog,
): Readonly<Record<string, string>> {
  const ageMs = Math.max(staleMs, upstream?.downSince ? Date.now() - upstream.refreshedAt : 0)
  const always = settings.auth === 'none' ? NO_HEADERS : PRIVATE
  if (origin === null && ageMs === 0) return always
  const age = ageMs > 0 && { Age: String(Math.ceil(ageMs / 1000)) }
  return { ...corsHeaders(origin), ...age, ...always }
}
