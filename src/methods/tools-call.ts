/**
 * `tools/call` (`mcp-protocol.md` §6). A tool is found through the same decision as the list; one
 * that is paused, not for this caller or made up is one and the same answer (`surfaces.md` D7).
 */
import type { CallableTool, Catalog } from '../catalog/catalog.ts'
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
import { formatParamHeaders, requireParamHeaders } from '../protocol/param-headers.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import { usesAccount } from '../handlers/secret.ts'
import type { CallToolResult, Tool } from '../protocol/tool.ts'
import { checkArguments, findViolations, isCheckable } from '../upstream/arguments.ts'
import type { HttpCall } from '../upstream/http/call.ts'
import type { Sealed } from '../upstream/world.ts'
import { fillResult } from '../upstream/static.ts'
import { withholds } from '../visibility/visible.ts'
import { missingCapabilities } from '../protocol/client-capabilities.ts'
import { completed, type Exchange, type Result } from './exchange.ts'
import { failedEntry } from './call-entry.ts'
import { finish } from './finish.ts'
import { optionsOf } from './finish-options.ts'
import { relayed, targetOf } from './prepare-relay.ts'
import type { Prepared, Subject } from './prepared.ts'
import { sentInputs } from './sent-inputs.ts'

/** What is said of a call where the organization could not be asked: it did not run. */
export const UNCHECKED = 'The tool could not be checked just now. Retry in a few seconds.'

/** Checks a call and runs its handler; what goes wrong in a tool is a result with `isError`. */
export async function toolsCall(exchange: Exchange): Promise<Result> {
  const prepared = await prepareCall(exchange)
  return completed(exchange, await finish(prepared, optionsOf(exchange)))
}

/** What a call is prepared from; `headers` are undefined where it did not come over MCP. */
export type CallExchange = Omit<Exchange, 'headers' | 'cursorKeys' | 'talk' | 'catalogAt'> & {
  headers: Headers | undefined
  /** Whether a person allows just this call. */
  isAllowed?: boolean
}

/** Finds and checks what a call is of, so that it can run here or in a session. */
export async function prepareCall(exchange: CallExchange): Promise<Prepared> {
  const { name, args } = requireCall(exchange)
  const subject = subjectOf(exchange, name)
  const verified = exchange.verified()
  // What is no promise is not awaited: each wait costs a call a hundredth.
  const catalog = verified instanceof Promise ? await verified : verified
  const tool = findTool(catalog ?? exchange.catalog, exchange, name)
  if (catalog === undefined) {
    return { ...failure(subject, UNCHECKED), isUnknown: tool === undefined }
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

async function prepare(
  exchange: CallExchange,
  catalog: Catalog,
  tool: PublishedItem,
  args: Readonly<Record<string, unknown>>,
): Promise<Prepared> {
  const subject = subjectOf(exchange, tool.name)
  const callable = catalog.callable(tool)
  const { inputSchema, outputSchema } = callable.tool
  const { handler, requires, rateLimit, inputs, timeoutSeconds } = callable.binding
  if (exchange.revision === MODERN_REVISION && exchange.headers !== undefined) {
    requireParamHeaders(callable.paramHeaders, args, exchange.headers)
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
  const key = [catalog.organization, catalog.id, catalog.revision, tool.name].join(' ')
  // Of a dialect that we do not know, the remote server is the one to say what is wrong.
  const isTheirs = handler.kind === 'mcp' && !isCheckable(inputSchema)
  const { args: filled, violations } = isTheirs
    ? { args, violations: [] }
    : checkArguments(key, inputSchema, args)
  if (violations.length > 0) {
    return failure(subject, `Invalid arguments for ${tool.name}:\n${violations.join('\n')}`)
  }
  const refused = refusalByApproval(exchange, key, callable, filled)
  if (refused !== undefined) return failure(subject, refused.message, refused.code)
  if (rateLimit !== undefined) await requireSlot(exchange, tool.name, rateLimit)
  if (handler.kind === 'http')
    return prepareHttp(exchange, subject, callable.secrets, {
      organization: catalog.organization,
      server: catalog.id,
      revision: catalog.revision,
      tool: tool.name,
      handler,
      args: knownArguments(inputSchema, filled),
      outputSchema,
      hops: exchange.hops,
    })
  if (handler.kind === 'mcp') {
    const current = { ...exchange, catalog }
    const target = await targetOf(current)
    if (target === undefined) return failure(subject, UNCHECKED)
    if ('problem' in target) return failure(subject, target.problem)
    const sent = inputs === undefined ? filled : sentInputs(filled, inputs)
    return relayed(current, target, {
      method: 'tools/call',
      name: tool.name,
      params: { name: handler.name, arguments: sent },
      paramHeaders: formatParamHeaders(callable.paramHeaders, sent),
      timeoutSeconds,
    })
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

/** Why a call is not made of a tool that a person has to do with (`surfaces.md` D19). */
function refusalByApproval(
  { isAllowed = false }: CallExchange,
  key: string,
  { tool: { name }, binding: { asks, live } }: CallableTool,
  args: Readonly<Record<string, unknown>>,
): { code: string; message: string } | undefined {
  if (asks && !isAllowed) {
    const message = `A person must approve each call of ${name}, and nobody can be asked here.`
    return { code: 'approval_required', message }
  }
  const violations =
    live !== undefined && isCheckable(live) ? findViolations(`${key} live`, live, args) : []
  if (violations.length === 0) return undefined
  const lines = [
    `${name} has changed since it was approved, and does not take these arguments any more:`,
    ...violations,
    'A person must approve what it is now.',
  ]
  return { code: 'tool_changed', message: lines.join('\n') }
}

/** A call of an HTTP tool with the secrets and the account it needs, still sealed. */
function prepareHttp(
  { sealed, account }: CallExchange,
  subject: Subject,
  names: readonly string[],
  call: Omit<HttpCall, 'sealed' | 'account'>,
): Prepared | Promise<Prepared> {
  const withAccount = usesAccount(call.handler) && account !== undefined ? { account } : {}
  const withSecrets = (secrets: Sealed): Prepared => ({
    subject,
    work: { kind: 'http', call: { ...call, sealed: secrets, ...withAccount } },
  })
  if (names.length === 0) return withSecrets({})
  return sealed(names).then((secrets) => {
    if (secrets !== undefined) return withSecrets(secrets)
    const text = 'The secrets of the tool could not be had just now. Retry in a few seconds.'
    return failure(subject, text)
  })
}

/** What an API is sent: declared properties, and others where the schema says that it takes them. */
function knownArguments(
  { properties = {}, additionalProperties, patternProperties }: Tool['inputSchema'],
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (additionalProperties !== undefined || patternProperties !== undefined) return args
  return Object.fromEntries(
    Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)),
  )
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

function failure(subject: Subject, text: string, code?: string): Prepared {
  const result: CallToolResult = {
    content: [{ type: 'text', text }],
    isError: true,
    ...(code !== undefined && { structuredContent: { error: { code, message: text } } }),
  }
  return { subject, work: { kind: 'static', steps: [], result } }
}
