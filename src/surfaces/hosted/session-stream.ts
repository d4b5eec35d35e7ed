/** GET within a session (`mcp-protocol.md` §3.4, §3.5): its own stream, or the rest of a call's. */
import { isRemote } from '../../catalog/server.ts'
import { channelOf } from '../../objects/resident.ts'
import { parseEventId } from '../../objects/session/event-log.ts'
import { PACKET_HEADER, type Packet } from '../../objects/session/packet.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { acceptsEventStream, EVENT_STREAM_HEADERS, formatComment } from '../../protocol/sse.ts'
import { bridge } from '../bridge.ts'
import { digestsOf } from './digests.ts'
import { claimOf, sessionNotFound, type Visitor } from './in-session.ts'
import { watch } from './watch.ts'
import { formatUpdate } from '../notifications.ts'
import { timingOf } from '../socket.ts'
import { formatChange, openSiteSocket, reopenSiteSocket, stillOpen } from './notices.ts'

const RETRY_MS = 3000

/** Answers GET: what a call's stream missed where `Last-Event-ID` names it, else change notices. */
export async function openSessionStream(visitor: Visitor): Promise<Response> {
  const { headers } = visitor.site.visit.request
  if (!acceptsEventStream(headers.get('accept'))) {
    throw new HttpError(406, 'not_acceptable', 'Accept must name text/event-stream')
  }
  const lastEventId = headers.get('last-event-id')
  return lastEventId === null ? openNotices(visitor) : resume(visitor, lastEventId)
}

async function openNotices({ site: opened, id, stub }: Visitor): Promise<Response> {
  let site = opened
  const opening = valueOf(await stub.describe(claimOf(site)))
  const { revision } = opening
  let { subscriptions } = opening
  const tags = { listener: `session ${id}`, session: id }
  const socket = await openSiteSocket(site, tags)
  if (socket === undefined) throw sessionNotFound()
  let told: string[] = []
  const body = bridge(socket, {
    ...timingOf(site.platform, site.caller),
    reconnect: () => reopenSiteSocket(site, tags),
    opening: `retry: ${RETRY_MS}\n${formatComment('open')}`,
    farewell: '',
    async onRevision(newest) {
      const current = await stillOpen(site, newest)
      if (current === undefined) return undefined
      site = current
      const learn = async () =>
        valueOf(await stub.learn(claimOf(site), digestsOf(site, revision, subscriptions)))
      const learned = await learn()
      told = learned.told
      if (learned.subscriptions.some((uri) => !subscriptions.includes(uri))) {
        subscriptions = learned.subscriptions // made since this stream looked last
        told = [...told, ...(await learn()).told]
      }
      return told.map((name) => formatChange(name, {}))
    },
    async onUpdated(uri) {
      ;({ subscriptions } = valueOf(await stub.describe(claimOf(site))))
      return subscriptions.includes(uri) ? [formatUpdate(uri, {})] : []
    },
    async renew() {
      if (!isRemote(site.catalog.settings)) return
      ;({ subscriptions } = valueOf(await stub.describe(claimOf(site)))) // of now
      await watch(site, subscriptions)
    },
    // The client had left before it could read: the session's other stream, or its next, tells it.
    onLost: () => site.visit.waitUntil(tellAgain({ site, id, stub }, told)),
  })
  return new Response(body, { headers: EVENT_STREAM_HEADERS })
}

async function tellAgain({ site, id, stub }: Visitor, told: readonly string[]): Promise<void> {
  valueOf(await stub.forget(claimOf(site), told))
  await channelOf(site.platform.env, site.catalog.id).nudge(id)
}

async function resume({ site, stub }: Visitor, lastEventId: string): Promise<Response> {
  if (parseEventId(lastEventId) === undefined) throw eventNotKept()
  const { catalogRevision: _, ...claim } = claimOf(site)
  const packet: Packet = { ...claim, kind: 'resume', lastEventId, stream: true }
  const headers = { [PACKET_HEADER]: JSON.stringify(packet) }
  const response = await stub.fetch('https://session/', { headers })
  if (response.status === 404) throw sessionNotFound()
  if (response.status === 400) throw eventNotKept()
  return response
}

function eventNotKept(): HttpError {
  return new HttpError(400, 'event_not_kept', 'Last-Event-ID is not of a stream that is kept')
}
