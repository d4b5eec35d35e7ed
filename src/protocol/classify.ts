/**
 * Which era a POSTed message belongs to, and at which revision it is served: the procedure of
 * `mcp-protocol.md` §1.2 from step 6 on. The body decides; the header only confirms.
 */
import { CLAIM, requireEnvelope, type Envelope } from './envelope.ts'
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isObject,
  RpcError,
  type Message,
  type Notification,
  type Request,
} from './json-rpc.ts'
import {
  ASSUMED_LEGACY,
  isLegacyRevision,
  isModern,
  LEGACY_REVISIONS,
  type LegacyRevision,
} from './revisions.ts'

export type Classified =
  | { era: 'legacy'; message: Message; revision: LegacyRevision }
  | { era: 'modern'; message: Request; envelope: Envelope }
  | { era: 'modern'; message: Notification }

/** Sorts one message, or throws the error that its disagreement with the headers calls for. */
export function classify(message: Message, headers: Headers): Classified {
  const header = headers.get('mcp-protocol-version')
  const modernHeader = header !== null && isModern(header)
  if (message.kind === 'response') {
    if (modernHeader) throw refused(INVALID_REQUEST, 'This revision has no client responses')
    return { era: 'legacy', message, revision: legacyRevision(header) }
  }
  const meta = message.params?.['_meta']
  const claimed = isObject(meta) && CLAIM in meta
  if (message.kind === 'notification') {
    return notification(message, claimed ? meta[CLAIM] : undefined, headers)
  }
  const { id } = message
  const isHandshake = message.method === 'initialize' && !(claimed && isModernClaim(meta[CLAIM]))
  if (claimed && !isHandshake)
    return { era: 'modern', message, envelope: requireEnvelope(message, meta, headers) }
  if (isHandshake) {
    if (modernHeader) {
      throw refused(
        HEADER_MISMATCH,
        `Header mismatch: MCP-Protocol-Version says '${header}', but initialize belongs to earlier revisions`,
        { id },
      )
    }
    // Step 7a: the header is not looked at here; clients send it or not.
    return { era: 'legacy', message, revision: ASSUMED_LEGACY }
  }
  if (modernHeader) {
    throw refused(
      INVALID_PARAMS,
      `params._meta lacks ${CLAIM} and io.modelcontextprotocol/clientCapabilities`,
      { id },
    )
  }
  return { era: 'legacy', message, revision: legacyRevision(header, id) }
}

/** Only a valid modern claim takes `initialize` out of the session era (step 7a). */
function isModernClaim(claim: unknown): boolean {
  return typeof claim === 'string' && isModern(claim)
}

function notification(message: Notification, claim: unknown, headers: Headers): Classified {
  const header = headers.get('mcp-protocol-version')
  if (claim !== undefined) {
    if (typeof claim !== 'string') throw refused(INVALID_PARAMS, `${CLAIM} must be a string`)
    if (claim !== header) throw refused(HEADER_MISMATCH, 'Header mismatch: MCP-Protocol-Version')
  } else if (header === null || !isModern(header)) {
    return { era: 'legacy', message, revision: legacyRevision(header) }
  }
  const method = headers.get('mcp-method')
  if (method !== null && method !== message.method) {
    throw refused(HEADER_MISMATCH, 'Header mismatch: Mcp-Method')
  }
  return { era: 'modern', message }
}

/** The revision a legacy message without a session is served at (§3.6), or 400. */
export function legacyRevision(header: string | null, id?: string | number): LegacyRevision {
  if (header === null) return ASSUMED_LEGACY
  if (isLegacyRevision(header)) return header
  const known = LEGACY_REVISIONS.join(', ')
  throw refused(
    INVALID_REQUEST,
    `Unsupported MCP-Protocol-Version '${header.slice(0, 40)}'; supported: ${known}`,
    {
      ...(id !== undefined && { id }),
    },
  )
}

function refused(code: number, message: string, extras: { id?: string | number } = {}): RpcError {
  return new RpcError(code, message, { status: 400, ...extras })
}
