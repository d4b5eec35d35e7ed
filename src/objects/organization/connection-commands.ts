/** Commands on auth connections. Who may give them is decided before, by `may`. */
import { invalid } from '../../catalog/issues.ts'
import type { StoredAuth } from '../../handlers/remote.ts'
import { secretsOf } from '../../handlers/secret.ts'
import { seal } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import { writeAudit } from './audit.ts'
import {
  findConnection,
  keepOwnSecrets,
  listConnections,
  removeConnection,
  requireConnection,
  writeConnection,
  writeOwnSecret,
  type ConnectionRow,
  type ConnectionStatus,
} from './connections.ts'
import type { Context, Write } from './context.ts'
import { namesOfServers, remoteUsers, requireUnused, type ServerName } from './remote-users.ts'
import { isSecretThere, secretPlace } from './secrets.ts'
import { variablesWith } from './variables.ts'

/** A connection as answers have it, with the remote servers that use it. */
export type ConnectionRecord = ConnectionRow & { usedBy: ServerName[] }

/** How it authorizes, and its own secrets by name: what `takeValues` makes. */
type Sealable = { auth: StoredAuth; secrets: Readonly<Record<string, string>> }

export type NewConnection = { id: string; name: string; provider: string } & Sealable

export type ConnectionPatch = {
  name?: string | undefined
  provider?: string | undefined
} & Partial<Sealable>

const ACTOR = 'upstream'
const MAX_DETAIL_LENGTH = 1000

/** Stores a new connection, its own secrets sealed. */
export async function createConnection(
  context: Context,
  keys: SealKeys,
  { id, name, provider, auth, secrets }: NewConnection,
  { actor }: Write,
): Promise<ConnectionRecord> {
  const { sql, now } = context
  const sealed = await sealAll(context, keys, secrets)
  const times = { createdBy: actor, createdAt: now, updatedAt: now }
  const row: ConnectionRow = { id, name, provider, auth, status: 'active', ...times }
  return context.transact(() => {
    writeConnection(sql, row)
    writeSecrets(context, row, sealed)
    const detail = { name, provider, type: auth.type }
    writeAudit(sql, { actor, act: 'connections.create', target: id, detail }, now)
    return describe(sql, row)
  })
}

/** Changes a connection; what it authorizes by anew counts as good until it is tried. */
export async function patchConnection(
  context: Context,
  keys: SealKeys,
  id: string,
  { name, provider, auth, secrets = {} }: ConnectionPatch,
  { actor }: Write,
): Promise<ConnectionRecord> {
  const { sql, now } = context
  const sealed = await sealAll(context, keys, secrets)
  return context.transact(() => {
    const stored = requireConnection(sql, id)
    const members = Object.entries({ name, provider, auth }).flatMap(([member, value]) =>
      value === undefined ? [] : [member],
    )
    if (members.length === 0 && sealed.length === 0) return describe(sql, stored)
    const { statusDetail: _, ...good } = stored
    const isAnew = auth !== undefined || sealed.length > 0
    const after: ConnectionRow = {
      ...(isAnew ? { ...good, status: 'active', statusAt: now } : stored),
      name: name ?? stored.name,
      provider: provider ?? stored.provider,
      auth: auth ?? stored.auth,
      updatedAt: now,
    }
    writeConnection(sql, after)
    writeSecrets(context, after, sealed)
    const detail = { name: after.name, members }
    writeAudit(sql, { actor, act: 'connections.patch', target: id, detail }, now)
    return describe(sql, after)
  })
}

/** Takes a connection away; 409 while a remote server or a variable uses it. */
export function deleteConnection(context: Context, id: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    const { name } = requireConnection(sql, id)
    const labels = variablesWith(sql, 'connection', id).map((label) => `the variable "${label}"`)
    const servers = namesOfServers(remoteUsers(sql)('connection', id))
    requireUnused('connection', id, [...servers, ...labels])
    removeConnection(sql, id)
    writeAudit(sql, { actor, act: 'connections.delete', target: id, detail: { name } }, now)
  })
}

/** Takes in how a connection fared; what is known already writes nothing, nor what has gone. */
export function noteConnection(
  context: Context,
  id: string,
  { status, detail }: { status: ConnectionStatus; detail?: string | undefined },
): void {
  const { sql, now } = context
  context.transact(() => {
    const row = findConnection(sql, id)
    if (row === undefined) return
    const { statusDetail: before, ...rest } = row
    const text = detail?.slice(0, MAX_DETAIL_LENGTH)
    if (row.status === status && before === text) return
    writeConnection(sql, {
      ...rest,
      status,
      ...(text !== undefined && { statusDetail: text }),
      statusAt: now,
    })
    writeAudit(sql, { actor: ACTOR, act: 'connections.note', target: id, detail: { status } }, now)
  })
}

/** One connection; 404 for none. */
export function getConnection({ sql }: Context, id: string): ConnectionRecord {
  return describe(sql, requireConnection(sql, id))
}

/** Connections by id, after one. */
export function readConnections({ sql }: Context, after: string, limit: number) {
  const users = remoteUsers(sql)
  return listConnections(sql, after, limit).map((row): ConnectionRecord => ({
    ...row,
    usedBy: users('connection', row.id),
  }))
}

function describe(sql: SqlStorage, row: ConnectionRow): ConnectionRecord {
  return { ...row, usedBy: remoteUsers(sql)('connection', row.id) }
}

type Sealed = { name: string; sealed: string }

function sealAll(
  { organization }: Context,
  keys: SealKeys,
  secrets: Readonly<Record<string, string>>,
): Promise<Sealed[]> {
  const all = Object.entries(secrets).map(async ([name, value]) => {
    return { name, sealed: await seal(keys, secretPlace(organization, name), value) }
  })
  return Promise.all(all)
}

/** Writes secrets of its own, and drops those that nothing of it names; 422 where one is not there. */
function writeSecrets(
  { sql, now }: Context,
  { id, auth }: ConnectionRow,
  sealed: readonly Sealed[],
): void {
  for (const secret of sealed) writeOwnSecret(sql, id, { ...secret, now })
  const named = secretsOf({ auth })
  const own = keepOwnSecrets(sql, id, named)
  const missing = named.filter((name) => !own.has(name) && !isSecretThere(sql, name))
  if (missing.length === 0) return
  throw invalid(missing.map((name) => ({ path: 'auth', message: `names no secret: ${name}` })))
}
