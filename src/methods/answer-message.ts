/**
 * Answers one MCP request from plain values: which methods each era has (`mcp-protocol.md` §2.4), and
 * what an unknown one is called there (§2.3).
 */
import { METHOD_NOT_FOUND, RpcError } from '../protocol/json-rpc.ts'
import { discover } from './discover.ts'
import type { Exchange, Method, Result } from './exchange.ts'
import { initialize } from './initialize.ts'
import { toolsCall } from './tools-call.ts'
import { toolsList } from './tools-list.ts'

const SHARED: readonly (readonly [string, Method])[] = [
  ['tools/list', toolsList],
  ['tools/call', toolsCall],
]

const METHODS: Readonly<Record<'legacy' | 'modern', ReadonlyMap<string, Method>>> = {
  legacy: new Map([['initialize', initialize], ['ping', () => ({})], ...SHARED]),
  modern: new Map([['server/discover', discover], ...SHARED]),
}

/** The result of a request, or an `RpcError`: unknown methods are 404 in the stateless era alone. */
export async function answerMessage(
  era: 'legacy' | 'modern',
  method: string,
  exchange: Exchange,
): Promise<Result> {
  const answer = METHODS[era].get(method)
  if (answer === undefined) {
    throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`, {
      status: era === 'modern' ? 404 : 200,
    })
  }
  return answer(exchange)
}
