/**
 * `subscriptions/listen` on the gateway (`mcp-protocol.md` §4.6): a caller is told when its own list has
 * changed, whatever of it that was, and of nothing else. The stream ends with its credential, its
 * principal or its organization.
 */
import { complete } from '../../methods/exchange.ts'
import { surfaceChannelOf } from '../../objects/resident.ts'
import { HttpError } from '../../protocol/http-error.ts'
import {
  INVALID_PARAMS,
  isObject,
  RpcError,
  type Request as RpcRequest,
} from '../../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../../protocol/revisions.ts'
import { EVENT_STREAM_HEADERS } from '../../protocol/sse.ts'
import { sha256HexOfBytes } from '../../sealing/digest.ts'
import { visibleTo } from '../../visibility/visible.ts'
import { bridge } from '../bridge.ts'
import { answerError, type Answer } from '../messages.ts'
import { formatListChange } from '../notifications.ts'
import { openSocket, timingOf } from '../socket.ts'
import { formatAcknowledgement, formatFarewell, KV_WINDOW_MS, tagged } from '../subscription.ts'
import { newestCaller } from './principal.ts'
import { siteAtLeast, type Site } from './site.ts'

const FILTER = 'toolsListChanged'

/** Opens the stream, or answers what is wrong with the filter. */
export async function listen(
  opened: Site,
  { id, params = {} }: RpcRequest,
): Promise<Answer | Response> {
  const filter = params['notifications']
  const problem = problemOf(filter)
  if (problem !== undefined) {
    return answerError(new RpcError(INVALID_PARAMS, `Invalid params: ${problem}`), id)
  }
  const isAsked = isObject(filter) && filter[FILTER] === true
  let site = opened
  const { platform, gateway, shown } = site
  const socket = await openSiteSocket(site)
  if (socket === undefined) {
    throw new HttpError(503, 'unavailable', 'The stream cannot be opened now')
  }
  let announced = digestOf(site)
  let isBehind = true // what changed before the socket was open is told by nobody
  const body = bridge(socket, {
    ...timingOf(platform, shown),
    repeatMs: KV_WINDOW_MS,
    opening: formatAcknowledgement(id, isAsked ? { [FILTER]: true } : {}),
    farewell: formatFarewell(id, complete({ revision: MODERN_REVISION, catalog: gateway.catalog })),
    reconnect: () =>
      ending(async () => {
        isBehind = true
        await newestCaller(site) // its credential may have died meanwhile
        return openSiteSocket(site)
      }),
    onRevision: (revision, isOwn) =>
      ending(async () => {
        const looksAnew = isOwn || isBehind
        isBehind = false
        const caller = looksAnew ? await newestCaller(site) : site.caller
        site = await siteAtLeast(site, caller, revision)
        const digest = digestOf(site)
        if (digest === announced) return []
        announced = digest
        return isAsked ? [formatListChange('tools', tagged(id, {}))] : []
      }),
    onUpdated: async () => [],
    renew: async () => {},
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

function problemOf(filter: unknown): string | undefined {
  if (!isObject(filter)) return 'notifications must be an object'
  const isFlag = ['boolean', 'undefined'].includes(typeof filter[FILTER])
  return isFlag ? undefined : `${FILTER} must be a boolean`
}

/** A socket to the Channel of the organization's gateway. */
async function openSiteSocket({ platform, caller, shown }: Site): Promise<WebSocket | undefined> {
  const { organization, id: principal } = caller.principal
  const party = `caller ${shown.id}`
  const tags = { listener: party, party, caller: shown.id, principal }
  return openSocket(surfaceChannelOf(platform.env.CHANNEL, organization), tags)
}

/** What a stream does next; undefined ends it, where its caller would be refused from here on. */
async function ending<T>(next: () => Promise<T>): Promise<T | undefined> {
  try {
    return await next()
  } catch (error) {
    if (error instanceof HttpError && error.status < 500 && error.status !== 429) return undefined
    throw error
  }
}

/** What tells one list from another; made once for each list. */
function digestOf({ platform, gateway, shown }: Site): string {
  const { organization, revision, catalog } = gateway
  const key = ['surface', organization, revision, shown.tools.key].join(' ')
  const known = platform.digests.get(key)
  if (known !== undefined) return known
  const digest = sha256HexOfBytes(catalog.list('tools', MODERN_REVISION, visibleTo(shown, 'tools')))
  platform.digests.set(key, digest, 2 * (key.length + digest.length))
  return digest
}
