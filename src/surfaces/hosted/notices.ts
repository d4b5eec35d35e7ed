/** What a session's own stream and a `subscriptions/listen` stream share: the socket, the notices. */
import { channelOf } from '../../objects/resident.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { formatEvent } from '../../protocol/sse.ts'
import { uriOf } from './digests.ts'
import { atLeast, requireCheck, type Site } from './site.ts'

/** The notification for each kind of list. */
const CHANGED: Readonly<Record<string, string>> = {
  tools: 'notifications/tools/list_changed',
  prompts: 'notifications/prompts/list_changed',
  resources: 'notifications/resources/list_changed',
}

/** The event of a notification. */
export function formatNotification(
  method: string,
  params: Readonly<Record<string, unknown>>,
): string {
  return formatEvent({ data: JSON.stringify({ jsonrpc: '2.0', method, params }) })
}

/** The event that tells of what has another digest: a list, or the contents at a URI. */
export function formatChange(name: string, params: Readonly<Record<string, unknown>>): string {
  const uri = uriOf(name)
  if (uri === undefined) return formatNotification(CHANGED[name] ?? '', params)
  return formatUpdate(uri, params)
}

/** The event that tells of other contents at a URI. */
export function formatUpdate(uri: string, params: Readonly<Record<string, unknown>>): string {
  return formatNotification('notifications/resources/updated', { uri, ...params })
}

/**
 * A socket to the server's Channel; 429 with too many, undefined when what it is for is gone. Streams
 * are counted by `listener`, and all of one caller (or address, where there is none) together.
 */
export async function openSocket(
  site: Site,
  { listener, session }: { listener: string; session?: string },
): Promise<WebSocket | undefined> {
  const { platform, catalog, caller } = site
  const query = new URLSearchParams({ listener, party: partyOf(site), caller: caller.id })
  if (session !== undefined) query.set('session', session)
  const channel = channelOf(platform.env.CHANNEL, catalog.id)
  const response = await channel.fetch(`https://channel/?${query.toString()}`, {
    headers: { upgrade: 'websocket' },
  })
  if (response.status === 429) {
    throw new HttpError(429, 'too_many_streams', 'Too many streams are open', {
      headers: { 'Retry-After': '60' },
    })
  }
  return response.webSocket ?? undefined
}

/** The same again for a stream that lost its socket: what was hung up meanwhile stays so. */
export async function reopenSocket(
  site: Site,
  tags: { listener: string; session?: string },
): Promise<WebSocket | undefined> {
  const current = await stillOpen(site, await requireCheck(site))
  return current && openSocket(current, tags)
}

/** Who is counted as one: the holder of a key, or an address. */
export function partyOf({ caller, visit }: Site): string {
  return caller.id === 'anonymous' ? `address ${visit.address}` : `key ${caller.id}`
}

/** How often a stream shows that it lives, and when it ends: with its credential at the latest. */
export function timingOf({ platform, caller }: Site): { keepaliveMs: number; maxAgeMs: number } {
  const { STREAM_KEEPALIVE_SECONDS, STREAM_MAX_AGE_SECONDS } = platform.settings
  return {
    keepaliveMs: STREAM_KEEPALIVE_SECONDS * 1000,
    maxAgeMs: Math.min(STREAM_MAX_AGE_SECONDS * 1000, caller.expiresAtMs - Date.now()),
  }
}

/** The site at a revision; undefined where the server no longer has streams for who opened this one. */
export async function stillOpen(site: Site, revision: number): Promise<Site | undefined> {
  const { auth } = site.catalog.settings
  const current = await atLeast(site, revision)
  const { settings } = current.catalog
  return settings.notifications && settings.auth === auth ? current : undefined
}
