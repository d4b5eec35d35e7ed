/**
 * The idle streams of both eras: a session's GET (`mcp-protocol.md` §3.4) and `subscriptions/listen`
 * (§4.6). A client is told of a change only when what it is shown has changed.
 */
import { channelOf } from '../../objects/resident.ts'
import { parseEventId } from '../../objects/session/event-log.ts'
import { PACKET_HEADER, type Packet } from '../../objects/session/packet.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  RpcError,
  type Request as RpcRequest,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../../protocol/revisions.ts'
import {
  acceptsEventStream,
  EVENT_STREAM_HEADERS,
  formatComment,
  formatEvent,
} from '../../protocol/sse.ts'
import { complete } from '../../methods/exchange.ts'
import { findContents } from '../../methods/resources-read.ts'
import { bridge } from './bridge.ts'
import { digestsOf, offeredDigests, uriOf } from './digests.ts'
import { claimOf, sessionNotFound, type Visitor } from './in-session.ts'
import { atLeast, type Site } from './site.ts'

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** A client may have read KV's old copy after a notice: it is told again when that is past. */
const KV_WINDOW_MS = 65_000
const RETRY_MS = 3000
const MAX_SUBSCRIPTIONS = 100 // resources by stream; each is looked at with every change

/** The notification for each kind of list. */
const CHANGED: Readonly<Record<string, string>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
}

/** The member of a listen filter for each kind of list. */
const FILTERS: Readonly<Record<string, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}

/** Answers GET: the rest of a call's stream where it names an event, else the session's own stream. */
export async function openSessionStream(visitor: Visitor): Promise<Response> {
  const { site, id, stub } = visitor
  const { headers } = site.visit.request
  if (!acceptsEventStream(headers.get('accept'))) {
    throw new HttpError(406, 'not_acceptable', 'Accept must name text/event-stream')
  }
  const lastEventId = headers.get('last-event-id')
  if (lastEventId !== null) return resume(visitor, lastEventId)
  const { revision } = valueOf(await stub.describe(claimOf(site)))
  const connect = () => openSocket(site, { listener: `session ${id}`, session: id })
  const socket = await connect()
  if (socket === undefined) throw sessionNotFound()
  const body = bridge(socket, {
    ...timing(site),
    connect,
    opening: `retry: ${RETRY_MS}\n${formatComment('open')}`,
    farewell: '',
    async onRevision(newest) {
      const current = await atLeast(site, newest)
      const { subscriptions } = valueOf(await stub.describe(claimOf(current)))
      const digests = digestsOf(current, revision, subscriptions)
      const changed = valueOf(await stub.learn(claimOf(current), digests))
      return changed.map((name) => changeOf(name, {}))
    },
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

/** Answers `subscriptions/listen`: acknowledged first, then what was asked for and changes. */
export async function listen(site: Site, { id, params = {} }: RpcRequest): Promise<Response> {
  if (!site.catalog.settings.notifications) {
    throw new RpcError(METHOD_NOT_FOUND, 'Method not found: subscriptions/listen', {
      status: 404,
      id,
    })
  }
  const { notifications: filter } = params
  if (!isObject(filter)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: notifications must be an object', { id })
  }
  const uris = requireUris(filter['resourceSubscriptions'], id).filter(
    (uri) => findContents(site.catalog, uri) !== undefined,
  )
  const lists = Object.keys(offeredDigests(site, MODERN_REVISION)).filter(
    (name) => filter[FILTERS[name] ?? ''] === true,
  )
  const acknowledged = {
    ...Object.fromEntries(lists.map((name) => [FILTERS[name] ?? '', true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
  const { caller, visit } = site
  const listener = caller.id === 'anonymous' ? `address ${visit.address}` : `key ${caller.id}`
  const connect = () => openSocket(site, { listener })
  const socket = await connect()
  if (socket === undefined)
    throw new HttpError(503, 'unavailable', 'The stream cannot be opened now')
  let announced = digestsOf(site, MODERN_REVISION, uris)
  const body = bridge(socket, {
    ...timing(site),
    connect,
    repeatMs: KV_WINDOW_MS,
    opening: notification(
      'notifications/subscriptions/acknowledged',
      tagged(id, { notifications: acknowledged }),
    ),
    farewell: formatEvent({
      data: JSON.stringify({ jsonrpc: '2.0', id, result: goodbye(site, id) }),
    }),
    async onRevision(newest) {
      const digests = digestsOf(await atLeast(site, newest), MODERN_REVISION, uris)
      const changed = Object.keys(digests).filter(
        (name) =>
          (uriOf(name) !== undefined || lists.includes(name)) && digests[name] !== announced[name],
      )
      announced = digests
      return changed.map((name) => changeOf(name, tagged(id, {})))
    },
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

function requireUris(value: unknown, id: RequestId): string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every((uri) => typeof uri === 'string')
  if (isList && value.length <= MAX_SUBSCRIPTIONS) return value
  const message = `Invalid params: resourceSubscriptions must be at most ${MAX_SUBSCRIPTIONS} URIs`
  throw new RpcError(INVALID_PARAMS, message, { id })
}

async function resume({ site, stub }: Visitor, lastEventId: string): Promise<Response> {
  if (parseEventId(lastEventId) === undefined) throw eventNotKept()
  const packet: Packet = { ...claimOf(site), kind: 'resume', lastEventId, stream: true }
  const headers = { [PACKET_HEADER]: JSON.stringify({ ...packet, catalogRevision: undefined }) }
  const response = await stub.fetch('https://session/', { headers })
  if (response.status === 404) throw sessionNotFound()
  if (response.status === 400) throw eventNotKept()
  return response
}

function eventNotKept(): HttpError {
  return new HttpError(400, 'event_not_kept', 'Last-Event-ID is not of a stream that is kept')
}

/** A socket to the server's Channel; 429 with too many, undefined when what it is for is gone. */
async function openSocket(
  { platform, catalog, caller }: Site,
  tags: { listener: string; session?: string },
): Promise<WebSocket | undefined> {
  const query = new URLSearchParams({ ...tags, caller: caller.id })
  const response = await channelOf(platform.env.CHANNEL, catalog.id).fetch(
    `https://channel/?${query.toString()}`,
    { headers: { upgrade: 'websocket' } },
  )
  if (response.status === 429) {
    throw new HttpError(429, 'too_many_streams', 'Too many streams are open', {
      headers: { 'Retry-After': '60' },
    })
  }
  return response.webSocket ?? undefined
}

function timing({ platform, caller }: Site): { keepaliveMs: number; maxAgeMs: number } {
  const { STREAM_KEEPALIVE_SECONDS, STREAM_MAX_AGE_SECONDS } = platform.settings
  const untilExpiry = caller.expiresAtMs - Date.now()
  return {
    keepaliveMs: STREAM_KEEPALIVE_SECONDS * 1000,
    maxAgeMs: Math.min(STREAM_MAX_AGE_SECONDS * 1000, untilExpiry),
  }
}

/** The notification of what has another digest. */
function changeOf(name: string, params: Readonly<Record<string, unknown>>): string {
  const uri = uriOf(name)
  if (uri !== undefined) return notification('notifications/resources/updated', { uri, ...params })
  return notification(CHANGED[name] ?? '', params)
}

function notification(method: string, params: Readonly<Record<string, unknown>>): string {
  return formatEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) })
}

function tagged(id: RequestId, params: Readonly<Record<string, unknown>>) {
  return { ...params, _meta: { [SUBSCRIPTION]: id } }
}

function goodbye(site: Site, id: RequestId): Readonly<Record<string, unknown>> {
  const { _meta, ...members } = complete({ revision: MODERN_REVISION, catalog: site.catalog })
  return { ...members, _meta: { ...(isObject(_meta) && _meta), [SUBSCRIPTION]: id } }
}
