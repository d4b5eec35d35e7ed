/**
 * The result of a relayed request as a client of a revision may have it. What goes wrong with the
 * remote server is a result with `isError` of a tool, and a JSON-RPC error of anything else; codes
 * that speak of the hop between us and it are not passed on (`mcp-protocol.md` §6.3).
 */
import { missingCapabilities } from '../protocol/client-capabilities.ts'
import { foreignMeta } from '../protocol/envelope.ts'
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isObject,
  MISSING_CLIENT_CAPABILITY,
  RpcError,
} from '../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../protocol/revisions.ts'
import type { Seen } from '../upstream/mcp/events.ts'
import { UpstreamFault } from '../upstream/mcp/fault.ts'
import { neededFor, requireInputRequests } from '../upstream/relay/ask-client.ts'
import { relay, type RelayCall, type RelayMethod } from '../upstream/relay/relay.ts'
import { AskRefused, type Ask } from '../upstream/run-steps.ts'
import type { Ran } from './call-entry.ts'
import type { FinishOptions } from './finish.ts'
import { projectBlock, projectResult } from './project-result.ts'
import { relayedBlock, relayedCallResult } from './relayed-content.ts'
import { sealState } from './request-state.ts'
import { resourceNotFound } from './resources-read.ts'

type Members = Readonly<Record<string, unknown>>

/** Members of results that are for each server to say itself. */
const OWN: ReadonlySet<string> = new Set(['resultType', 'ttlMs', 'cacheScope'])
const RESOURCE_NOT_FOUND = -32002 // of the session era
const URL_ELICITATION_REQUIRED = -32042 // of 2025-11-25: the user is to visit a page, and then again

/** Relays a request; what comes of it, or the JSON-RPC error that the caller gets. */
export async function finishRelay(call: RelayCall, options: FinishOptions): Promise<Ran> {
  const seen: Seen = { bytes: 0 }
  try {
    const result = await relay(call, options.world, { ...askable(options), seen })
    const isAsking = result['resultType'] === 'input_required'
    const shaped = isAsking
      ? await inputRequired(call, result, options)
      : SHAPES[call.method](withoutOwn(result), options)
    return { result: shaped, ...answerOf(seen) }
  } catch (error) {
    if (error instanceof AskRefused) {
      return { ...failed(call, `The client gave no answer: ${error.message}`), ...answerOf(seen) }
    }
    if (!(error instanceof UpstreamFault)) throw error
    return { ...refused(call, error, options), ...answerOf(seen) }
  }
}

/** What the log has of an answer, where there was one. */
function answerOf(seen: Seen): Partial<Seen> {
  return seen.status === undefined ? {} : seen
}

/** A client of the session era that has no stream to be asked on can be asked nothing. */
function askable(options: FinishOptions): FinishOptions {
  if (options.revision === MODERN_REVISION || options.ask !== undefined) return options
  return { ...options, declared: {}, ask: cannotAsk }
}

const cannotAsk: Ask = (method) => {
  throw new AskRefused(`it cannot be asked for ${method}`)
}

const SHAPES: Readonly<Record<RelayMethod, (result: Members, options: FinishOptions) => Members>> =
  {
    'tools/call': (result, { revision }) => projectResult(relayedCallResult(result), revision),
    'prompts/get': shapePrompt,
    'resources/read': shapeContents,
    'completion/complete': shapeCompletion,
  }

function shapePrompt(result: Members, { revision }: FinishOptions): Members {
  const { messages } = result
  if (!isListOf(messages, isMessage)) throw malformed('messages are missing')
  return {
    ...result,
    messages: messages.map((message) => {
      return { ...message, content: projectBlock(relayedBlock(message['content']), revision) }
    }),
  }
}

function shapeContents(result: Members): Members {
  if (!isListOf(result['contents'], isContents)) throw malformed('contents are missing')
  return result
}

function shapeCompletion(result: Members): Members {
  const { completion } = result
  const isText = (value: unknown): value is string => typeof value === 'string'
  if (!isObject(completion) || !isListOf(completion['values'], isText)) {
    throw malformed('the completion is missing')
  }
  return result
}

function isListOf<T>(value: unknown, isOne: (item: unknown) => item is T): value is T[] {
  return Array.isArray(value) && value.every(isOne)
}

function isMessage(value: unknown): value is Members {
  return isObject(value) && (value['role'] === 'user' || value['role'] === 'assistant')
}

function isContents(value: unknown): value is Members {
  if (!isObject(value) || typeof value['uri'] !== 'string') return false
  return typeof value['text'] === 'string' || typeof value['blob'] === 'string'
}

/** The questions as a client of the stateless era is asked them: only what it declared. */
async function inputRequired(
  call: RelayCall,
  result: Members,
  options: FinishOptions,
): Promise<Members> {
  const { declared, world } = options
  const requests = requireInputRequests(result)
  for (const { method, params } of Object.values(requests)) {
    const needed = neededFor(method, params) ?? {}
    if (missingCapabilities(needed, declared).length > 0) throw missing(call, needed)
  }
  const { requestState, inputRequests, _meta } = result
  const asked = {
    resultType: 'input_required',
    ...foreignMeta(_meta),
    ...(inputRequests !== undefined && { inputRequests: requests }),
    ...(typeof requestState === 'string' && {
      requestState: await sealState(world, call.place, requestState),
    }),
  }
  return asked
}

/** What a fault is to the caller. */
function refused(
  call: RelayCall,
  fault: UpstreamFault,
  { revision, declared }: FinishOptions,
): Ran {
  const { code, data, message, status } = fault
  const needed = isObject(data) ? data['requiredCapabilities'] : undefined
  if (code === MISSING_CLIENT_CAPABILITY && isObject(needed)) {
    const isLacking = missingCapabilities(needed, declared).length > 0
    // It lacks them at us too, so this is about the caller after all.
    if (isLacking && revision === MODERN_REVISION) throw missing(call, needed)
  }
  const canVisit = missingCapabilities({ elicitation: { url: {} } }, declared).length === 0
  if (code === URL_ELICITATION_REQUIRED && revision === '2025-11-25' && canVisit) {
    throw new RpcError(code, message, { data })
  }
  const { uri } = call.params
  const isMissing = code === RESOURCE_NOT_FOUND || code === INVALID_PARAMS
  if (call.method === 'resources/read' && isMissing && typeof uri === 'string') {
    throw resourceNotFound({ revision }, uri)
  }
  return { ...failed(call, message, code), status }
}

/** A failure in the channel that the method has for it (§6.3). */
function failed({ method }: RelayCall, text: string, code?: number): Ran {
  if (method !== 'tools/call') {
    throw new RpcError(code === INVALID_PARAMS ? INVALID_PARAMS : INTERNAL_ERROR, text)
  }
  return { result: { content: [{ type: 'text', text }], isError: true }, problem: text }
}

function missing({ method }: RelayCall, needed: Members): RpcError {
  const names = Object.keys(needed).join(', ')
  return new RpcError(MISSING_CLIENT_CAPABILITY, `${method} needs the client capability ${names}`, {
    status: 400,
    data: { requiredCapabilities: needed },
  })
}

/** A result without what each server says itself; its `_meta` without what is of the other hop. */
function withoutOwn({ _meta, ...result }: Members): Members {
  const kept = Object.entries(result).filter(([name]) => !OWN.has(name))
  return { ...Object.fromEntries(kept), ...foreignMeta(_meta) }
}

function malformed(problem: string): UpstreamFault {
  return new UpstreamFault('malformed', `The answer of the remote server is unreadable: ${problem}`)
}
