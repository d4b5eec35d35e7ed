/** Commands on configurations: remote servers as the convai surface makes, reads and changes them. */
import type { ParsedServerFile } from '../../catalog/server-file.ts'
import { patchSettings, type SettingsPatch } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { readApprovalHashes, type ApprovalHash } from './approvals.ts'
import { changeServer, type WrittenServer } from './change-server.ts'
import { listConfigurations, requireConfiguration, type Configuration } from './configurations.ts'
import { findConnection } from './connections.ts'
import type { Context, Write } from './context.ts'
import { isSecretThere } from './secrets.ts'
import { createServer, requireLive } from './server-commands.ts'
import { describeServer, type ServerRecord } from './servers.ts'

const MAX_PAGE_ITEMS = 200
/** With one more as large as it may be, this fits an RPC of 32 MiB at two bytes a character. */
const MAX_PAGE_CHARACTERS = 4 * 1024 * 1024
const MAX_EXTRAS_LENGTH = 256 * 1024 // in a row of 2 MB, in UTF-8

/** A configuration with all that it says. */
export type ConfigurationRecord = Omit<Configuration, 'server'> & {
  server: ServerRecord
  approvals: ApprovalHash[]
}

export type WrittenConfiguration = WrittenServer & { configuration: ConfigurationRecord }

/** What a new configuration has beside its server file. */
export type Beside = { extras: string; approvalHashes: readonly ApprovalHash[] }

/** What a configuration refers to by name. */
export type Referred = {
  secrets: readonly string[]
  connections: readonly string[]
}

export function getConfiguration({ sql }: Context, id: string): ConfigurationRecord {
  return describe(sql, requireConfiguration(sql, id))
}

/** Some configurations in the order in which they were made, and where the next of them begin. */
export function pageOfConfigurations(
  { sql }: Context,
  after: number,
): { items: ConfigurationRecord[]; next?: number } {
  const items: ConfigurationRecord[] = []
  let characters = 0
  for (const { position, configuration } of listConfigurations(sql, after, MAX_PAGE_ITEMS)) {
    const item = describe(sql, configuration)
    items.push(item)
    characters += JSON.stringify(item).length
    const isFull = items.length === MAX_PAGE_ITEMS || characters >= MAX_PAGE_CHARACTERS
    if (isFull) return { items, next: position }
  }
  return { items }
}

/** Makes a remote server from a file, with what its configuration has beside the settings. */
export async function createConfiguration(
  context: Context,
  file: ParsedServerFile,
  beside: Beside,
  write: Write,
): Promise<WrittenConfiguration> {
  requireShort(beside.extras)
  return written(context, await createServer(context, file, write, beside))
}

/** Changes a configuration: settings as in a patch of the server, extras as a whole. */
export async function patchConfiguration(
  context: Context,
  id: string,
  { settings, extras }: { settings: SettingsPatch; extras: string },
  write: Write,
): Promise<WrittenConfiguration> {
  const { server } = requireConfiguration(context.sql, id)
  requireShort(extras)
  const done = await changeServer(context, server, 'servers.patch', write, (live) => ({
    settings: patchSettings(requireLive(live).settings, settings),
    extras,
  }))
  return written(context, done)
}

/** Those of the names that nothing is called by. */
export function findMissing({ sql }: Context, referred: Referred): Referred {
  const without = (names: readonly string[], found: (name: string) => boolean) =>
    [...new Set(names)].filter((name) => !found(name))
  return {
    secrets: without(referred.secrets, (name) => isSecretThere(sql, name)),
    connections: without(referred.connections, (id) => findConnection(sql, id) !== undefined),
  }
}

function written({ sql }: Context, done: WrittenServer): WrittenConfiguration {
  const configuration = requireConfiguration(sql, done.server.configuration ?? '')
  return { ...done, configuration: describe(sql, configuration) }
}

function describe(
  sql: SqlStorage,
  { server, ...configuration }: Configuration,
): ConfigurationRecord {
  return {
    ...configuration,
    server: describeServer(sql, server),
    approvals: readApprovalHashes(sql, server),
  }
}

function requireShort(extras: string): void {
  if (extras.length <= MAX_EXTRAS_LENGTH) return
  throw new HttpError(413, 'server_too_large', 'What is set of its tools takes too much together')
}
