/** Commands on whole servers. */
import { freeSlug, mintServerId } from '../../catalog/names.ts'
import { formatServerFile, type ParsedServerFile } from '../../catalog/server-file.ts'
import {
  isRemote,
  patchSettings,
  requireSameKind,
  ServerSettings,
  type SettingsPatch,
} from '../../catalog/server.ts'
import { invalid } from '../../catalog/issues.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { ItemRecord } from '../../catalog/item.ts'
import { changeServer, rehearseServer, type Next, type WrittenServer } from './change-server.ts'
import type { Context, Write } from './context.ts'
import { revokeKeysOf } from './credentials.ts'
import { releaseNames, type Name } from './names.ts'
import { settingsAt } from './revisions.ts'
import {
  isSlugTaken,
  namesOf,
  removeServer,
  requireRevision,
  requireServer,
  type LiveServer,
  type NextServer,
} from './servers.ts'
import { readItems, type ItemChange } from './items.ts'

/** What a new server has that stands in no file. */
type Beside = Pick<NextServer, 'copyOf' | 'extras' | 'approvalHashes'>

/** Makes a new server from a file, under the file's id where it has one. */
export async function createServer(
  context: Context,
  file: ParsedServerFile,
  write: Write,
  beside: Beside = {},
): Promise<WrittenServer> {
  const id = file.id ?? mintServerId()
  return changeServer(context, id, 'servers.create', write, newServer(context, id, file, beside))
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
): Promise<WrittenServer> {
  return changeServer(context, id, 'servers.put', write, appliedFile(context, id, file))
}

/**
 * The file that export would write after `putServer` under an id, or after `createServer` where none
 * is given; an id that would be made then is left out. All is checked as there, and nothing written.
 */
export async function rehearseFile(
  context: Context,
  target: string | undefined,
  file: ParsedServerFile,
  write: Write,
): Promise<string> {
  const { sql } = context
  const id = target ?? file.id ?? mintServerId()
  const next = target === undefined ? newServer(context, id, file) : appliedFile(context, id, file)
  return rehearseServer(context, id, write, next, () => {
    const { settings } = requireServer(sql, id)
    return formatServerFile(target ?? file.id, settings, readItems(sql, id))
  })
}

/** Changes some settings of a server. */
export async function patchServer(
  context: Context,
  id: string,
  patch: SettingsPatch,
  write: Write,
): Promise<WrittenServer> {
  requireServer(context.sql, id)
  return changeServer(context, id, 'servers.patch', write, (live) => ({
    settings: patchSettings(requireLive(live).settings, patch),
  }))
}

/** What went with a server, for those who remember it. */
export type RemovedServer = {
  id: string
  revision: number
  keyHashes: string[]
  isRemote: boolean
}

/** Takes a server away with its items and revisions, and revokes its keys. */
export function deleteServer(
  context: Context,
  id: string,
  { actor, expected }: Write,
): RemovedServer {
  const { sql, now } = context
  return context.transact(() => {
    const server = requireServer(sql, id)
    requireRevision(server, expected)
    const revoked = revokeKeysOf(sql, { server: id }, now)
    const keys = revoked.map((key): Name => ({
      kind: 'credential',
      name: key.hash,
      target: key.id,
    }))
    removeServer(sql, server, { actor, act: 'servers.delete', target: id }, now)
    releaseNames(sql, [...namesOf(id, server.settings), ...keys])
    const keyHashes = revoked.map(({ hash }) => hash)
    const removed = { id, revision: server.revision + 1, keyHashes }
    return { ...removed, isRemote: isRemote(server.settings) }
  })
}

/** A copy of a server under a new id and slug, its name saying so, that is not on the gateway. */
export async function duplicateServer(
  context: Context,
  id: string,
  { actor, expected }: Write,
): Promise<WrittenServer> {
  const source = requireServer(context.sql, id)
  requireRevision(source, expected)
  const { gateway: _, ...settings } = source.settings
  const copy: ParsedServerFile = {
    id: undefined,
    settings: { ...settings, name: `${settings.name} (copy)`.slice(0, 200), vanity: false },
    slugIsDerived: true,
    items: readItems(context.sql, id),
  }
  return createServer(context, copy, { actor }, { copyOf: id })
}

/** Makes a kept revision the newest again, settings and items. */
export async function rollbackServer(
  context: Context,
  id: string,
  revision: number,
  write: Write,
): Promise<WrittenServer> {
  requireServer(context.sql, id)
  const settings = requireSettingsAt(context.sql, id, revision)
  const items = all(readItems(context.sql, id, revision))
  const next: Next = (live) => {
    requireLive(live)
    return { settings, items }
  }
  return changeServer(context, id, 'servers.rollback', write, next, { to: revision })
}

/** The server file of a server, as it stands or as it was at a kept revision. */
export function exportServer(
  { sql }: Context,
  id: string,
  asked?: number,
): { file: string; revision: number } {
  const server = requireServer(sql, id)
  const revision = asked ?? server.revision
  const settings = asked === undefined ? server.settings : requireSettingsAt(sql, id, asked)
  return { file: formatServerFile(id, settings, readItems(sql, id, asked)), revision }
}

/** A server that a file makes: 409 where there is one of its id. */
function newServer(
  context: Context,
  id: string,
  file: ParsedServerFile,
  beside: Beside = {},
): Next {
  return (live) => {
    if (live !== undefined) {
      throw new HttpError(409, 'server_id_taken', `The server id "${id}" is taken`)
    }
    const settings = withFreeSlug(context, file)
    return { settings, items: all(file.items), ...beside }
  }
}

/** What a file makes of the server of an id, whether or not there is one. */
function appliedFile(context: Context, id: string, file: ParsedServerFile): Next {
  if (file.id !== undefined && file.id !== id) {
    throw invalid([{ path: 'id', message: 'must be the id of the path, or absent' }])
  }
  return (live) => {
    const keepsSlug = file.slugIsDerived && live !== undefined
    const settings = keepsSlug
      ? { ...file.settings, slug: live.settings.slug }
      : withFreeSlug(context, file)
    if (live !== undefined) requireSameKind(live.settings, settings)
    return { settings, items: all(file.items) }
  }
}

function withFreeSlug(
  { sql }: Context,
  { settings, slugIsDerived }: ParsedServerFile,
): ServerSettings {
  if (!slugIsDerived) return settings
  return { ...settings, slug: freeSlug(settings.slug, (slug) => isSlugTaken(sql, slug)) }
}

function requireSettingsAt(sql: SqlStorage, id: string, revision: number): ServerSettings {
  const kept = settingsAt(sql, id, revision)
  if (kept !== undefined) return ServerSettings.parse(kept)
  throw new HttpError(404, 'revision_not_found', `Revision ${revision} is not kept`)
}

/** The server that a change is of; 404 where it went meanwhile. */
export function requireLive(live: LiveServer | undefined): LiveServer {
  if (live === undefined) throw new HttpError(404, 'server_not_found', 'The server is gone')
  return live
}

function all(items: readonly ItemRecord[]): ItemChange {
  return { put: items, remove: 'others' }
}
