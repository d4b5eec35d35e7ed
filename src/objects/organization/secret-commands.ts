/** Commands on the secrets of an organization. A connection's own are its own to change. */
import { isOwned } from '../../catalog/connection-auth.ts'
import { invalid } from '../../catalog/issues.ts'
import { mintId } from '../../catalog/names.ts'
import { seal } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import { writeAudit } from './audit.ts'
import { connectionsWith } from './connections.ts'
import type { Context, Write } from './context.ts'
import { serversWithSecret } from './items.ts'
import { namesOfServers, remoteUsers, requireUnused, type ServerName } from './remote-users.ts'
import {
  labelSecret,
  listSecrets,
  removeSecret,
  requireSecret,
  secretPlace,
  writeSecret,
  type SecretRecord,
} from './secrets.ts'
import { variablesWith } from './variables.ts'

export type SecretPatch = { label?: string | undefined; value?: string | undefined }

/** A secret with the remote servers that use it. */
export type UsedSecret = SecretRecord & { usedBy: ServerName[] }

/** Seals and stores a secret; true when its name is new. */
export async function putSecret(
  context: Context,
  keys: SealKeys,
  name: string,
  value: string,
  { actor }: Write,
): Promise<boolean> {
  const { sql, organization, now } = context
  if (isOwned(name)) {
    throw invalid([{ path: 'name', message: 'is kept for an auth connection' }])
  }
  const sealed = await seal(keys, secretPlace(organization, name), value)
  return context.transact(() => {
    writeAudit(sql, { actor, act: 'secrets.put', target: name }, now)
    return writeSecret(sql, name, sealed, now)
  })
}

/** Seals and stores a secret under a name that is made for it. */
export async function createSecret(
  context: Context,
  keys: SealKeys,
  { label, value }: { label: string; value: string },
  { actor }: Write,
): Promise<SecretRecord> {
  const { sql, organization, now } = context
  const name = mintId('secret')
  const sealed = await seal(keys, secretPlace(organization, name), value)
  return context.transact(() => {
    writeSecret(sql, name, sealed, now)
    labelSecret(sql, name, label)
    writeAudit(sql, { actor, act: 'secrets.create', target: name, detail: { label } }, now)
    return requireSecret(sql, name)
  })
}

/** Changes the value of a secret, or what people call it. */
export async function patchSecret(
  context: Context,
  keys: SealKeys,
  name: string,
  { label, value }: SecretPatch,
  { actor }: Write,
): Promise<UsedSecret> {
  const { sql, organization, now } = context
  const sealed = value && (await seal(keys, secretPlace(organization, name), value))
  return context.transact(() => {
    requireSecret(sql, name)
    if (sealed !== undefined) writeSecret(sql, name, sealed, now)
    if (label !== undefined) labelSecret(sql, name, label)
    writeAudit(sql, { actor, act: 'secrets.patch', target: name, detail: { label } }, now)
    return describe(sql, requireSecret(sql, name))
  })
}

/** Takes a secret away; with `unused`, 409 while a server, a variable or a connection uses it. */
export function deleteSecret(
  context: Context,
  name: string,
  { actor, unused }: Write & { unused?: boolean },
): void {
  const { sql, now } = context
  context.transact(() => {
    requireSecret(sql, name)
    if (unused) requireUnused('secret', name, usersOf(sql, name))
    removeSecret(sql, name)
    writeAudit(sql, { actor, act: 'secrets.delete', target: name }, now)
  })
}

/** One secret, with those who use it; 404 for none. */
export function getSecret({ sql }: Context, name: string): UsedSecret {
  return describe(sql, requireSecret(sql, name))
}

/** Secrets by name, after one, with those who use them. */
export function readSecrets(
  { sql }: Context,
  search: string,
  after: string,
  limit: number,
): UsedSecret[] {
  const users = remoteUsers(sql)
  return listSecrets(sql, after, limit, search).map((secret) => ({
    ...secret,
    usedBy: users('secret', secret.name),
  }))
}

function describe(sql: SqlStorage, secret: SecretRecord): UsedSecret {
  return { ...secret, usedBy: remoteUsers(sql)('secret', secret.name) }
}

function usersOf(sql: SqlStorage, name: string): string[] {
  const quoted = (kind: string) => (text: string) => `the ${kind} "${text}"`
  return [
    ...namesOfServers(remoteUsers(sql)('secret', name)),
    ...serversWithSecret(sql, name).map(quoted('server')),
    ...variablesWith(sql, 'secret', name).map(quoted('variable')),
    ...connectionsWith(sql, name).map(quoted('auth connection')),
  ]
}
