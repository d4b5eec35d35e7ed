/** A socket to the Channel of an organization's gateway, over which a caller hears of what is its own. */
import { surfaceChannelOf } from '../../objects/resident.ts'
import { openSocket } from '../socket.ts'
import type { Site } from './site.ts'

/** Opens one; undefined where it cannot be had. */
export async function openSiteSocket({
  platform,
  caller,
  shown,
}: Pick<Site, 'platform' | 'caller' | 'shown'>): Promise<WebSocket | undefined> {
  const { organization, id: principal } = caller.principal
  const party = `caller ${shown.id}`
  const tags = { listener: party, party, caller: shown.id, principal }
  return openSocket(surfaceChannelOf(platform.env.CHANNEL, organization), tags)
}
