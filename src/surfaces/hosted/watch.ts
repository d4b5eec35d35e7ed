/**
 * Updates of a remote server's resources: whoever holds a client's stream says now and then which ones
 * it wants to hear of, and the Upstream object listens for as long as somebody does.
 */
import { isRemote } from '../../catalog/server.ts'
import { targetOf } from '../../methods/prepare-relay.ts'
import { exchangeOf, type Site } from './site.ts'

/** How often a wish is said again; it lasts for twice as long and a little more. */
export const RENEW_MS = 60_000
const LEASE_MS = 2 * RENEW_MS + 30_000

/** Wants updates of these resources; nothing for a server that holds its own. */
export async function watch(site: Site, uris: readonly string[]): Promise<void> {
  if (!isRemote(site.catalog.settings) || uris.length === 0) return
  const target = await targetOf(exchangeOf(site))
  if (target !== undefined) await site.platform.world.upstreams.watch(target, uris, LEASE_MS)
}
