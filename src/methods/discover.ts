/** `server/discover`: what a client of the stateless era may ask first (`mcp-protocol.md` §4.5). */
import { SUPPORTED_VERSIONS } from '../protocol/revisions.ts'
import { capabilitiesOf } from './capabilities.ts'
import { cacheHints, complete, type Exchange } from './exchange.ts'

/** Revisions, capabilities and instructions, with cache hints. */
export function discover(exchange: Pick<Exchange, 'revision' | 'catalog'>) {
  const { instructions } = exchange.catalog
  return {
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: capabilitiesOf(exchange.catalog, 'modern'),
    ...(instructions !== undefined && { instructions }),
    ...cacheHints(exchange),
    ...complete(exchange),
  }
}
