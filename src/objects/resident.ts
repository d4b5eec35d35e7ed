/** How Directory, Channel and Session objects are found. */
import { sha256Hex } from '../sealing/digest.ts'
import type { Channel } from './channel.ts'
import type { Directory, NameKind } from './directory.ts'
import type { Session } from './session.ts'

const SHARDS = 16

/** The Directory that knows a name: by the first hex digit of the hash of what is before a colon. */
export function directoryOf(
  directories: DurableObjectNamespace<Directory>,
  kind: NameKind,
  name: string,
): DurableObjectStub<Directory> {
  const [shared = ''] = name.split(':', 1)
  return directories.getByName(`directory-${sha256Hex(`${kind}:${shared}`).charAt(0)}`)
}

/** Every Directory, for the lists that go through all of them. */
export function allDirectories(
  directories: DurableObjectNamespace<Directory>,
): DurableObjectStub<Directory>[] {
  return Array.from({ length: SHARDS }, (_, n) =>
    directories.getByName(`directory-${n.toString(16)}`),
  )
}

/** The Channel of a server: who listens to it. */
export function channelOf(
  channels: DurableObjectNamespace<Channel>,
  server: string,
): DurableObjectStub<Channel> {
  return channels.getByName(`server-${server}`)
}

/** The Channel of an organization's gateway: who listens to what its servers are shown as. */
export function surfaceChannelOf(
  channels: DurableObjectNamespace<Channel>,
  organization: string,
): DurableObjectStub<Channel> {
  return channels.getByName(`surface-${organization}`)
}

/** The session of an id; undefined for what this class did not mint, which wakes nothing. */
export function findSession(
  sessions: DurableObjectNamespace<Session>,
  id: string,
): DurableObjectStub<Session> | undefined {
  try {
    return sessions.get(sessions.idFromString(id))
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
