/**
 * A request relayed to a remote server: over a connection we know, and once more where that has been
 * lost (`mcp-protocol.md` §8.4). One request goes out where nothing is lost. The caller's own
 * credential, ids and progress token stay here.
 */
import { DEFAULT_REMOTE_TIMEOUT_SECONDS } from '../../handlers/remote.ts'
import { isAtLeast, isLogLevel } from '../../protocol/logging.ts'
import { findParamHeaders, formatParamHeaders } from '../../protocol/param-headers.ts'
import { INVALID_PARAMS, type Params } from '../../protocol/json-rpc.ts'
import type { Connection } from '../mcp/connection.ts'
import type { Seen } from '../mcp/events.ts'
import { UpstreamFault } from '../mcp/fault.ts'
import { remedyFor } from '../mcp/remedy.ts'
import type { Hooks } from '../mcp/exchange.ts'
import { sendRequest } from '../mcp/request.ts'
import type { OpenedSecrets } from '../opened-secrets.ts'
import type { RunOptions } from '../run-steps.ts'
import type { World } from '../world.ts'
import { answerLegacy, askAll, relayable, requireInputRequests } from './ask-client.ts'
import { withMeta } from './call-meta.ts'
import { reach, withoutSecrets } from './post-to.ts'
import type { Target } from './target.ts'
import type { Want } from './upstreams.ts'

export type RelayMethod = 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete'

export type RelayCall = {
  target: Target
  method: RelayMethod
  /** As the remote server is to have them: names are its own. */
  params: Params
  /** `Mcp-Param-*` of the arguments. */
  paramHeaders: Readonly<Record<string, string>>
  /** How long it may take, where that is not as the server says. */
  timeoutSeconds?: number | undefined
  /** What a `requestState` is sealed for. */
  place: readonly string[]
}

type Members = Record<string, unknown>

const MAX_ROUNDS = 10 // of asking the client
const MAX_MS = 600_000 // an exchange, whatever is heard meanwhile

/** How a request is relayed. */
export type RelayOptions = RunOptions & {
  /** Is put down what is seen of the last answer. */
  seen: Seen
}

/** The remote server's result, untouched but for questions that the client was asked on its stream. */
export async function relay(
  call: RelayCall,
  world: World,
  options: RelayOptions,
): Promise<Members> {
  let { params } = call
  for (let round = 0; ; round++) {
    const result = await sendMended({ ...call, params }, world, options)
    if (result['resultType'] !== 'input_required') return result
    if (call.method === 'completion/complete') {
      throw new UpstreamFault('malformed', 'The remote server asks for input where none can be')
    }
    const { ask } = options
    if (ask === undefined) return result
    if (round === MAX_ROUNDS) {
      throw new UpstreamFault('malformed', 'The remote server asks for input without end')
    }
    const inputResponses = await askAll(requireInputRequests(result), ask, options)
    const { requestState } = result
    params = { ...call.params, inputResponses, ...(requestState !== undefined && { requestState }) }
  }
}

/** Sends a request, and once more where what has failed can be mended and nothing was carried out. */
async function sendMended(call: RelayCall, world: World, options: RelayOptions): Promise<Members> {
  const { target } = call
  const want = wantOf(options)
  const connection = await world.upstreams.connect(target, want)
  try {
    return await send(call, connection, world, options)
  } catch (error) {
    if (!(error instanceof UpstreamFault) || options.signal?.aborted === true) throw error
    const remedy = remedyFor(error, connection)
    if (remedy === undefined) {
      // A tool that was taken away there is still listed here.
      if (error.code === INVALID_PARAMS) options.waitUntil(world.upstreams.refreshSoon(target))
      throw error
    }
    if (remedy === 'relist') {
      return send(await relisted(call, world, error), connection, world, options)
    }
    const replaced = await world.upstreams.replace(target, want, connection, remedy)
    if (remedy === 'reopen') options.waitUntil(world.upstreams.refreshSoon(target))
    return send(call, replaced, world, options)
  }
}

/** The call with its headers by the schema that the remote server has now. */
async function relisted(call: RelayCall, world: World, fault: UpstreamFault): Promise<RelayCall> {
  const { name, arguments: args } = call.params
  if (call.method !== 'tools/call' || typeof name !== 'string') throw fault
  const schema = await world.upstreams.relist(call.target, name)
  if (schema === undefined) throw fault
  const { headers } = findParamHeaders(schema)
  return { ...call, paramHeaders: formatParamHeaders(headers, (args ?? {}) as Members) }
}

/** Sends a request over a connection; nothing that comes back holds what authorized it. */
async function send(
  { target, method, params, paramHeaders, timeoutSeconds }: RelayCall,
  connection: Connection,
  world: World,
  options: RelayOptions,
): Promise<Members> {
  const { post, secrets } = await reach(world, target)
  try {
    const { meta } = target.remote
    const isMeant = method === 'tools/call' && meta !== undefined
    const sent = isMeant ? withMeta(params, meta, secrets) : params
    const request = { method, params: sent, paramHeaders }
    const timed = { ...redacting(options, secrets), timeoutSeconds }
    const result = await sendRequest(
      post,
      connection,
      request,
      hooksOf(target, connection, world, timed),
    )
    const { resultType, ...rest } = secrets.redactDeep(result) as Members
    // Only the stateless era has results of several types.
    return connection.era === 'modern' ? { ...rest, resultType } : rest
  } catch (error) {
    throw withoutSecrets(error, secrets)
  }
}

/** The same, without secrets in what the client is told and asked. */
function redacting(
  { notify, ask, ...options }: RelayOptions,
  secrets: OpenedSecrets,
): RelayOptions {
  return {
    ...options,
    notify: ({ params, ...notification }) =>
      notify({ ...notification, params: secrets.redactDeep(params) as Members }),
    ask:
      ask &&
      ((method, params, signal) => ask(method, secrets.redactDeep(params) as Members, signal)),
  }
}

function hooksOf(
  target: Target,
  { era, capabilities }: Connection,
  world: World,
  options: RelayOptions & Pick<RelayCall, 'timeoutSeconds'>,
): Hooks {
  const { progressToken, logLevel, signal, notify, ask, declared, waitUntil } = options
  const { timeoutSeconds = target.remote.timeoutSeconds ?? DEFAULT_REMOTE_TIMEOUT_SECONDS } =
    options
  const timeoutMs = 1000 * timeoutSeconds
  let isTold = false
  const tell = (name: string, params: Members) =>
    notify({ jsonrpc: '2.0', method: `notifications/${name}`, params })
  return {
    signal,
    timeoutMs,
    maxMs: Math.max(MAX_MS, timeoutMs),
    seen: options.seen,
    waitUntil,
    clientCapabilities: era === 'modern' || ask !== undefined ? relayable(declared) : {},
    logLevel: 'logging' in capabilities ? logLevel : undefined,
    progress:
      progressToken === undefined
        ? undefined
        : (params) => tell('progress', { ...params, progressToken }),
    log(params) {
      const { level } = params
      const isWanted = logLevel !== undefined && isLogLevel(level) && isAtLeast(level, logLevel)
      if (isWanted) tell('message', params)
    },
    ask: ask && ((...question) => answerLegacy(ask, declared, ...question)),
    listChanged() {
      if (isTold) return // each is a request of ours, and it may be said without end
      isTold = true
      waitUntil(world.upstreams.refreshSoon(target))
    },
  }
}

/** A client that can be asked on its own stream has a connection of its own; the rest share one. */
function wantOf({ ask, declared, session }: RunOptions): Want {
  const capabilities = relayable(declared)
  const isOwn = ask !== undefined && session !== undefined && Object.keys(capabilities).length > 0
  return isOwn ? { capabilities, session } : { capabilities: {}, session: undefined }
}
