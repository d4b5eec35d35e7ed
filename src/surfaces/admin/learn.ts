/** What an isolate takes in of its own writes, so that it shows them at once. */
import { within } from '../../memory/single-flight.ts'
import type { RemovedServer } from '../../objects/organization/server-commands.ts'
import type { ServerRecord } from '../../objects/organization/servers.ts'
import { upstreamOf } from '../../objects/upstreams.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { parsePrincipal } from '../../callers/principal.ts'
import type { RemovedPrincipal } from '../../objects/organization/principal-commands.ts'
import { learnRevision, learnRevoked, principalName, type Platform } from '../platform.ts'
import type { AdminCall } from './call.ts'

/** A moment in which most remote servers have been read; others follow. */
const READ_MS = 5000

/** Has a remote server read that is new, or is somewhere else now; its record after that. */
export async function readRemote(call: AdminCall, stored: ServerRecord): Promise<ServerRecord> {
  const { platform, organization, visit } = call
  const { id } = stored
  const stub = upstreamOf(platform.env.UPSTREAM, id)
  const reading: Promise<unknown> = stub.refresh({ organization, server: id })
  visit.waitUntil(reading)
  try {
    await within(READ_MS, reading)
  } catch (error) {
    console.error('a remote server could not be read', error) // its alarm does so again
  }
  return valueOf(await call.stub.getServer(id))
}

/** Has what is known of a remote server go with it, as it would by itself at its next reading. */
export async function readRemoved(
  { platform, organization }: Pick<AdminCall, 'platform' | 'organization'>,
  server: string,
): Promise<void> {
  await upstreamOf(platform.env.UPSTREAM, server).refresh({ organization, server })
}

/** Notes that a server is gone, and its keys with it. */
export function learnRemoved(
  { platform, organization }: Pick<AdminCall, 'platform' | 'organization'>,
  { id, revision, keyHashes }: RemovedServer,
): void {
  learnRevision(platform, { id, organization, revision })
  for (const hash of keyHashes) learnRevoked(platform, hash)
}

/** Takes in a principal as it stands now, after something of its own has changed. */
export async function learnPrincipal(
  { platform, organization, stub }: Pick<AdminCall, 'platform' | 'organization' | 'stub'>,
  id: string,
): Promise<void> {
  const text = await stub.principal(id)
  const known = text === undefined ? undefined : parsePrincipal(text)
  if (known === undefined) return
  platform.principals.remember(principalName(organization, id), known.value, known.bytes)
}

/** Notes that the keys of a principal are dead. */
export function learnRevokedKeys(
  platform: Platform,
  { keyHashes }: Pick<RemovedPrincipal, 'keyHashes'>,
): void {
  for (const hash of keyHashes) learnRevoked(platform, hash)
}
