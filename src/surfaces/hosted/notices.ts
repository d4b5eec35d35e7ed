/** What a session's own stream and a `subscriptions/listen` stream share: the socket, the notices. */
import { channelOf } from '../../objects/resident.ts'
import { formatListChange, formatUpdate } from '../notifications.ts'
import { openSocket } from '../socket.ts'
import { uriOf } from './digests.ts'
import { atLeast, requireCheck, type Site } from './site.ts'

/** Whose stream it is, and the session it is in. */
export type Stream = { listener: string; session?: string }

/** The event that tells of what has another digest: a list, or the contents at a URI. */
export function formatChange(name: string, params: Readonly<Record<string, unknown>>): string {
  const uri = uriOf(name)
  return uri === undefined ? formatListChange(name, params) : formatUpdate(uri, params)
}

/** A socket to the server's Channel; 429 with too many, undefined when what it is for is gone. */
export async function openSiteSocket(site: Site, stream: Stream): Promise<WebSocket | undefined> {
  const { platform, catalog, caller } = site
  const channel = channelOf(platform.env, catalog.id)
  return openSocket(channel, { ...stream, party: partyOf(site), caller: caller.id })
}

/** The same again for a stream that lost its socket: what was hung up meanwhile stays so. */
export async function reopenSiteSocket(site: Site, stream: Stream): Promise<WebSocket | undefined> {
  const current = await stillOpen(site, await requireCheck(site))
  return current && openSiteSocket(current, stream)
}

/** Who is counted as one: the holder of a key, or an address. */
export function partyOf({ caller, visit }: Site): string {
  return caller.id === 'anonymous' ? `address ${visit.address}` : `key ${caller.id}`
}

/** The site at a revision; undefined where the server no longer has streams for who opened this one. */
export async function stillOpen(site: Site, revision: number): Promise<Site | undefined> {
  const { auth } = site.catalog.settings
  const current = await atLeast(site, revision)
  const { settings } = current.catalog
  return settings.notifications && settings.auth === auth ? current : undefined
}
