/** Commands on whole servers. */
import { freeSlug, mintServerId } from '../../catalog/names.ts'
import { formatServerFile, type ParsedServerFile } from '../../catalog/server-file.ts'
import { patchSettings, ServerSettings, type SettingsPatch } from '../../catalog/server.ts'
import { invalid } from '../../catalog/issues.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { Context, Write } from './context.ts'
import { keysOfServer, revokeKey } from './credentials.ts'
import { releaseNames, type Name } from './names.ts'
import { settingsAt } from './revisions.ts'
import {
  describeServer,
  findServer,
  isSlugTaken,
  namesOf,
  removeServer,
  requireRevision,
  requireServer,
  writeServer,
  type LiveServer,
  type ServerRecord,
} from './servers.ts'
import { readTools, type ToolChange } from './tools.ts'

type Change = { settings: ServerSettings; tools?: ToolChange }

/** Makes a new server from a file, under the file's id where it has one. */
export async function createServer(context: Context, file: ParsedServerFile, write: Write) {
  const id = file.id ?? mintServerId()
  if (findServer(context.sql, id).live !== undefined) {
    throw new HttpError(409, 'server_id_taken', `The server id "${id}" is taken`)
  }
  const { settings } = withFreeSlug(context, file)
  return change(context, id, 'servers.create', write, () => ({ settings, tools: all(file) }))
}

/** Makes a new server from a file under an id and, where taken, a slug of its own. */
export async function importServer(context: Context, file: ParsedServerFile, write: Write) {
  return createServer(context, { ...file, id: undefined, slugIsDerived: true }, write)
}

/** Applies a whole server file: the server is afterwards what the file says. */
export async function putServer(
  context: Context,
  id: string,
  file: ParsedServerFile,
  write: Write,
): Promise<{ server: ServerRecord; created: boolean }> {
  if (file.id !== undefined && file.id !== id) {
    throw invalid([{ path: 'id', message: 'must be the id of the path, or absent' }])
  }
  const { live } = findServer(context.sql, id)
  const settings =
    file.slugIsDerived && live !== undefined
      ? { ...file.settings, slug: live.settings.slug }
      : withFreeSlug(context, file).settings
  const server = await change(context, id, 'servers.put', write, () => ({
    settings,
    tools: all(file),
  }))
  return { server, created: live === undefined }
}

/** Changes some settings of a server. */
export async function patchServer(
  context: Context,
  id: string,
  patch: SettingsPatch,
  write: Write,
) {
  requireServer(context.sql, id)
  return change(context, id, 'servers.patch', write, (live) => ({
    settings: patchSettings(requireLive(live).settings, patch),
  }))
}

/** Takes a server away with its tools and revisions, and revokes its keys. */
export function deleteServer(
  context: Context,
  id: string,
  { actor, expected }: Write,
): { revision: number } {
  const { sql, now } = context
  return context.transact(() => {
    const server = requireServer(sql, id)
    requireRevision(server, expected)
    const hashes = keysOfServer(sql, id).map((key) => revokeKey(sql, key, now))
    const keys = hashes.map((hash): Name => ({ kind: 'credential', name: hash, target: id }))
    removeServer(sql, server, { actor, act: 'servers.delete', target: id }, now)
    releaseNames(sql, [...namesOf(id, server.settings), ...keys])
    return { revision: server.revision + 1 }
  })
}

/** A copy of a server under a new id and slug, its name saying so. */
export async function duplicateServer(context: Context, id: string, write: Write) {
  const { settings } = requireServer(context.sql, id)
  const copy: ParsedServerFile = {
    id: undefined,
    settings: { ...settings, name: `${settings.name} (copy)`.slice(0, 200), vanity: false },
    slugIsDerived: true,
    tools: readTools(context.sql, id),
  }
  return createServer(context, copy, write)
}

/** Makes a kept revision the newest again, settings and tools. */
export async function rollbackServer(
  context: Context,
  id: string,
  revision: number,
  write: Write,
): Promise<ServerRecord> {
  requireServer(context.sql, id)
  const kept = settingsAt(context.sql, id, revision)
  if (kept === undefined) {
    throw new HttpError(404, 'revision_not_found', `Revision ${revision} is not kept`)
  }
  const settings = ServerSettings.parse(kept)
  const tools: ToolChange = { put: readTools(context.sql, id, revision), remove: 'others' }
  return change(context, id, 'servers.rollback', write, () => ({ settings, tools }), {
    to: revision,
  })
}

/** The server file of a server, as it stands or as it was at a kept revision. */
export function exportServer({ sql }: Context, id: string, revision?: number): string {
  const server = requireServer(sql, id)
  if (revision === undefined) return formatServerFile(id, server.settings, readTools(sql, id))
  const settings = settingsAt(sql, id, revision)
  if (settings === undefined) {
    throw new HttpError(404, 'revision_not_found', `Revision ${revision} is not kept`)
  }
  return formatServerFile(id, ServerSettings.parse(settings), readTools(sql, id, revision))
}

/**
 * The way of every change: the names that the change needs are claimed, and then all is decided once
 * more inside the transaction, since other commands may have run meanwhile.
 */
async function change(
  context: Context,
  id: string,
  act: string,
  { actor, expected }: Write,
  next: (live: LiveServer | undefined) => Change,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<ServerRecord> {
  const { sql, claims, organization, now } = context
  const before = findServer(sql, id).live
  requireRevision(before, expected)
  const names = namesOf(id, next(before).settings)
  await claims.claiming(organization, names, () => {
    const { live } = findServer(sql, id)
    requireRevision(live, expected)
    const { settings, tools } = next(live)
    const needed = namesOf(id, settings)
    if (needed.some(({ name }) => !names.some((claimed) => claimed.name === name))) {
      throw new HttpError(409, 'changed_meanwhile', 'The server was changed meanwhile; try again')
    }
    writeServer(
      sql,
      id,
      { settings, ...(tools && { tools }) },
      { actor, act, target: id, detail },
      now,
    )
    if (live === undefined) return
    const old = namesOf(id, live.settings)
    releaseNames(
      sql,
      old.filter(({ name }) => !needed.some((kept) => kept.name === name)),
    )
  })
  return describeServer(sql, id)
}

function withFreeSlug({ sql }: Context, file: ParsedServerFile): ParsedServerFile {
  if (!file.slugIsDerived) return file
  const slug = freeSlug(file.settings.slug, (candidate) => isSlugTaken(sql, candidate))
  return { ...file, settings: { ...file.settings, slug } }
}

function requireLive(live: LiveServer | undefined): LiveServer {
  if (live === undefined) throw new HttpError(404, 'server_not_found', 'The server is gone')
  return live
}

function all(file: ParsedServerFile): ToolChange {
  return { put: file.tools, remove: 'others' }
}
