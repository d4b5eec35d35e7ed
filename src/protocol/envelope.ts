/**
 * The envelope of a stateless request: the reserved keys of `params._meta`, and steps 1 to 7 of the
 * ladder that checks them against the headers (`mcp-protocol.md` §1.3). The later steps need the
 * method, and stand in methods/.
 */
import { decodeHeaderValue } from './headers.ts'
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  isObject,
  isRequestId,
  RpcError,
  UNSUPPORTED_VERSION,
  type Params,
  type Request,
} from './json-rpc.ts'
import { isLogLevel, type LogLevel } from './logging.ts'
import { SUPPORTED_VERSIONS } from './revisions.ts'

export const CLAIM = 'io.modelcontextprotocol/protocolVersion'
export const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
export const SERVER_INFO = 'io.modelcontextprotocol/serverInfo'

const RESERVED_PREFIX = 'io.modelcontextprotocol/'

/** The member of `params` that `Mcp-Name` mirrors, by method (§4.2). */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** The member of a request that `Mcp-Name` mirrors, whatever it is; undefined where there is none. */
export function mirroredName(method: string, params: Params | undefined): unknown {
  return params?.[NAMED.get(method) ?? '']
}

/** Whether a key of `_meta` speaks of one hop alone: it is the protocol's own. */
export function isReservedMeta(key: string): boolean {
  return key.startsWith(RESERVED_PREFIX) || key === 'progressToken'
}

/** The `_meta` that may pass from one hop to the next, as a member; none where nothing is left of it. */
export function foreignMeta(meta: unknown): { _meta?: Record<string, unknown> } {
  if (!isObject(meta)) return {}
  const kept = Object.entries(meta).filter(([key]) => !isReservedMeta(key))
  return kept.length === 0 ? {} : { _meta: Object.fromEntries(kept) }
}

export type Envelope = {
  clientCapabilities: Readonly<Record<string, unknown>>
  logLevel: LogLevel | undefined
  progressToken: string | number | undefined
}

/** Checks a request that makes a claim, the first failure answering, and gives its envelope. */
export function requireEnvelope(
  { id, method, params }: Request,
  meta: Record<string, unknown>,
  headers: Headers,
): Envelope {
  const refuse = (code: number, message: string, data?: unknown) =>
    new RpcError(code, message, { status: 400, id, data })
  const badKey = (key: string, problem: string) =>
    refuse(INVALID_PARAMS, `params._meta["${key}"] ${problem}`, { envelope: { key, problem } })

  const claim = meta[CLAIM]
  if (typeof claim !== 'string') throw badKey(CLAIM, 'must be a string')

  const mismatch = (name: string, header: string | null, body: string) =>
    refuse(
      HEADER_MISMATCH,
      header === null
        ? `Header mismatch: ${name} is missing, body says '${body}'`
        : `Header mismatch: ${name} says '${header}', body says '${body}'`,
      { mismatch: { header, body } },
    )
  const version = headers.get('mcp-protocol-version')
  if (version !== claim) throw mismatch('MCP-Protocol-Version', version, claim)
  if (!SUPPORTED_VERSIONS.includes(claim)) {
    throw refuse(UNSUPPORTED_VERSION, 'Unsupported protocol version', {
      supported: SUPPORTED_VERSIONS,
      requested: claim,
    })
  }

  const clientCapabilities = meta[CLIENT_CAPABILITIES]
  if (!isObject(clientCapabilities)) throw badKey(CLIENT_CAPABILITIES, 'must be an object')
  const info = meta[CLIENT_INFO]
  if (info !== undefined && !isImplementation(info)) {
    throw badKey(CLIENT_INFO, 'must be an object with a name and a version')
  }
  const logLevel = meta[LOG_LEVEL]
  if (logLevel !== undefined && !isLogLevel(logLevel))
    throw badKey(LOG_LEVEL, 'must be a log level')
  const progressToken = meta['progressToken']
  if (progressToken !== undefined && !isRequestId(progressToken)) {
    throw badKey('progressToken', 'must be a string or an integer')
  }

  const methodHeader = headers.get('mcp-method')
  if (methodHeader !== method) throw mismatch('Mcp-Method', methodHeader, method)
  const name = mirroredName(method, params)
  if (typeof name === 'string') {
    const nameHeader = headers.get('mcp-name')
    if (nameHeader === null || decodeHeaderValue(nameHeader) !== name) {
      throw mismatch('Mcp-Name', nameHeader, name)
    }
  }
  return { clientCapabilities, logLevel, progressToken }
}

function isImplementation(value: unknown): boolean {
  return (
    isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string'
  )
}
