/**
 * Where each kind of remembered thing comes from: the copy in KV, and past it the Directory and the
 * organization it names (`design.md` §2).
 */
import { parseCredential, type Credential } from '../callers/credential.ts'
import { parsePrincipal, type Principal } from '../callers/principal.ts'
import type { Catalog } from '../catalog/catalog.ts'
import {
  credentialKey,
  loadServer,
  principalKey,
  readServer,
  readSmall,
  revisionKey,
  serverKey,
  vanityKey,
} from '../catalog/kv.ts'
import type { Gone } from '../catalog/published.ts'
import type { Sized, Source } from '../memory/lookup.ts'
import type { NameKind, Owned } from '../objects/directory.ts'
import { directoryOf, organizationOf } from '../objects/resident.ts'
import type { Resolved } from '../upstream/relay/target.ts'
import { admitMiss, admitPerson } from './limits.ts'
import {
  isNoOlder,
  learnRevision,
  type Check,
  type Platform,
  type Vanity,
  type Visit,
} from './platform.ts'
import { publishAgain } from './publish-again.ts'
import { retrying } from './retrying.ts'

const SMALL_ENTRY_BYTES = 150
const MAX_MEMBERSHIPS = 100 // of one person

/** Of what is in no KV: only those are to ask for it who have been let in. */
const UNPUBLISHED = { published: async () => undefined, admitMiss: async () => {} }

/** Who owns a name; undefined where nobody does. */
export async function ownerOf(
  { env }: Platform,
  kind: NameKind,
  name: string,
): Promise<Owned | undefined> {
  return retrying(() => directoryOf(env, kind, name).find(kind, name))
}

/** A server's newest published form, by id. */
export function serverSource(platform: Platform, visit: Visit): Source<Catalog | Gone> {
  const { env, kv, renderings, newest } = platform
  return {
    async published(id, known) {
      const read = await readServer(kv, serverKey(id), known, renderings)
      const told = newest.get(id)
      if (read === undefined || read === 'shut') return read
      if (told === undefined || isNoOlder(read.value, told)) return read
      if (read.value.organization !== told.organization) return undefined // whose is it? ask
      // Older than what this isolate knows of: the revision's own key, or else the organization.
      const key = revisionKey(id, told.revision)
      const own = await readServer(kv, key, undefined, renderings)
      if (own === undefined || own === 'shut') return own
      return isNoOlder(own.value, told) ? own : undefined
    },
    async admitMiss(id) {
      if (newest.get(id) === undefined) await admitMiss(platform, visit)
    },
    async origin(id, isShut) {
      const owned = await ownerOf(platform, 'server', id)
      if (owned === undefined) return undefined
      if (isShut) publishAgain(platform, visit, owned.owner, { kind: 'server', name: id })
      const bytes = await retrying(() => organizationOf(env, owned.owner).published(id))
      if (bytes === undefined) return undefined
      const server = loadServer(bytes, renderings)
      if (newest.get(id) !== undefined) learnRevision(platform, server.value) // its owner may be another now
      return server
    },
  }
}

/** One revision of a server, by `organization:id:revision`: a day in KV, and as long as its organization keeps it. */
export function revisionSource(
  platform: Platform,
  visit: Visit,
  organization: string,
): Source<Catalog | Gone> {
  const { env, kv, renderings } = platform
  return {
    async published(name, known) {
      const [, id = '', revision = ''] = name.split(':')
      const read = await readServer(kv, revisionKey(id, Number(revision)), known, renderings)
      if (read === 'shut') return read
      // Another organization may have had the id before.
      return read?.value.organization === organization ? read : undefined
    },
    admitMiss: () => admitMiss(platform, visit),
    async origin(name, isShut) {
      const [, id = '', revision = ''] = name.split(':')
      if (isShut) publishAgain(platform, visit, organization, { kind: 'server', name: id })
      const stub = organizationOf(env, organization)
      const bytes = await retrying(() => stub.publishedAt(id, Number(revision)))
      return bytes && loadServer(bytes, renderings)
    },
  }
}

/** The server at a vanity slug. */
export function vanitySource(platform: Platform, visit: Visit): Source<Vanity> {
  const sized = (server: string | undefined): Sized<Vanity> => ({
    value: { server },
    bytes: SMALL_ENTRY_BYTES,
  })
  return {
    published: (slug) =>
      readSmall(platform.kv, vanityKey(slug), (text) => sized(JSON.parse(text).server)),
    admitMiss: () => admitMiss(platform, visit),
    async origin(slug, isShut) {
      const owned = await ownerOf(platform, 'vanity', slug)
      if (owned && isShut)
        publishAgain(platform, visit, owned.owner, { kind: 'vanity', name: slug })
      return owned && sized(owned.target)
    },
  }
}

/** A credential, by the SHA-256 of its secret. */
export function credentialSource(platform: Platform, visit: Visit): Source<Credential | 'revoked'> {
  const { env, kv } = platform
  return {
    published: (hash) => readSmall(kv, credentialKey(hash), parseCredential),
    admitMiss: () => admitMiss(platform, visit),
    async origin(hash, isShut) {
      const owned = await ownerOf(platform, 'credential', hash)
      if (owned === undefined) return undefined
      if (isShut) publishAgain(platform, visit, owned.owner, { kind: 'credential', name: hash })
      const text = await retrying(() => organizationOf(env, owned.owner).credential(hash))
      return text === undefined ? undefined : parseCredential(text)
    },
  }
}

/** A principal, by organization and id. */
export function principalSource(
  platform: Platform,
  visit: Visit,
  { organization, id }: Pick<Principal, 'organization' | 'id'>,
): Source<Principal | 'gone'> {
  const { env, kv } = platform
  const read = (text: string): Sized<Principal | 'gone'> | undefined => {
    const known = parsePrincipal(text)
    if (known === undefined) return { value: 'gone', bytes: SMALL_ENTRY_BYTES }
    return known.value.organization === organization ? known : undefined
  }
  return {
    published: () => readSmall(kv, principalKey(id), read),
    admitMiss: () => admitMiss(platform, visit),
    async origin(_name, isShut) {
      if (isShut) publishAgain(platform, visit, organization, { kind: 'principal', name: id })
      const text = await retrying(() => organizationOf(env, organization).principal(id))
      return text === undefined ? undefined : read(text)
    },
  }
}

/** The organizations that a person is a member of, by the hash of its external id. */
export function membershipSource(platform: Platform): Source<readonly Owned[]> {
  const { env } = platform
  return {
    published: async () => undefined,
    admitMiss: (hash) => admitPerson(platform, hash),
    async origin(hash) {
      const directory = () => directoryOf(env, 'external', hash)
      const owned = await retrying(() => directory().findAll('external', hash, MAX_MEMBERSHIPS))
      if (owned.length === 0) return undefined
      return { value: owned, bytes: owned.length * SMALL_ENTRY_BYTES }
    },
  }
}

/** What an organization says now, by `server caller`, or `server caller person`; it is in no KV. */
export function checkSource({ env }: Platform, organization: string): Source<Check> {
  return {
    ...UNPUBLISHED,
    async origin(name) {
      const [server = '', id = '', person] = name.split(' ')
      const stub = () => organizationOf(env, organization)
      const value = await retrying(() => stub().check(server, { id, person }))
      return { value, bytes: SMALL_ENTRY_BYTES }
    },
  }
}

/** A secret, sealed, by `organization name`; it is in no KV. */
export function secretSource({ env }: Platform, organization: string): Source<string> {
  return {
    ...UNPUBLISHED,
    async origin(key) {
      const name = key.slice(organization.length + 1)
      const stub = () => organizationOf(env, organization)
      const sealed = await retrying(() => stub().sealedSecret(name))
      return sealed === undefined ? undefined : { value: sealed, bytes: 2 * sealed.length }
    },
  }
}

/** How a remote server is reached in an environment; it is in no KV. */
export function remoteSource(
  { env }: Platform,
  { organization, id, environment }: { organization: string; id: string; environment: string },
): Source<Resolved> {
  return {
    ...UNPUBLISHED,
    async origin() {
      const stub = () => organizationOf(env, organization)
      const found = await retrying(async () => stub().remote(id, environment))
      if (found === undefined) return undefined
      const value: Resolved = 'problem' in found ? found : resolvedOf(found)
      return { value, bytes: 2 * JSON.stringify(value).length }
    },
  }
}

/** An organization's id, by its name or id. */
export function organizationSource(platform: Platform): Source<string> {
  return {
    ...UNPUBLISHED,
    async origin(name) {
      const owned = await ownerOf(platform, 'organization', name)
      return owned && { value: owned.owner, bytes: SMALL_ENTRY_BYTES }
    },
  }
}

function resolvedOf({ remote, sealed, environment }: Exclude<Resolved, { problem: string }>) {
  return { remote, sealed, environment }
}
