/**
 * Writes of servers and their tools as every surface makes them: the organization's command, and then
 * what this isolate takes in of it, so that it shows its own writes at once (`design.md` §2).
 */
import { requireMay } from '../callers/may.ts'
import type { ParsedServerFile } from '../catalog/server-file.ts'
import { isRemote, needsAccount } from '../catalog/server.ts'
import { within } from '../memory/single-flight.ts'
import type { WrittenServer } from '../objects/organization/change-server.ts'
import type { Write } from '../objects/organization/context.ts'
import type { RemovedServer } from '../objects/organization/server-commands.ts'
import type { ServerRecord } from '../objects/organization/servers.ts'
import type { WrittenTool } from '../objects/organization/tool-commands.ts'
import { upstreamOf } from '../objects/resident.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { HttpError, valueOf } from '../protocol/http-error.ts'
import { logError } from '../protocol/log.ts'
import type { Acting } from './acting.ts'
import { learnRevision, learnRevoked, learnVanity } from './platform.ts'

const MAX_PACKED_BYTES = 31 * 1024 * 1024 // an RPC carries 32 MiB
/** A moment in which most remote servers have been read; others follow. */
const READ_MS = 5000

/** Makes a server from a file; its record once a remote one was read, or that took too long. */
export async function createServer(
  acting: Acting,
  file: ParsedServerFile,
  write: Write,
): Promise<ServerRecord> {
  return settleServer(acting, valueOf(await acting.stub.createServer(packFile(file), write)))
}

/** The record of a server after a write, with what a remote one was found to offer. */
export async function settleServer(
  acting: Acting,
  { server: stored, remoteChanged }: WrittenServer,
): Promise<ServerRecord> {
  const server = remoteChanged ? await readRemote(acting, stored) : stored
  learnServer(acting, server)
  return server
}

/** Takes in a write of a server; a remote one that is new, or elsewhere now, is read after the answer. */
export function settleSoon(acting: Acting, { server, remoteChanged }: WrittenServer): void {
  learnServer(acting, server)
  if (remoteChanged) acting.visit.waitUntil(readRemote(acting, server))
}

/** Takes a server away, and what is known of a remote one with it. */
export async function deleteServer(acting: Acting, id: string, write: Write): Promise<void> {
  const { platform, organization, stub, visit } = acting
  const removed = valueOf(await stub.deleteServer(id, write))
  learnRemoved(acting, removed)
  if (!removed.isRemote) return
  // As it would go by itself at its next reading.
  visit.waitUntil(upstreamOf(platform.env, id).refresh({ organization, server: id }))
}

/**
 * Reads a remote server again; its record after that, or 502 with what is wrong with it. A connector is
 * read with the organization's account, which is for those who may write servers.
 */
export async function refreshServer(acting: Acting, id: string): Promise<ServerRecord> {
  const { platform, organization, stub, actor } = acting
  const { settings } = valueOf(await stub.getServer(id))
  if (needsAccount(settings)) requireMay(actor, 'servers.write')
  if (!isRemote(settings)) throw new HttpError(409, 'not_remote', 'The server is not remote')
  const upstream = upstreamOf(platform.env, id)
  const refreshed = await upstream.refresh({ organization, server: id })
  const server = valueOf(await stub.getServer(id))
  learnServer(acting, server) // also of one that failed: it may be down
  if ('problem' in refreshed) throw new HttpError(502, 'upstream_failed', refreshed.problem)
  return server
}

/** Changes members of a tool. */
export async function patchTool(
  acting: Acting,
  { server, name }: { server: string; name: string },
  patch: Readonly<Record<string, unknown>>,
  write: Write,
): Promise<WrittenTool> {
  const written = valueOf(await acting.stub.patchTool(server, name, patch, write))
  const { platform, organization } = acting
  learnRevision(platform, { id: server, organization, revision: written.revision })
  return written
}

/** Puts the named tools first; all names in their order after that. */
export async function reorderTools(
  acting: Acting,
  server: string,
  names: readonly string[],
  write: Write,
): Promise<{ names: string[]; revision: number }> {
  const order = valueOf(await acting.stub.reorderTools(server, names, write))
  const { platform, organization } = acting
  learnRevision(platform, { id: server, organization, revision: order.revision })
  return order
}

/** A file for the way to its organization: as bytes, since strings may cross RPC at twice the size. */
export function packFile(file: ParsedServerFile): Uint8Array<ArrayBuffer> {
  const bytes = encodeUtf8(JSON.stringify(file))
  if (bytes.length <= MAX_PACKED_BYTES) return bytes
  throw new HttpError(413, 'server_too_large', 'The server is too large to be stored')
}

/** Notes that a server is gone, and its keys with it. */
export function learnRemoved(
  { platform, organization }: Pick<Acting, 'platform' | 'organization'>,
  { id, revision, keyHashes }: RemovedServer,
): void {
  learnRevision(platform, { id, organization, revision })
  for (const hash of keyHashes) learnRevoked(platform, hash)
}

function learnServer(
  { platform, organization }: Acting,
  { id, revision, settings }: ServerRecord,
): void {
  learnRevision(platform, { id, organization, revision })
  if (settings.vanity) learnVanity(platform, settings.slug, id)
}

/** Has a remote server read that is new, or is somewhere else now; its record after that. */
async function readRemote(
  { platform, organization, visit, stub }: Acting,
  { id }: ServerRecord,
): Promise<ServerRecord> {
  const upstream = upstreamOf(platform.env, id)
  const reading: Promise<unknown> = upstream.refresh({ organization, server: id })
  visit.waitUntil(reading)
  try {
    await within(READ_MS, reading)
  } catch (error) {
    logError('a remote server could not be read', error) // its alarm does so again
  }
  return valueOf(await stub.getServer(id))
}
