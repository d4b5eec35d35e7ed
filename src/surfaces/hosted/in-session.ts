/**
 * Requests within a session. The Worker renders from its hot copy and hands the answer to the Session
 * object, which checks it and sends it on; a call is prepared here and runs there (`design.md` §1).
 */
import { methodNotFound, requireOffered } from '../../methods/answer-message.ts'
import type { Exchange } from '../../methods/exchange.ts'
import { resourceNotFound } from '../../methods/resources-read.ts'
import { isRelayed, prepareRelay } from '../../methods/prepare-relay.ts'
import { prepareCall } from '../../methods/tools-call.ts'
import { findSession } from '../../objects/resident.ts'
import type { Session } from '../../objects/session.ts'
import {
  PACKET_HEADER,
  STALE_STATUS,
  type CallBody,
  type Packet,
  type Stale,
} from '../../objects/session/packet.ts'
import type { Claim, SessionRecord } from '../../objects/session/record.ts'
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import {
  INVALID_PARAMS,
  isRequestId,
  RpcError,
  type Request as RpcRequest,
} from '../../protocol/json-rpc.ts'
import { isLogLevel } from '../../protocol/logging.ts'
import { ASSUMED_LEGACY, isLegacyRevision, type LegacyRevision } from '../../protocol/revisions.ts'
import { MAX_URI_LENGTH } from '../../protocol/uri-template.ts'
import { acceptsEventStream, EVENT_CLOSING, EVENT_OPENING } from '../../protocol/sse.ts'
import { retrying } from '../retrying.ts'
import { isRemote } from '../../catalog/server.ts'
import { contentsDigests } from './digests.ts'
import { isSubscribable, watch } from './watch.ts'
import { answerError, answerRequest, formatResult, type Answer } from '../messages.ts'
import { answerBatch, type TakeNote } from './batch.ts'
import { mendStream } from './mend-stream.ts'
import { isSessionId } from './session-id.ts'
import { atLeast, exchangeOf, type Site } from './site.ts'

/** A site as it is seen from within a session. */
export type Visitor = { site: Site; id: string; stub: DurableObjectStub<Session> }

const OPENING = encodeUtf8(EVENT_OPENING)
const CLOSING = encodeUtf8(EVENT_CLOSING)
const MAX_TRIES = 3 // a packet may be made for the wrong revision, and then from too old a catalog

/** The session a request names; undefined for none, 404 for one that cannot be ours (D1). */
export function findVisitor(site: Site): Visitor | undefined {
  const { platform, visit } = site
  const id = visit.request.headers.get('mcp-session-id')
  if (!isSessionId(id)) return undefined
  const stub = findSession(platform.env, id)
  if (stub === undefined) throw sessionNotFound()
  return { site, id, stub }
}

/** Who says to be in the session. */
export function claimOf({ catalog, caller }: Site): Claim {
  const { organization, id: server, revision: catalogRevision } = catalog
  return { organization, server, caller: caller.id, catalogRevision }
}

/** The refusal of a session that is unknown, ended, of another server or of another caller. */
export function sessionNotFound(): HttpError {
  return new HttpError(404, 'session_not_found', 'There is no such session')
}

/** Answers a request within a session. */
export async function answerInSession(visitor: Visitor, message: RpcRequest): Promise<Response> {
  const { platform } = visitor.site
  const header = visitor.site.visit.request.headers.get('mcp-protocol-version')
  let revision: LegacyRevision =
    platform.sessionRevisions.get(visitor.id) ??
    (header !== null && isLegacyRevision(header) ? header : ASSUMED_LEGACY)
  let { site } = visitor
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const response = await answerOnce({ ...visitor, site }, message, revision)
    if (response.status !== STALE_STATUS) return response
    const stale: Stale = await response.json()
    revision = stale.revision
    rememberRevision(site, visitor.id, revision)
    site = await atLeast(site, stale.catalogRevision)
  }
  throw new HttpError(503, 'changing', 'The server is changing; retry', {
    headers: { 'Retry-After': '1' },
  })
}

/** Sends a ready answer through the session, which may refuse it as stale. */
export async function sendAnswer(visitor: Visitor, answer: Answer, revision?: LegacyRevision) {
  const body = answer.body ?? ''
  const framed = takesStream(visitor) ? frame(body) : body
  return send(visitor, { kind: 'answer', revision }, framed)
}

/** Notes which revision a session speaks, so that its next request is rendered for that at once. */
export function rememberRevision({ platform }: Site, id: string, revision: LegacyRevision): void {
  platform.sessionRevisions.set(id, revision, 2 * id.length)
}

/** Methods that only change what the session remembers. */
const SETTINGS: ReadonlyMap<string, (visitor: Visitor, exchange: Exchange) => Promise<void>> =
  new Map([
    ['logging/setLevel', setLogLevel],
    ['resources/subscribe', (visitor, exchange) => subscribe(visitor, exchange, 'add')],
    ['resources/unsubscribe', (visitor, exchange) => subscribe(visitor, exchange, 'remove')],
  ])

async function setLogLevel({ site, stub }: Visitor, { params, catalog }: Exchange): Promise<void> {
  if (!catalog.features.logging) throw methodNotFound('legacy', 'logging/setLevel')
  const { level } = params
  if (!isLogLevel(level))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: level is no log level')
  valueOf(await stub.setLogLevel(claimOf(site), level))
}

async function subscribe(
  { site, stub }: Visitor,
  exchange: Exchange,
  change: 'add' | 'remove',
): Promise<void> {
  requireOffered('legacy', 'resources/read', exchange)
  const { uri } = exchange.params
  if (typeof uri !== 'string')
    throw new RpcError(INVALID_PARAMS, 'Invalid params: a uri is required')
  const { catalog } = exchange
  if (change === 'add' && !isSubscribable(catalog, uri)) throw resourceNotFound(exchange, uri)
  if (uri.length > MAX_URI_LENGTH) return // nothing so long was ever subscribed to
  const digests = contentsDigests(site, [uri])
  valueOf(await stub.setSubscriptions(claimOf(site), { [change]: uri }, digests))
  if (change === 'add' && isRemote(catalog.settings)) site.visit.waitUntil(watch(site, [uri]))
}

async function answerOnce(
  visitor: Visitor,
  message: RpcRequest,
  revision: LegacyRevision,
): Promise<Response> {
  const { method } = message
  if (method === 'tools/call' || isRelayed(method, visitor.site.catalog)) {
    return run(visitor, message, revision)
  }
  const answer = await answerWithin(visitor, message, revision)
  // What only changed the session is good at whatever revision and catalog.
  return SETTINGS.has(message.method)
    ? sendAnswer(visitor, answer)
    : sendAnswer(visitor, answer, revision)
}

/** What does work is found and checked here, and runs in the session. */
async function run(
  visitor: Visitor,
  { id, method, params = {} }: RpcRequest,
  revision: LegacyRevision,
): Promise<Response> {
  const exchange = exchangeWithin(visitor, params, revision)
  try {
    requireOffered('legacy', method, exchange)
    const prepared = await (method === 'tools/call'
      ? prepareCall(exchange)
      : prepareRelay(method, exchange))
    const body: CallBody = { id, progressToken: tokenOf(params), prepared }
    const response = await send(visitor, { kind: 'call', revision }, JSON.stringify(body))
    return mendStream(response, id, revision)
  } catch (error) {
    return sendAnswer(visitor, answerError(error, id))
  }
}

/** The answer to a request that needs no stream of its own. */
async function answerWithin(
  visitor: Visitor,
  message: RpcRequest,
  revision: LegacyRevision,
): Promise<Answer> {
  const { id, method, params = {} } = message
  const exchange = exchangeWithin(visitor, params, revision)
  const setting = SETTINGS.get(method)
  if (setting === undefined) return answerRequest('legacy', message, exchange)
  try {
    await setting(visitor, exchange)
    return { status: 200, body: formatResult(id, {}) }
  } catch (error) {
    return answerError(error, id)
  }
}

/** Answers a batch within a session of 2025-03-26: at its revision, and from no older catalog. */
export async function answerBatchInSession(
  visitor: Visitor,
  batch: readonly unknown[],
  { revision, catalogRevision }: Pick<SessionRecord, 'revision' | 'catalogRevision'>,
  takeNote: TakeNote,
): Promise<Answer | Response> {
  const current = { ...visitor, site: await atLeast(visitor.site, catalogRevision) }
  const within = (message: RpcRequest) => answerWithin(current, message, revision)
  const answer = await answerBatch(batch, within, takeNote)
  return answer.body === undefined ? answer : sendAnswer(current, answer)
}

function exchangeWithin(
  visitor: Visitor,
  params: Exchange['params'],
  revision: LegacyRevision,
): Exchange {
  return {
    ...exchangeOf(visitor.site),
    params,
    revision,
    clientCapabilities: undefined,
    session: { capabilities: () => capabilitiesIn(visitor) },
  }
}

function takesStream({ site }: Visitor): boolean {
  return acceptsEventStream(site.visit.request.headers.get('accept'))
}

/** A ready answer as one event. */
function frame(answer: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof answer === 'string' ? encodeUtf8(answer) : answer
  return concat([OPENING, bytes, CLOSING])
}

type Sent =
  | { kind: 'call'; revision: LegacyRevision }
  | { kind: 'answer'; revision: LegacyRevision | undefined }

async function send(visitor: Visitor, packet: Sent, body: string | Uint8Array<ArrayBuffer>) {
  const { site, id, stub } = visitor
  const { catalogRevision, ...claim } = claimOf(site)
  // An error, or what was made for this very session, is no older than anything.
  const isBound = packet.kind === 'call' || packet.revision !== undefined
  const full: Packet = {
    ...packet,
    ...claim,
    ...(isBound && { catalogRevision }),
    stream: takesStream(visitor),
  }
  const init = { method: 'POST', headers: { [PACKET_HEADER]: JSON.stringify(full) }, body }
  // A stub that met a reset is as broken as the object was.
  const ask = () => (findSession(site.platform.env, id) ?? stub).fetch('https://session/', init)
  // A call may have begun when the object was reset under it: it is not sent again.
  const response = await (full.kind === 'call' ? ask() : retrying(ask))
  if (response.status === 404) throw sessionNotFound()
  if (response.status === 429) {
    throw new HttpError(429, 'too_many_calls', 'Too many calls are under way in this session', {
      headers: { 'Retry-After': '1' },
    })
  }
  return response
}

/** What the client declared when it opened the session. */
async function capabilitiesIn({ site, stub }: Visitor): Promise<Record<string, unknown>> {
  const { clientCapabilities } = valueOf(await stub.describe(claimOf(site)))
  return JSON.parse(clientCapabilities) as Record<string, unknown>
}

function tokenOf(params: Readonly<Record<string, unknown>>): string | number | undefined {
  const meta = params['_meta'] as { progressToken?: unknown } | undefined
  const token = meta?.progressToken
  return isRequestId(token) ? token : undefined
}
