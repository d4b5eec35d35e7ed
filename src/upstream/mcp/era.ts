/**
 * Which era a remote server is of: `server/discover` is asked, and the outcome classified row by row
 * (`mcp-protocol.md` §8.1). Credentials, rate limits and outages say nothing about the era.
 */
import { SERVER_INFO } from '../../protocol/envelope.ts'
import {
  HEADER_MISMATCH,
  isObject,
  MISSING_CLIENT_CAPABILITY,
  UNSUPPORTED_VERSION,
} from '../../protocol/json-rpc.ts'
import {
  isLegacyRevision,
  isModern,
  MODERN_REVISION,
  SUPPORTED_VERSIONS,
} from '../../protocol/revisions.ts'
import { knownOf, MAX_GREETING_BYTES, type ModernConnection } from './connection.ts'
import { exchange, type Hooks } from './exchange.ts'
import { UpstreamFault, type FaultKind } from './fault.ts'
import type { Post } from './post.ts'

type Members = Record<string, unknown>
export type ProbeOutcome = { result: Members } | { fault: UpstreamFault }

/** `again`: a modern server that refused this request only; `none`: nothing about the era was learnt. */
export type Verdict = 'modern' | 'legacy' | 'again' | 'incompatible' | 'none'

const NO_EVIDENCE: ReadonlySet<FaultKind> = new Set([
  'unreachable',
  'no_token',
  'timeout',
  'cancelled',
  'unauthorized',
  'forbidden',
  'rate_limited',
])

/** What the outcome of `server/discover` says. */
export function classifyProbe(outcome: ProbeOutcome): Verdict {
  if ('result' in outcome) {
    const versions = namesIn(outcome.result['supportedVersions'])
    if (versions === undefined) return 'legacy' // it answers what it does not know
    if (versions.some((version) => SUPPORTED_VERSIONS.includes(version))) return 'modern'
    return versions.some(isLegacyRevision) ? 'legacy' : 'incompatible'
  }
  const { kind, code, status, data, isBroken } = outcome.fault
  if (NO_EVIDENCE.has(kind) || isBroken) return 'none'
  if (kind === 'status' && (status === undefined || status < 400 || status >= 500)) return 'none'
  if (code === HEADER_MISMATCH) return 'again'
  if (code === MISSING_CLIENT_CAPABILITY) return 'incompatible'
  if (code === UNSUPPORTED_VERSION) {
    const supported = namesIn(isObject(data) ? data['supported'] : undefined) ?? []
    if (supported.some((version) => SUPPORTED_VERSIONS.includes(version))) return 'again'
    return supported.some(isModern) ? 'incompatible' : 'legacy'
  }
  return 'legacy'
}

/** A modern server as it presents itself, or that it is a legacy one; throws where neither is known. */
export async function probe(
  post: Post,
  now: number,
  hooks: Pick<Hooks, 'signal' | 'timeoutMs' | 'clientCapabilities'>,
): Promise<ModernConnection | 'legacy'> {
  let outcome = await discover(post, hooks)
  let verdict = classifyProbe(outcome)
  if (verdict === 'again') {
    // Once: a server that insists would have us ask for ever.
    outcome = await discover(post, hooks)
    verdict = classifyProbe(outcome)
  }
  if (verdict === 'legacy') return 'legacy'
  if ('result' in outcome) {
    if (verdict === 'modern') return modernConnection(outcome.result, now)
    throw new UpstreamFault('incompatible', 'The remote server speaks no protocol revision of ours')
  }
  if (verdict === 'none') throw outcome.fault
  const { code, data, said } = outcome.fault
  const message = 'The remote server is of the newest protocol era and refuses our requests'
  throw new UpstreamFault('incompatible', message, { code, data, said })
}

async function discover(post: Post, hooks: Hooks): Promise<ProbeOutcome> {
  const to = { era: 'modern', revision: MODERN_REVISION } as const
  try {
    const { result } = await exchange(
      post,
      to,
      { method: 'server/discover', params: {} },
      {
        ...hooks,
        maxBytes: MAX_GREETING_BYTES,
      },
    )
    return { result }
  } catch (error) {
    if (error instanceof UpstreamFault) return { fault: error }
    throw error
  }
}

function modernConnection(result: Members, now: number): ModernConnection {
  const { ttlMs, _meta } = result
  return {
    era: 'modern',
    revision: MODERN_REVISION,
    ...knownOf(result, isObject(_meta) ? _meta[SERVER_INFO] : undefined, now),
    ...(typeof ttlMs === 'number' && ttlMs >= 0 && { ttlMs }),
  }
}

function namesIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.filter((name) => typeof name === 'string')
}
