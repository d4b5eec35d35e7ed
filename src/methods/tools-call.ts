/**
 * `tools/call` (`mcp-protocol.md` §6). A tool is found through the same decision as the list; one
 * that is paused, not for this caller or made up is one and the same answer (`surfaces.md` D7).
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { PublishedItem } from '../catalog/published.ts'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { hasInfinity } from '../protocol/json-numbers.ts'
import {
  INVALID_PARAMS,
  isObject,
  MISSING_CLIENT_CAPABILITY,
  RATE_LIMITED,
  RpcError,
} from '../protocol/json-rpc.ts'
import { requireParamHeaders } from '../protocol/param-headers.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import { withholds } from '../visibility/visible.ts'
import { missingCapabilities } from '../protocol/client-capabilities.ts'
import { completed, type Exchange, type Result } from './exchange.ts'
import { failedEntry } from './call-entry.ts'
import { checkCall } from './check-call.ts'
import { finish } from './finish.ts'
import { optionsOf } from './finish-options.ts'
import { failure, UNCHECKED, type Args, type CallExchange, type FoundCall } from './found-call.ts'
import { prepareWork } from './prepare-work.ts'
import type { Prepared, Subject } from './prepared.ts'

/** Checks a call and runs its handler; what goes wrong in a tool is a result with `isError`. */
export function toolsCall(exchange: Exchange): Promise<Result> {
  const run = (prepared: Prepared) =>
    finish(prepared, optionsOf(exchange), (result) => completed(exchange, result))
  const prepared = prepareCall(exchange)
  return prepared instanceof Promise ? prepared.then(run) : run(prepared)
}

/** Finds and checks what a call is of, so that it can run here or in a session. */
export function prepareCall(exchange: CallExchange): Prepared | Promise<Prepared> {
  const named = requireCall(exchange)
  const verified = exchange.verified()
  return verified instanceof Promise
    ? verified.then((catalog) => prepareIn(catalog, exchange, named))
    : prepareIn(verified, exchange, named)
}

/** The same in the catalog that it is checked by, undefined where nobody could be asked. */
function prepareIn(
  catalog: Catalog | undefined,
  exchange: CallExchange,
  { name, args }: { name: string; args: Args },
): Prepared | Promise<Prepared> {
  const subject = subjectOf(exchange, name)
  const tool = findTool(catalog ?? exchange.catalog, exchange, name)
  if (catalog === undefined) {
    return { ...failure(subject, UNCHECKED), isUnknown: tool === undefined }
  }
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Tool not found: ${name}`)
  const at = Date.now()
  const fail = (error: unknown): never => {
    exchange.note(failedEntry(subject, at, error))
    throw error
  }
  try {
    const prepared = prepare(callOf(exchange, catalog, tool), args)
    return prepared instanceof Promise ? prepared.catch(fail) : prepared
  } catch (error) {
    return fail(error)
  }
}

function prepare(call: FoundCall, args: Args): Prepared | Promise<Prepared> {
  const { exchange, callable } = call
  const { requires, rateLimit } = callable.binding
  if (exchange.revision === MODERN_REVISION && exchange.headers !== undefined) {
    requireParamHeaders(callable.paramHeaders, args, exchange.headers)
  }
  if (requires !== undefined || rateLimit !== undefined) return prepareGuarded(call, args)
  const checked = checkCall(call, args)
  return checked.refused ?? prepareWork(call, checked.args)
}

/** The same of a tool that wants something of its client, or that may not be called too often. */
async function prepareGuarded(call: FoundCall, args: Args): Promise<Prepared> {
  const { exchange, subject, callable } = call
  const { requires, rateLimit } = callable.binding
  if (requires !== undefined) {
    const missing = missingCapabilities(requires, await declaredBy(exchange))
    if (missing.length > 0) return refuseIncapable(call, requires, missing)
  }
  const checked = checkCall(call, args)
  if (checked.refused !== undefined) return checked.refused
  if (rateLimit !== undefined) await requireSlot(exchange, subject.tool, rateLimit)
  return prepareWork(call, checked.args)
}

function findTool(catalog: Catalog, { caller }: CallExchange, name: string) {
  const isWithheld = withholds({ name, status: 'active' }, caller) !== undefined
  return isWithheld ? undefined : catalog.find('tools', name)
}

function subjectOf({ catalog: { organization, id }, caller }: CallExchange, tool: string): Subject {
  return { organization, server: id, tool, caller: caller.id }
}

/** The name and the arguments of a call, or −32602. */
export function requireCall({ params }: Pick<CallExchange, 'params'>) {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || name === '') {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: a tool name is required')
  }
  if (!isObject(args))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments must be an object')
  if (isDeeperThan(args, MAX_DEPTH)) {
    throw new RpcError(INVALID_PARAMS, `Invalid params: arguments nest deeper than ${MAX_DEPTH}`)
  }
  if (hasInfinity(args)) {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments hold a number that is too large')
  }
  return { name, args }
}

function callOf(exchange: CallExchange, catalog: Catalog, tool: PublishedItem): FoundCall {
  const { organization, id, revision } = catalog
  const subject = subjectOf(exchange, tool.name)
  const key = [organization, id, revision, tool.name].join(' ')
  return { exchange, catalog, subject, callable: catalog.callable(tool), key }
}

function refuseIncapable(
  { exchange, subject }: FoundCall,
  requiredCapabilities: unknown,
  missing: readonly string[],
): Prepared {
  const message = `Tool ${subject.tool} needs the client capability ${missing.join(', ')}`
  if (exchange.revision !== MODERN_REVISION) return failure(subject, message)
  throw new RpcError(MISSING_CLIENT_CAPABILITY, message, {
    status: 400,
    data: { requiredCapabilities },
  })
}

/** Throws when a tool with a limit was called too often; other calls go on (`surfaces.md` A28). */
async function requireSlot(
  { takeCall }: CallExchange,
  tool: string,
  perMinute: number,
): Promise<void> {
  const waitSeconds = await takeCall(tool, perMinute)
  if (waitSeconds === undefined) return
  const message = `Tool ${tool} is called more than ${perMinute} times a minute`
  throw new RpcError(RATE_LIMITED, message, { data: { retry_after: waitSeconds } })
}

/** What the client can do: said on this request, or when its session was opened. */
async function declaredBy({ clientCapabilities, session }: CallExchange) {
  return clientCapabilities ?? (await session?.capabilities()) ?? {}
}
