/** `subscriptions/listen` (`mcp-protocol.md` §4.6): acknowledged first, then what was asked for. */
import { complete } from '../../methods/exchange.ts'
import { HttpError } from '../../protocol/http-error.ts'
import {
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  RpcError,
  type Request as RpcRequest,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../../protocol/revisions.ts'
import { EVENT_STREAM_HEADERS } from '../../protocol/sse.ts'
import { bridge } from '../bridge.ts'
import { digestsOf, offeredDigests, uriOf } from './digests.ts'
import { formatUpdate } from '../notifications.ts'
import { timingOf } from '../socket.ts'
import { formatAcknowledgement, formatFarewell, KV_WINDOW_MS, tagged } from '../subscription.ts'
import { formatChange, openSiteSocket, partyOf, reopenSiteSocket, stillOpen } from './notices.ts'
import type { Site } from './site.ts'
import { isSubscribable, watch } from './watch.ts'

const MAX_SUBSCRIPTIONS = 100 // resources by stream; each is looked at with every change

/** The member of a filter for each kind of list. */
const FILTERS: Readonly<Record<string, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
}

/** What of a filter is honoured: lists that are offered, URIs that are there. */
type Honoured = { lists: string[]; uris: string[] }

/** Opens the stream; a caller is told only when what it is shown has changed. */
export async function listen(opened: Site, { id, params = {} }: RpcRequest): Promise<Response> {
  let site = opened
  const { lists, uris } = requireFilter(site, id, params['notifications'])
  const tags = { listener: partyOf(site) }
  const socket = await openSiteSocket(site, tags)
  if (socket === undefined)
    throw new HttpError(503, 'unavailable', 'The stream cannot be opened now')
  let announced = digestsOf(site, MODERN_REVISION, uris)
  const isAsked = (name: string) => uriOf(name) !== undefined || lists.includes(name)
  const body = bridge(socket, {
    ...timingOf(site.platform, site.caller),
    reconnect: () => reopenSiteSocket(site, tags),
    repeatMs: KV_WINDOW_MS,
    opening: formatAcknowledgement(id, formatFilter({ lists, uris })),
    farewell: formatFarewell(id, complete({ revision: MODERN_REVISION, catalog: site.catalog })),
    onUpdated: async (uri) => (uris.includes(uri) ? [formatUpdate(uri, tagged(id, {}))] : []),
    renew: () => watch(site, uris),
    async onRevision(newest) {
      const current = await stillOpen(site, newest)
      if (current === undefined) return undefined
      site = current
      const digests = digestsOf(site, MODERN_REVISION, uris)
      const changed = Object.keys(digests).filter(
        (name) => isAsked(name) && digests[name] !== announced[name],
      )
      announced = digests
      return changed.map((name) => formatChange(name, tagged(id, {})))
    },
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

function requireFilter(site: Site, id: RequestId, filter: unknown): Honoured {
  const { catalog } = site
  if (!catalog.settings.notifications) {
    const message = 'Method not found: subscriptions/listen'
    throw new RpcError(METHOD_NOT_FOUND, message, { status: 404, id })
  }
  if (!isObject(filter)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: notifications must be an object', { id })
  }
  for (const name of Object.values(FILTERS)) {
    if (['boolean', 'undefined'].includes(typeof filter[name])) continue
    throw new RpcError(INVALID_PARAMS, `Invalid params: ${name} must be a boolean`, { id })
  }
  const uris = requireUris(filter['resourceSubscriptions'], id)
  const offered = Object.keys(offeredDigests(site, MODERN_REVISION))
  return {
    lists: offered.filter((name) => filter[FILTERS[name] ?? ''] === true),
    uris: uris.filter((uri) => isSubscribable(catalog, uri)),
  }
}

function requireUris(value: unknown, id: RequestId): string[] {
  if (value === undefined) return []
  const isList = Array.isArray(value) && value.every((uri) => typeof uri === 'string')
  if (isList && value.length <= MAX_SUBSCRIPTIONS) return [...new Set(value)]
  const message = `Invalid params: resourceSubscriptions must be at most ${MAX_SUBSCRIPTIONS} URIs`
  throw new RpcError(INVALID_PARAMS, message, { id })
}

function formatFilter({ lists, uris }: Honoured): Record<string, unknown> {
  return {
    ...Object.fromEntries(lists.map((name) => [FILTERS[name] ?? '', true])),
    ...(uris.length > 0 && { resourceSubscriptions: uris }),
  }
}
