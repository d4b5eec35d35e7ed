/**
 * Preparing a request that a remote server answers: found here as any other, and then said in the
 * remote server's own names. Prompts, resources and completions of a remote server pass through under
 * the rules its tools do.
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { Kind } from '../catalog/item.ts'
import { INTERNAL_ERROR, INVALID_PARAMS, isObject, RpcError } from '../protocol/json-rpc.ts'
import { MAX_URI_LENGTH } from '../protocol/uri-template.ts'
import { canonicalJson } from '../sealing/canonical.ts'
import { sha256Hex } from '../sealing/digest.ts'
import type { RelayMethod } from '../upstream/relay/relay.ts'
import type { Target } from '../upstream/relay/target.ts'
import type { Exchange } from './exchange.ts'
import type { Prepared } from './prepared.ts'
import { openState } from './request-state.ts'

type Members = Readonly<Record<string, unknown>>

/** A request as the caller named what it is of, and as the remote server is to have it. */
export type Named = {
  method: RelayMethod
  name: string
  params: Members
  paramHeaders?: Readonly<Record<string, string>>
  timeoutSeconds?: number | undefined
}

type Relaying = Pick<Exchange, 'catalog' | 'caller' | 'params' | 'world' | 'clientCapabilities'>

/** What a remote server answers beside `tools/call`. */
const RELAYED: ReadonlyMap<string, (exchange: Exchange) => Named> = new Map([
  ['prompts/get', namedPrompt],
  ['resources/read', namedResource],
  ['completion/complete', namedCompletion],
])

/** Whether a method of a server is answered by the remote server behind it. */
export function isRelayed(method: string, { settings }: Catalog): boolean {
  return settings.kind === 'remote' && (method === 'tools/call' || RELAYED.has(method))
}

/** A request that is relayed and no call, prepared; −32602 where it names nothing. */
export async function prepareRelay(method: string, exchange: Exchange): Promise<Prepared> {
  const named = RELAYED.get(method)?.(exchange)
  if (named === undefined) throw new Error(`${method} is not relayed`)
  const catalog = await exchange.verified()
  const current = catalog && { ...exchange, catalog }
  const target = current && (await targetOf(current))
  if (current !== undefined && target !== undefined) {
    if ('problem' in target) throw new RpcError(INTERNAL_ERROR, target.problem)
    return relayed(current, target, named)
  }
  throw new RpcError(
    INTERNAL_ERROR,
    'This could not be looked up just now. Retry in a few seconds.',
  )
}

/** A request ready to be sent, with what the caller answers to what it was asked before. */
export async function relayed(
  exchange: Relaying,
  target: Target,
  { method, name, params, paramHeaders = {}, timeoutSeconds }: Named,
): Promise<Prepared> {
  const { catalog, caller } = exchange
  const { organization, id: server } = catalog
  // What a state is good for: the same request of the same caller with the same account (§4.8).
  const request = [method, name, sha256Hex(canonicalJson(params))]
  const place = [organization, server, caller.id, target.account?.id ?? '', ...request]
  const { _meta } = exchange.params
  const sent = {
    ...params,
    ...(await answersIn(exchange, place)),
    ...(isObject(_meta) && { _meta }),
  }
  return {
    subject: { organization, server, tool: name, caller: caller.id },
    work: {
      kind: 'relay',
      call: { target, method, params: sent, paramHeaders, timeoutSeconds, place },
    },
  }
}

/** The remote server behind a server, or what is wrong with it; undefined where nobody could be asked. */
export async function targetOf({
  catalog,
  resolve,
  account,
  hops,
}: Pick<Exchange, 'catalog' | 'resolve' | 'account' | 'hops'>): Promise<
  Target | { problem: string } | undefined
> {
  const { organization, id: server } = catalog
  const resolved = await resolve()
  if (resolved === undefined || 'problem' in resolved) return resolved
  return { organization, server, ...resolved, ...(account && { account }), hops }
}

/** `inputResponses` and the remote server's own `requestState`, where the caller comes with them. */
async function answersIn(exchange: Relaying, place: readonly string[]): Promise<Members> {
  if (exchange.clientCapabilities === undefined) return {} // of the stateless era alone
  const { inputResponses, requestState } = exchange.params
  if (inputResponses !== undefined && !isObject(inputResponses)) {
    throw bad('inputResponses must be an object')
  }
  return {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && {
      requestState: await openState(exchange.world, place, requestState),
    }),
  }
}

function namedPrompt({ catalog, params }: Exchange): Named {
  const { name, arguments: args } = params
  if (typeof name !== 'string') throw bad('a prompt name is required')
  if (args !== undefined && !isObject(args)) throw bad('arguments must be an object')
  const original = originalOf(catalog, 'prompts', name)
  if (original === undefined) throw new RpcError(INVALID_PARAMS, `Prompt not found: ${name}`)
  const sent = { name: original, ...(args !== undefined && { arguments: args }) }
  return { method: 'prompts/get', name, params: sent }
}

/** Any URI: servers read more than they list, such as what their tools link to. */
function namedResource({ params: { uri } }: Exchange): Named {
  if (typeof uri !== 'string') throw bad('a uri is required')
  if (uri.length > MAX_URI_LENGTH) throw bad(`a uri may have ${MAX_URI_LENGTH} characters`)
  return { method: 'resources/read', name: uri, params: { uri } }
}

function namedCompletion({ catalog, params }: Exchange): Named {
  const { ref, argument, context } = params
  if (!isObject(ref) || !isObject(argument)) throw bad('ref and argument must be objects')
  const isPrompt = ref['type'] === 'ref/prompt'
  const key = isPrompt ? ref['name'] : ref['uri']
  const kind = isPrompt ? 'prompts' : 'resourceTemplates'
  const original = typeof key === 'string' ? originalOf(catalog, kind, key) : undefined
  if (typeof key !== 'string' || original === undefined) throw bad('ref is of nothing here')
  const named = isPrompt ? { ...ref, name: original } : ref
  const sent = { ref: named, argument, ...(context !== undefined && { context }) }
  return { method: 'completion/complete', name: key, params: sent }
}

/** The name or URI by which the remote server knows an item; undefined for no item of ours. */
function originalOf(catalog: Catalog, kind: Kind, name: string): string | undefined {
  const item = catalog.find(kind, name)
  if (item === undefined) return undefined
  const { remote } = catalog.binding(item) as { remote: string } // as it was written
  return remote
}

function bad(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `Invalid params: ${problem}`)
}
