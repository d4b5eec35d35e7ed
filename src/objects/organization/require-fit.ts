/** What has to hold of a server with all its items, once they are written. */
import { MAX_PUBLISHED_BYTES } from '../../catalog/published.ts'
import { invalid } from '../../catalog/issues.ts'
import {
  MAX_TOOLS,
  needsAccountFor,
  NO_SEPARATOR,
  openWithSecret,
} from '../../catalog/server-file.ts'
import { hasHostedFace, isRemote, needsAccount, type ServerSettings } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { requireNoAccounts } from './account-rows.ts'
import { findAccountHolder, findParted, findSecretHolder, measureItems } from './items.ts'
import { requireFreeCapability } from './surface.ts'

/** Throws 422 or 413 where its settings, as they become, do not fit its items or are too large. */
export function requireFit(
  sql: SqlStorage,
  id: string,
  before: ServerSettings | undefined,
  settings: ServerSettings,
): void {
  requirePublishable(sql, id)
  if (settings.auth === 'none' && hasHostedFace(settings)) requireNoSecret(sql, id)
  requireFitAccounts(sql, id, before, settings)
  requireFitCapability(sql, id, before, settings)
}

function requireNoSecret(sql: SqlStorage, id: string): void {
  const holder = findSecretHolder(sql, id)
  if (holder !== undefined) throw invalid([openWithSecret(holder)])
}

function requireFitAccounts(
  sql: SqlStorage,
  id: string,
  before: ServerSettings | undefined,
  settings: ServerSettings,
): void {
  if (needsAccount(settings)) return
  const holder = findAccountHolder(sql, id)
  if (holder !== undefined) throw invalid([needsAccountFor(holder)])
  if (before !== undefined && needsAccount(before)) requireNoAccounts(sql, id)
}

function requireFitCapability(
  sql: SqlStorage,
  id: string,
  before: ServerSettings | undefined,
  settings: ServerSettings,
): void {
  const { gateway } = settings
  if (gateway === undefined) return
  if (gateway !== true) requireFreeCapability(sql, id, gateway)
  const parted = isRemote(settings) ? undefined : findParted(sql, id)
  if (parted === undefined) return
  const path = before?.gateway === undefined ? `tools.${parted}.name` : 'name'
  throw invalid([{ path, message: NO_SEPARATOR }])
}

function requirePublishable(sql: SqlStorage, id: string): void {
  const { bytes, tools } = measureItems(sql, id)
  if (tools > MAX_TOOLS) {
    throw new HttpError(413, 'server_too_large', `A server may have ${MAX_TOOLS} tools`)
  }
  if (bytes <= MAX_PUBLISHED_BYTES) return
  const limit = `${MAX_PUBLISHED_BYTES / 1024 / 1024} MiB`
  throw new HttpError(413, 'server_too_large', `Its tools and the rest take over ${limit} together`)
}
