/** `initialize`: the handshake of the session era (`mcp-protocol.md` §3.1). */
import { INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import { isLegacyRevision, NEWEST_LEGACY } from '../protocol/revisions.ts'
import { capabilitiesOf } from './capabilities.ts'
import { implementationOf, type Exchange } from './exchange.ts'

/** Answers with the asked revision where it is one of this era, else with the newest that is. */
export function initialize({ params, catalog }: Pick<Exchange, 'params' | 'catalog'>) {
  const { protocolVersion, capabilities, clientInfo } = params
  if (typeof protocolVersion !== 'string') throw bad('protocolVersion must be a string')
  if (capabilities !== undefined && !isObject(capabilities))
    throw bad('capabilities must be an object')
  if (clientInfo !== undefined && !isObject(clientInfo)) throw bad('clientInfo must be an object')
  const { instructions } = catalog
  return {
    protocolVersion: isLegacyRevision(protocolVersion) ? protocolVersion : NEWEST_LEGACY,
    capabilities: capabilitiesOf(catalog, 'legacy'),
    serverInfo: implementationOf(catalog),
    ...(instructions !== undefined && { instructions }),
  }
}

function bad(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
