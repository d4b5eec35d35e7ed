/**
 * How every object is asked for: in the deployment's jurisdiction (`platform.md` §2), by a name of
 * ours. A name is made of ids that hold nobody's data; with RESIDENCY strict it is the HMAC of that
 * (`design.md` §5), so an object may not read from its name what it is. Nothing else asks a namespace.
 */
import { BoundedMap } from '../memory/bounded-map.ts'
import { hmacOf, sha256Hex } from '../sealing/digest.ts'
import { Residence } from '../sealing/residence.ts'
import type { Channel } from './channel.ts'
import type { Directory, NameKind } from './directory.ts'
import type { Organization } from './organization.ts'
import type { Session } from './session.ts'
import type { Upstream } from './upstream.ts'

export type OrganizationBinding = { ORGANIZATION: DurableObjectNamespace<Organization> }
export type DirectoryBinding = { DIRECTORY: DurableObjectNamespace<Directory> }
export type SessionBinding = { SESSION: DurableObjectNamespace<Session> }
export type ChannelBinding = { CHANNEL: DurableObjectNamespace<Channel> }
export type UpstreamBinding = { UPSTREAM: DurableObjectNamespace<Upstream> }

type Residing = {
  jurisdiction: Residence['JURISDICTION']
  locationHint: Residence['LOCATION_HINT']
  nameKey: Uint8Array | undefined
  /** HMACs of names. */
  names: BoundedMap<string>
}

const SHARDS = 16
const NAMES_BYTES = 512 * 1024
const HMAC_LENGTH = 64

const residing = new WeakMap<object, Residing>()

/**
 * A namespace in the deployment's jurisdiction, or as it is where there is none. An error is never
 * caught: falling back would drop the promise.
 */
export function resident<T extends Rpc.DurableObjectBranded>(
  env: object,
  namespace: DurableObjectNamespace<T>,
): DurableObjectNamespace<T> {
  const { jurisdiction } = residingOf(env)
  return jurisdiction === '' ? namespace : namespace.jurisdiction(jurisdiction)
}

/** The name an object has in this deployment. */
export function objectName(env: object, name: string): string {
  const { nameKey, names } = residingOf(env)
  if (nameKey === undefined) return name
  const known = names.get(name)
  if (known !== undefined) return known
  const hmac = hmacOf(nameKey, name)
  names.set(name, hmac, 2 * (name.length + HMAC_LENGTH))
  return hmac
}

/** An organization; the hint wins over the deployment's, the first time it is asked for. */
export function organizationOf(
  env: OrganizationBinding,
  id: string,
  locationHint?: DurableObjectLocationHint,
): DurableObjectStub<Organization> {
  return named(env, env.ORGANIZATION, id, locationHint)
}

/** The Directory that knows a name: by the first hex digit of the hash of what is before a colon. */
export function directoryOf(
  env: DirectoryBinding,
  kind: NameKind,
  name: string,
): DurableObjectStub<Directory> {
  const [shared = ''] = name.split(':', 1)
  return shardOf(env, sha256Hex(`${kind}:${shared}`).charAt(0))
}

/** Every Directory, for the lists that go through all of them. */
export function allDirectories(env: DirectoryBinding): DurableObjectStub<Directory>[] {
  return Array.from({ length: SHARDS }, (_, n) => shardOf(env, n.toString(16)))
}

/** The Channel of a server: who listens to it. */
export function channelOf(env: ChannelBinding, server: string): DurableObjectStub<Channel> {
  return named(env, env.CHANNEL, `server-${server}`)
}

/** The Channel of an organization's gateway: who listens to what its servers are shown as. */
export function surfaceChannelOf(
  env: ChannelBinding,
  organization: string,
): DurableObjectStub<Channel> {
  return named(env, env.CHANNEL, `surface-${organization}`)
}

/** The Upstream of a remote server. */
export function upstreamOf(env: UpstreamBinding, server: string): DurableObjectStub<Upstream> {
  return named(env, env.UPSTREAM, `remote-${server}`)
}

/** A new session, and the id it is found by. */
export function newSession(env: SessionBinding): {
  id: string
  stub: DurableObjectStub<Session>
} {
  const sessions = resident(env, env.SESSION)
  const id = sessions.newUniqueId()
  return { id: id.toString(), stub: sessions.get(id, hinted(env)) }
}

/** The session of an id; undefined for what this class and jurisdiction did not mint, which wakes nothing. */
export function findSession(
  env: SessionBinding,
  id: string,
): DurableObjectStub<Session> | undefined {
  const sessions = resident(env, env.SESSION)
  try {
    return sessions.get(sessions.idFromString(id))
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function shardOf(env: DirectoryBinding, digit: string): DurableObjectStub<Directory> {
  return named(env, env.DIRECTORY, `directory-${digit}`)
}

function named<T extends Rpc.DurableObjectBranded>(
  env: object,
  namespace: DurableObjectNamespace<T>,
  name: string,
  locationHint?: DurableObjectLocationHint,
): DurableObjectStub<T> {
  return resident(env, namespace).getByName(objectName(env, name), hinted(env, locationHint))
}

/** Where an object is to be made; it counts the first time that it is asked for. */
function hinted(env: object, own?: DurableObjectLocationHint) {
  const locationHint = own ?? residingOf(env).locationHint
  return locationHint === '' ? {} : { locationHint }
}

function residingOf(env: object): Residing {
  const known = residing.get(env)
  if (known !== undefined) return known
  const { JURISDICTION, LOCATION_HINT, RESIDENCY, NAME_KEY } = Residence.parse(env)
  const read = {
    jurisdiction: JURISDICTION,
    locationHint: LOCATION_HINT,
    nameKey: RESIDENCY === 'strict' ? NAME_KEY : undefined,
    names: new BoundedMap<string>(NAMES_BYTES),
  }
  residing.set(env, read)
  return read
}
