/**
 * Updates of a remote server's resources: whoever holds a client's stream says now and then which ones
 * it wants to hear of, and the Upstream object listens for as long as somebody does.
 */
import type { Catalog } from '../../catalog/catalog.ts'
import { isRemote } from '../../catalog/server.ts'
import { MAX_URI_LENGTH } from '../../protocol/uri-template.ts'
import { targetOf } from '../../methods/prepare-relay.ts'
import { findContents } from '../../methods/resources-read.ts'
import { RENEW_MS } from '../bridge.ts'
import { exchangeOf, type Site } from './site.ts'

/** A wish lasts for twice as long as until it is said again, and a little more. */
const LEASE_MS = 2 * RENEW_MS + 30_000

/** Whether a resource can be told of: one of ours, or any of a remote server that takes subscriptions. */
export function isSubscribable(catalog: Catalog, uri: string): boolean {
  if (!isRemote(catalog.settings)) return findContents(catalog, uri) !== undefined
  const takesSubscriptions = catalog.upstream?.capabilities.resources?.subscribe === true
  return takesSubscriptions && uri.length <= MAX_URI_LENGTH
}

/** Wants updates of these resources, and of the lists where the operator has it so. */
export async function watch(site: Site, uris: readonly string[]): Promise<void> {
  const { remote } = site.catalog.settings
  const lists = remote?.watchLists === true
  if (remote === undefined || (uris.length === 0 && !lists)) return
  const target = await targetOf(exchangeOf(site))
  if (target !== undefined && !('problem' in target))
    await site.platform.world.upstreams.watch(target, { uris, lists }, LEASE_MS)
}
