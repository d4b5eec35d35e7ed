/** Commands on whole servers. */
import { freeSlug, mintServerId } from '../../catalog/names.ts'
import { formatServerFile, type ParsedServerFile } from '../../catalog/server-file.ts'
import { patchSettings, ServerSettings, type SettingsPatch } from '../../catalog/server.ts'
import { invalid } from '../../catalog/issues.ts'
import { HttpError } from '../../protocol/http-error.ts'
import type { ItemRecord } from '../../catalog/item.ts'
import type { Act } from './audit.ts'
import { NamesMoved } from './claims.ts'
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
import { readItems, type ItemChange } from './items.ts'

/** What a server becomes, from what it is inside the transaction; undefined where there is none. */
type Next = (live: LiveServer | undefined) => { settings: ServerSettings; items?: ItemChange }

export type WrittenServer = { server: ServerRecord; created: boolean }

const MAX_TRIES = 3 // names that other commands took or gave up between claim and commit

/** Makes a new server from a file, under the file's id where it has one. */
export async function createServer(
  context: Context,
  file: ParsedServerFile,
  write: Write,
): Promise<WrittenServer> {
  const id = file.id ?? mintServerId()
  return change(context, id, 'servers.create', write, (live) => {
    if (live !== undefined) {
      throw new HttpError(409, 'server_id_taken', `The server id "${id}" is taken`)
    }
    return { settings: withFreeSlug(context, file), items: all(file.items) }
  })
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
  if (file.id !== undefined && file.id !== id) {
    throw invalid([{ path: 'id', message: 'must be the id of the path, or absent' }])
  }
  return change(context, id, 'servers.put', write, (live) => {
    const keepsSlug = file.slugIsDerived && live !== undefined
    const settings = keepsSlug
      ? { ...file.settings, slug: live.settings.slug }
      : withFreeSlug(context, file)
    return { settings, items: all(file.items) }
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
  return change(context, id, 'servers.patch', write, (live) => ({
    settings: patchSettings(requireLive(live).settings, patch),
  }))
}

/** What went with a server, for those who remember it. */
export type RemovedServer = { id: string; revision: number; keyHashes: string[] }

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
    const keyHashes = keysOfServer(sql, id).map((key) => revokeKey(sql, key, now))
    const keys = keyHashes.map((hash): Name => ({ kind: 'credential', name: hash, target: id }))
    removeServer(sql, server, { actor, act: 'servers.delete', target: id }, now)
    releaseNames(sql, [...namesOf(id, server.settings), ...keys])
    return { id, revision: server.revision + 1, keyHashes }
  })
}

/** A copy of a server under a new id and slug, its name saying so. */
export async function duplicateServer(
  context: Context,
  id: string,
  { actor, expected }: Write,
): Promise<WrittenServer> {
  const source = requireServer(context.sql, id)
  requireRevision(source, expected)
  const { settings } = source
  const copy: ParsedServerFile = {
    id: undefined,
    settings: { ...settings, name: `${settings.name} (copy)`.slice(0, 200), vanity: false },
    slugIsDerived: true,
    items: readItems(context.sql, id),
  }
  return createServer(context, copy, { actor })
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
  return change(context, id, 'servers.rollback', write, next, { to: revision })
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

/**
 * The way of every change: the names that the change needs are claimed, and then all is decided once
 * more inside the transaction, since other commands may have run meanwhile.
 */
async function change(
  context: Context,
  id: string,
  act: string,
  write: Write,
  next: Next,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<WrittenServer> {
  const { sql, claims, organization } = context
  for (let tries = 1; ; tries++) {
    const before = findServer(sql, id).live
    requireRevision(before, write.expected)
    const claimed = namesOf(id, next(before).settings)
    try {
      return await claims.claiming(organization, claimed, () =>
        commit(context, id, write, next, claimed, { act, detail }),
      )
    } catch (error) {
      if (!(error instanceof NamesMoved) || tries === MAX_TRIES) throw error
    }
  }
}

function commit(
  { sql, now }: Context,
  id: string,
  { actor, expected }: Write,
  next: Next,
  claimed: readonly Name[],
  { act, detail }: Pick<Act, 'act' | 'detail'>,
): WrittenServer {
  const { live } = findServer(sql, id)
  requireRevision(live, expected)
  const { settings, items } = next(live)
  const needed = namesOf(id, settings)
  if (needed.some((name) => !isAmong(claimed, name))) throw new NamesMoved()
  writeServer(
    sql,
    id,
    { settings, ...(items && { items }) },
    { actor, act, target: id, ...(detail && { detail }) },
    now,
  )
  const old = live === undefined ? [] : namesOf(id, live.settings)
  releaseNames(
    sql,
    old.filter((name) => !isAmong(needed, name)),
  )
  return { server: describeServer(sql, id), created: live === undefined }
}

function isAmong(names: readonly Name[], { kind, name }: Name): boolean {
  return names.some((other) => other.kind === kind && other.name === name)
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

function requireLive(live: LiveServer | undefined): LiveServer {
  if (live === undefined) throw new HttpError(404, 'server_not_found', 'The server is gone')
  return live
}

function all(items: readonly ItemRecord[]): ItemChange {
  return { put: items, remove: 'others' }
}
