/** What a method is given to answer one request, and what it answers with. */
import type { Caller } from '../callers/caller.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { SERVER_INFO } from '../protocol/envelope.ts'
import { ROLLCALL_VERSION } from '../protocol/implementation.ts'
import { isObject, type Params } from '../protocol/json-rpc.ts'
import { MODERN_REVISION, type Revision } from '../protocol/revisions.ts'
import type { Resolved } from '../upstream/relay/target.ts'
import type { Talk } from '../upstream/run-steps.ts'
import type { Sealed, SealedAccount, World } from '../upstream/world.ts'
import type { Note } from './call-entry.ts'

export type Exchange = {
  revision: Revision
  caller: Caller
  catalog: Catalog
  params: Params
  headers: Headers
  /** What cursors are signed with. */
  cursorKeys: readonly [string, ...string[]]
  /** What the client declared on this request; undefined before 2026-07-28. */
  clientCapabilities: Readonly<Record<string, unknown>> | undefined
  /** The session it is in, with what its client declared; undefined outside of one. */
  session?: { capabilities: () => Promise<Readonly<Record<string, unknown>>> } | undefined
  /** How a call talks while it runs; absent where nothing may precede the answer. */
  talk?: Talk | undefined
  /** Keeps work that may outlive the request. */
  waitUntil: (work: Promise<unknown>) => void
  world: World
  /** Takes an entry of the call log. */
  note: Note
  /** The secrets of these names, sealed; undefined where the organization could not be asked. */
  sealed: (names: readonly string[]) => Sealed | Promise<Sealed | undefined>
  /** How the remote server of a remote one is reached; undefined where nobody could be asked. */
  resolve: () => Promise<Resolved | undefined>
  /** The account a call is made with, on a server whose calls need one. */
  account?: SealedAccount | undefined
  /** How many deployments of ours the request came through. */
  hops: number
  /** Takes one call of a tool with a limit; the seconds to wait where there were too many. */
  takeCall: (tool: string, perMinute: number) => Promise<number | undefined>
  /** The catalog, compared with the truth at most 5 s ago; undefined when nobody could be asked. */
  verified: () => Catalog | Promise<Catalog | undefined>
  /** The catalog as it was at a revision; undefined once that has expired. */
  catalogAt: (revision: number) => Promise<Catalog | undefined>
}

/** A result as an object, or as a stretch of JSON that is open at its end and the members after it. */
export type Result =
  | Readonly<Record<string, unknown>>
  | { open: Uint8Array; members: Readonly<Record<string, unknown>> }

export type Method = (exchange: Exchange) => Result | Promise<Result>

/** `serverInfo`, as a client is shown it. */
export function implementationOf(catalog: Catalog): { name: string; version: string } {
  return { name: catalog.settings.name, version: ROLLCALL_VERSION }
}

/** The members every complete result of 2026-07-28 has, and none of an earlier one (§4.4). */
export function complete({
  revision,
  catalog,
}: Pick<Exchange, 'revision' | 'catalog'>): Readonly<Record<string, unknown>> {
  if (revision !== MODERN_REVISION) return {}
  return { resultType: 'complete', _meta: { [SERVER_INFO]: implementationOf(catalog) } }
}

/** A result with what `complete` adds; one that asks for input is not complete (§4.8). */
export function completed(
  exchange: Pick<Exchange, 'revision' | 'catalog'>,
  result: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  if (exchange.revision !== MODERN_REVISION) return result
  const { _meta, ...ours } = complete(exchange)
  const { _meta: given, resultType } = result
  const meta = isObject(_meta) ? { _meta: { ...(isObject(given) && given), ..._meta } } : {}
  return { ...result, ...ours, ...(resultType !== undefined && { resultType }), ...meta }
}

/** The cache hints of the results that have them (§4.7): public only where all callers see the same. */
export function cacheHints({
  revision,
  catalog,
}: Pick<Exchange, 'revision' | 'catalog'>): Readonly<Record<string, unknown>> {
  if (revision !== MODERN_REVISION) return {}
  const { ttlMs, auth } = catalog.settings
  return { ttlMs, cacheScope: auth === 'none' ? 'public' : 'private' }
}
