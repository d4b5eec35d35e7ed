/**
 * Answers one MCP request from plain values: which methods each era has (`mcp-protocol.md` §2.4), and
 * what an unknown one is called there (§2.3).
 */
import { METHOD_NOT_FOUND, RpcError } from '../protocol/json-rpc.ts'
import { answerRelayed } from './answer-relayed.ts'
import { capabilitiesOf } from './capabilities.ts'
import { completionComplete } from './complete.ts'
import { discover } from './discover.ts'
import type { Exchange, Method, Result } from './exchange.ts'
import { initialize } from './initialize.ts'
import { list } from './list.ts'
import { isRelayed } from './prepare-relay.ts'
import { promptsGet } from './prompts-get.ts'
import { resourcesRead } from './resources-read.ts'
import { toolsCall } from './tools-call.ts'

type Era = 'legacy' | 'modern'

/** The methods of both eras, each with the capability that offers it. */
const SHARED: readonly (readonly [string, Method, string])[] = [
  ['tools/list', (exchange) => list('tools', exchange), 'tools'],
  ['tools/call', toolsCall, 'tools'],
  ['prompts/list', (exchange) => list('prompts', exchange), 'prompts'],
  ['prompts/get', promptsGet, 'prompts'],
  ['resources/list', (exchange) => list('resources', exchange), 'resources'],
  ['resources/templates/list', (exchange) => list('resourceTemplates', exchange), 'resources'],
  ['resources/read', resourcesRead, 'resources'],
  ['completion/complete', completionComplete, 'completions'],
]

const CAPABILITIES: ReadonlyMap<string, string> = new Map(
  SHARED.map(([method, , capability]) => [method, capability]),
)

const METHODS: Readonly<Record<Era, ReadonlyMap<string, Method>>> = {
  legacy: new Map<string, Method>([
    ['initialize', initialize],
    ['ping', () => ({})],
    ...SHARED.map(([method, answer]) => [method, answer] as const),
  ]),
  modern: new Map<string, Method>([
    ['server/discover', discover],
    ...SHARED.map(([method, answer]) => [method, answer] as const),
  ]),
}

/** The result of a request, or an `RpcError`: unknown methods are 404 in the stateless era alone. */
export function answerMessage(
  era: Era,
  method: string,
  exchange: Exchange,
): Result | Promise<Result> {
  const answer = METHODS[era].get(method)
  if (answer === undefined) throw methodNotFound(era, method)
  requireOffered(era, method, exchange)
  if (method !== 'tools/call' && isRelayed(method, exchange.catalog)) {
    return answerRelayed(method, exchange)
  }
  return answer(exchange)
}

/**
 * Throws −32601 for a method whose capability a server does not have: it is as unknown as any. A
 * session may have agreed to a list whose last item has gone since; that list is empty.
 */
export function requireOffered(
  era: Era,
  method: string,
  { catalog, session }: Pick<Exchange, 'catalog' | 'session'>,
): void {
  const capability = CAPABILITIES.get(method)
  if (capability === undefined || capability in capabilitiesOf(catalog, era)) return
  if (session !== undefined && method.endsWith('/list')) return
  throw methodNotFound(era, method)
}

/** The refusal of a method that is not answered here. */
export function methodNotFound(era: Era, method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`, {
    status: era === 'modern' ? 404 : 200,
  })
}
