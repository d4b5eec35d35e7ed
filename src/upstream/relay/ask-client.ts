/**
 * What a remote server may ask of a client through us, in both eras: which of a client's declared
 * capabilities are passed on, and answering an `input_required` result by asking a client of the
 * session era on its stream (`mcp-protocol.md` §4.8).
 */
import { missingCapabilities } from '../../protocol/client-capabilities.ts'
import { foreignMeta } from '../../protocol/envelope.ts'
import { isObject, RpcError } from '../../protocol/json-rpc.ts'
import { AskRefused, type Ask, type RunOptions } from '../run-steps.ts'
import { UpstreamFault } from '../mcp/fault.ts'

type Members = Readonly<Record<string, unknown>>

export type InputRequests = Readonly<Record<string, { method: string; params: Members }>>

const MAX_REQUESTS = 50 // each is a question to a person or a model

/** The capability each question needs, and its modes by what is in the params (§4.8). */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
])

/** The declared capabilities that are passed on to a remote server. */
export function relayable(declared: Members): Members {
  const names = [...CAPABILITIES.values()].filter((name) => isObject(declared[name]))
  return Object.fromEntries(
    names.map((name) => [name, name === 'roots' ? {} : declared[name]] as const),
  )
}

/** What a question needs of a client's capabilities; undefined for a method that is none. */
export function neededFor(method: string, params: Members): Members | undefined {
  const name = CAPABILITIES.get(method)
  if (name === undefined) return undefined
  if (name === 'elicitation')
    return { [name]: params['mode'] === 'url' ? { url: {} } : { form: {} } }
  if (name === 'sampling' && params['tools'] !== undefined) return { sampling: { tools: {} } }
  return { [name]: {} }
}

/** Reads the questions of an `input_required` result; an UpstreamFault where they are none. */
export function requireInputRequests(result: Members): InputRequests {
  const { inputRequests = {}, requestState } = result
  if (!isObject(inputRequests)) throw malformed('inputRequests is no object')
  const requests = Object.entries(inputRequests)
  if (requests.length === 0 && requestState === undefined) throw malformed('nothing is asked')
  if (requests.length > MAX_REQUESTS) throw malformed('too much is asked')
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw malformed('requestState is no string')
  }
  const read = requests.map(([key, request]) => {
    const { method, params = {} } = isObject(request) ? request : {}
    if (typeof method !== 'string' || !CAPABILITIES.has(method) || !isObject(params)) {
      throw malformed(`${key.slice(0, 50)} is nothing that can be asked`)
    }
    return [key, { method, params }] as const
  })
  return Object.fromEntries(read)
}

/** Asks a client each question in turn, once it is clear that it can be asked them all. */
export async function askAll(
  requests: InputRequests,
  ask: Ask,
  { declared, signal }: Pick<RunOptions, 'declared' | 'signal'>,
): Promise<Record<string, unknown>> {
  const questions = Object.entries(requests)
  const refused = questions.find(([, { method, params }]) => !canAsk(declared, method, params))
  if (refused !== undefined) throw new AskRefused(`it cannot be asked for ${refused[1].method}`)
  const answers: Record<string, unknown> = {}
  for (const [key, { method, params }] of questions) {
    answers[key] = await ask(method, paramsFor(method, params), signal)
  }
  return answers
}

/** Answers a request that a legacy server makes meanwhile; undefined refuses its method. */
export async function answerLegacy(
  ask: Ask,
  declared: Members,
  method: string,
  params: Members,
  signal: AbortSignal,
): Promise<Record<string, unknown> | undefined> {
  if (!canAsk(declared, method, params)) return undefined
  try {
    return await ask(method, paramsFor(method, params), signal)
  } catch (error) {
    if (!(error instanceof AskRefused)) throw error
    throw new RpcError(error.code, error.message)
  }
}

function canAsk(declared: Members, method: string, params: Members): boolean {
  const needed = neededFor(method, params)
  return needed !== undefined && missingCapabilities(needed, declared).length === 0
}

/**
 * Params as the session era has them: the form mode is not named there before 2025-11-25, and a URL
 * has an id.
 */
function paramsFor(method: string, { _meta, mode, ...params }: Members): Members {
  const meta = foreignMeta(_meta)
  if (method !== 'elicitation/create' || mode !== 'url') return { ...params, ...meta }
  return { elicitationId: crypto.randomUUID(), ...params, mode, ...meta }
}

function malformed(problem: string): UpstreamFault {
  return new UpstreamFault('malformed', `The remote server asks for input, but ${problem}`)
}
