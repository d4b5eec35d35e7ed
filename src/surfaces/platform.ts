/**
 * What a surface stands on: bindings, settings, and what this isolate remembers, bounded in bytes.
 * Made once for each isolate by the roof.
 */
import type { Credential } from '../callers/credential.ts'
import { IssuerKeys } from '../callers/issuer-keys.ts'
import type { Principal } from '../callers/principal.ts'
import type { Catalog, Renderings } from '../catalog/catalog.ts'
import type { Gateway } from '../catalog/gateway.ts'
import type { Kv } from '../catalog/kv-door.ts'
import type { Gone } from '../catalog/published.ts'
import type { Env, Settings } from '../env.ts'
import { BoundedMap } from '../memory/bounded-map.ts'
import { Lookup } from '../memory/lookup.ts'
import { callLogOf, type CallLog } from '../objects/call-log.ts'
import type { Owned } from '../objects/directory.ts'
import { kvOf } from '../objects/kv.ts'
import { worldOf } from '../objects/world.ts'
import { createFetchJson } from '../upstream/fetch-json.ts'
import { sha256HexOfBytes } from '../sealing/digest.ts'
import type { LegacyRevision } from '../protocol/revisions.ts'
import type { WaitUntil } from '../memory/single-flight.ts'
import type { Resolved } from '../upstream/relay/target.ts'
import type { World } from '../upstream/world.ts'
import type { VisibleTools } from '../visibility/gateway-list.ts'

const FRESH_MS = 5000
const ORGANIZATION_FRESH_MS = 60_000 // a name that moved is found again within this
const CATALOG_BYTES = 40 * 1024 * 1024 // of the 128 MB an isolate has
const RENDERING_BYTES = 16 * 1024 * 1024
const SURFACE_BYTES = 32 * 1024 * 1024 // the largest there may be, and what is made of it
const CREDENTIAL_BYTES = 4 * 1024 * 1024
const SMALL_BYTES = 1024 * 1024

export type Vanity = { server: string | undefined }
/** A revision that a server is known to have reached, and whose server it is. */
export type Told = { organization: string; revision: number }

export type Check = { revision: number; credential: boolean }

export type Platform = {
  env: Env
  settings: Settings
  kv: Kv
  /** What cursors are signed with: of the sealing keys, so that they are the deployment's. */
  cursorKeys: readonly [string, ...string[]]
  renderings: Renderings
  servers: Lookup<Catalog | Gone>
  /** Single revisions by `organization:id:revision`: what never changes needs no second look. */
  revisions: Lookup<Catalog | Gone>
  /** Gateways of organizations, by the organization's id. */
  surfaces: Lookup<Gateway | Gone>
  vanities: Lookup<Vanity>
  credentials: Lookup<Credential | 'revoked'>
  /** Members and agents, by organization and id. */
  principals: Lookup<Principal | 'gone'>
  /** Which organizations a person is a member of, by the hash of its external id. */
  memberships: Lookup<readonly Owned[]>
  issuerKeys: IssuerKeys
  checks: Lookup<Check>
  /** Secrets, sealed, by organization and name. */
  secrets: Lookup<string>
  /** How remote servers are reached, by organization, server, revision and environment. */
  remotes: Lookup<Resolved>
  /** What a principal sees of a gateway, by what decides it. */
  selections: BoundedMap<VisibleTools>
  world: World
  calls: CallLog
  /** Revisions this isolate knows of, by server: no older copy is taken (`design.md` §2). */
  newest: BoundedMap<Told>
  /** Digests of keys that were presented, by the key itself: in memory alone. */
  digestsOfKeys: BoundedMap<string>
  /** Which revision a session speaks, by its id. */
  sessionRevisions: BoundedMap<LegacyRevision>
  /** Digests of lists, by what decides them. */
  digests: BoundedMap<string>
  /** Ids of organizations, by name. */
  organizations: Lookup<string>
}

/** One request, the work that may outlive it, and the address it came from. */
export type Visit = { request: Request; waitUntil: WaitUntil; address: string }

/** An isolate's platform, with nothing remembered yet. */
export function createPlatform(env: Env, settings: Settings): Platform {
  const lookup = <T>(
    limitBytes: number,
    options: { freshMs?: number; keepsStale?: boolean } = {},
  ) =>
    new Lookup<T>({
      memory: new BoundedMap(limitBytes),
      freshMs: options.freshMs ?? FRESH_MS,
      keepsStale: options.keepsStale ?? false,
    })
  const newest = new BoundedMap<Told>(SMALL_BYTES)
  const world = worldOf(env)
  const [first, ...rest] = settings.SEAL_KEYS
  return {
    env,
    settings,
    kv: kvOf(env),
    cursorKeys: [
      sha256HexOfBytes(first.bytes),
      ...rest.map(({ bytes }) => sha256HexOfBytes(bytes)),
    ],
    renderings: new BoundedMap(RENDERING_BYTES),
    servers: new Lookup({
      memory: new BoundedMap(CATALOG_BYTES),
      freshMs: FRESH_MS,
      keepsStale: true,
      isOlder: (read, known) =>
        read.organization === known.organization && read.revision < known.revision,
      isCurrent(id, server) {
        const told = newest.get(id)
        return told === undefined || (server !== undefined && isNoOlder(server, told))
      },
    }),
    surfaces: new Lookup({
      memory: new BoundedMap(SURFACE_BYTES),
      freshMs: FRESH_MS,
      keepsStale: true,
      // One that is gone may begin anew.
      isOlder: (read, known) => !('deleted' in known) && read.revision < known.revision,
      isCurrent(organization, surface) {
        const told = newest.get(surfaceName(organization))
        return told === undefined || (surface !== undefined && isNoOlder(surface, told))
      },
    }),
    revisions: lookup(RENDERING_BYTES, { freshMs: 10 * 60 * 1000 }),
    vanities: lookup(SMALL_BYTES, { keepsStale: true }),
    credentials: new Lookup({
      memory: new BoundedMap(CREDENTIAL_BYTES),
      freshMs: FRESH_MS,
      keepsStale: false,
      // What was revoked stays revoked, whatever was read meanwhile.
      isOlder: (read, known) => known === 'revoked' && read !== 'revoked',
    }),
    principals: new Lookup({
      memory: new BoundedMap(CREDENTIAL_BYTES),
      freshMs: FRESH_MS,
      keepsStale: false,
      isOlder: (read, known) =>
        read !== 'gone' && (known === 'gone' || read.version < known.version),
    }),
    memberships: lookup(SMALL_BYTES, { freshMs: ORGANIZATION_FRESH_MS }),
    issuerKeys: new IssuerKeys(createFetchJson(world.outbound)),
    checks: lookup(SMALL_BYTES),
    secrets: lookup(SMALL_BYTES),
    remotes: lookup(CREDENTIAL_BYTES),
    selections: new BoundedMap(CREDENTIAL_BYTES),
    world,
    calls: callLogOf(env),
    newest,
    digestsOfKeys: new BoundedMap(SMALL_BYTES),
    sessionRevisions: new BoundedMap(SMALL_BYTES),
    digests: new BoundedMap(SMALL_BYTES),
    organizations: lookup(SMALL_BYTES, { freshMs: ORGANIZATION_FRESH_MS }),
  }
}

const SMALL_ENTRY_BYTES = 150

/** Whether a copy of a server is of the owner that was told, and no older than that. */
export function isNoOlder(server: Told, told: Told): boolean {
  return server.organization === told.organization && server.revision >= told.revision
}

/** Notes a revision of a server, so that no older copy is given from here on. */
export function learnRevision(
  { newest }: Platform,
  { id, organization, revision }: Told & { id: string },
): void {
  const told = newest.get(id)
  if (told?.organization === organization && told.revision >= revision) return
  newest.set(id, { organization, revision }, SMALL_ENTRY_BYTES)
}

/** Notes a revision of an organization's gateway likewise. */
export function learnSurface(platform: Platform, organization: string, revision: number): void {
  learnRevision(platform, { id: surfaceName(organization), organization, revision })
}

/** What the newest revision of a gateway is remembered by; no server is called so. */
export function surfaceName(organization: string): string {
  return `surface ${organization}`
}

/** Notes that a credential was revoked here. */
export function learnRevoked({ credentials }: Platform, hash: string): void {
  credentials.remember(hash, 'revoked', SMALL_ENTRY_BYTES)
}

/** The name a principal is remembered by: another organization may not be told of it. */
export function principalName(organization: string, id: string): string {
  return `${organization} ${id}`
}

/** Notes that a principal is gone here. */
export function learnGone({ principals }: Platform, organization: string, id: string): void {
  principals.remember(principalName(organization, id), 'gone', SMALL_ENTRY_BYTES)
}

/** Drops what is remembered of a person's memberships, by the hash of its external id: one has changed. */
export function forgetMemberships({ memberships }: Platform, person: string): void {
  memberships.forget(person)
}

/** Notes that a server was put at a vanity slug here. */
export function learnVanity({ vanities }: Platform, slug: string, server: string): void {
  vanities.remember(slug, { server }, SMALL_ENTRY_BYTES)
}
