/**
 * `tools/call` (`mcp-protocol.md` §6). A tool is found through the same decision as the list; one
 * that is paused, not for this caller or made up is one and the same answer (`surfaces.md` D7).
 */
import type { Catalog } from '../catalog/catalog.ts'
import type { PublishedItem } from '../catalog/published.ts'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import {
  INVALID_PARAMS,
  isObject,
  MISSING_CLIENT_CAPABILITY,
  RpcError,
} from '../protocol/json-rpc.ts'
import { findParamHeaders, requireParamHeaders } from '../protocol/param-headers.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import type { CallToolResult } from '../protocol/tool.ts'
import { findViolations, withDefaults } from '../upstream/arguments.ts'
import type { RunOptions } from '../upstream/run-steps.ts'
import { fillResult } from '../upstream/static.ts'
import { withholds } from '../visibility/visible.ts'
import { missingCapabilities } from './client-capabilities.ts'
import { complete, type Exchange, type Result } from './exchange.ts'
import { failedEntry, finish } from './finish.ts'
import type { Prepared, Subject } from './prepared.ts'

/** What a call has where nothing may precede its answer. */
const SILENT: RunOptions = {
  progressToken: undefined,
  logLevel: undefined,
  signal: new AbortController().signal,
  notify: () => {},
}

/** Checks a call and runs its handler; what goes wrong in a tool is a result with `isError`. */
export async function toolsCall(exchange: Exchange): Promise<Result> {
  const { revision, world, note, talk = SILENT } = exchange
  const prepared = await prepareCall(exchange)
  return answer(exchange, await finish(prepared, { revision, world, note, ...talk }))
}

/** What a call is prepared from; `headers` are undefined where it did not come over MCP. */
export type CallExchange = Omit<Exchange, 'headers' | 'cursorKey' | 'talk' | 'catalogAt'> & {
  headers: Headers | undefined
}

/** Finds and checks what a call is of, so that it can run here or in a session. */
export async function prepareCall(exchange: CallExchange): Promise<Prepared> {
  const { name, args } = requireCall(exchange)
  const subject = subjectOf(exchange, name)
  const catalog = await exchange.verified()
  const tool = findTool(catalog ?? exchange.catalog, exchange, name)
  if (catalog === undefined) {
    const text = 'The tool could not be checked just now. Retry in a few seconds.'
    return { ...failure(subject, text), isUnknown: tool === undefined }
  }
  if (tool === undefined) throw new RpcError(INVALID_PARAMS, `Tool not found: ${name}`)
  const at = Date.now()
  try {
    return await prepare(exchange, catalog, tool, args)
  } catch (error) {
    exchange.note(failedEntry(subject, at, error))
    throw error
  }
}

function findTool(catalog: Catalog, { caller }: CallExchange, name: string) {
  const isWithheld = withholds({ name, status: 'active' }, caller) !== undefined
  return isWithheld ? undefined : catalog.find('tools', name)
}

function subjectOf({ catalog: { organization, id }, caller }: CallExchange, tool: string): Subject {
  return { organization, server: id, tool, caller: caller.id }
}

function requireCall({ params }: CallExchange) {
  const { name, arguments: args = {} } = params
  if (typeof name !== 'string' || name === '') {
    throw new RpcError(INVALID_PARAMS, 'Invalid params: a tool name is required')
  }
  if (!isObject(args))
    throw new RpcError(INVALID_PARAMS, 'Invalid params: arguments must be an object')
  if (isDeeperThan(args, MAX_DEPTH)) {
    throw new RpcError(INVALID_PARAMS, `Invalid params: arguments nest deeper than ${MAX_DEPTH}`)
  }
  return { name, args }
}

async function prepare(
  exchange: CallExchange,
  catalog: Catalog,
  tool: PublishedItem,
  args: Readonly<Record<string, unknown>>,
): Promise<Prepared> {
  const subject = subjectOf(exchange, tool.name)
  const { inputSchema, outputSchema } = catalog.tool(tool)
  const { handler, requires } = catalog.toolBinding(tool)
  if (exchange.revision === MODERN_REVISION && exchange.headers !== undefined) {
    requireParamHeaders(findParamHeaders(inputSchema).headers, args, exchange.headers)
  }
  const missing =
    requires === undefined ? [] : missingCapabilities(requires, await declaredBy(exchange))
  if (missing.length > 0) {
    const message = `Tool ${tool.name} needs the client capability ${missing.join(', ')}`
    if (exchange.revision !== MODERN_REVISION) return failure(subject, message)
    throw new RpcError(MISSING_CLIENT_CAPABILITY, message, {
      status: 400,
      data: { requiredCapabilities: requires },
    })
  }
  const filled = withDefaults(inputSchema, args)
  const key = [catalog.organization, catalog.id, catalog.revision, tool.name].join(' ')
  const violations = findViolations(key, inputSchema, filled)
  if (violations.length > 0) {
    return failure(subject, `Invalid arguments for ${tool.name}:\n${violations.join('\n')}`)
  }
  const names = new Set(Object.keys(inputSchema.properties ?? {}))
  const result = fillResult(handler.result, names, filled)
  if (outputSchema !== undefined && result.isError !== true) {
    const problems = findViolations(`${key} output`, outputSchema, result.structuredContent)
    if (problems.length > 0) {
      const text = `The result of ${tool.name} is not what it promises:\n${problems.join('\n')}`
      return failure(subject, text)
    }
  }
  return { subject, work: { kind: 'static', steps: handler.steps ?? [], result } }
}

/** What the client can do: said on this request, or when its session was opened. */
async function declaredBy({ clientCapabilities, session }: CallExchange) {
  return clientCapabilities ?? (await session?.capabilities()) ?? {}
}

function failure(subject: Subject, text: string): Prepared {
  const result: CallToolResult = { content: [{ type: 'text', text }], isError: true }
  return { subject, work: { kind: 'static', steps: [], result } }
}

function answer(exchange: Exchange, result: Readonly<Record<string, unknown>>): Result {
  const { _meta, ...ours } = complete(exchange)
  const { _meta: given } = result
  const meta = isObject(_meta) ? { _meta: { ...(isObject(given) && given), ..._meta } } : {}
  return { ...result, ...ours, ...meta }
}
