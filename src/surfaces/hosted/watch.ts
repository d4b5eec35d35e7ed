/**
 * Updates of a remote server's resources: whoever holds a client's stream says now and then which ones
 * it wants to hear of, and the Upstream object listens for as long as somebody does.
 */
import { targetOf } from '../../methods/prepare-relay.ts'
import { RENEW_MS } from '../bridge.ts'
import { exchangeOf, type Site } from './site.ts'

/** A wish lasts for twice as long as until it is said again, and a little more. */
const LEASE_MS = 2 * RENEW_MS + 30_000

/** Wants updates of these resources, and of the lists where the operator has it so. */
export async function watch(site: Site, uris: readonly string[]): Promise<void> {
  const { remote } = site.catalog.settings
  const lists = remote?.watchLists === true
  if (remote === undefined || (uris.length === 0 && !lists)) return
  const target = await targetOf(exchangeOf(site))
  if (target !== undefined)
    await site.platform.world.upstreams.watch(target, { uris, lists }, LEASE_MS)
}
