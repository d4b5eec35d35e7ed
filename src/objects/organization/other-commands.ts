/** Commands on the organization itself, its keys and its secrets. */
import { HttpError } from '../../protocol/http-error.ts'
import { seal } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import { revokeKey, writeKey, type KeyRecord, type NewKey } from './credentials.ts'
import { releaseNames, type Name } from './names.ts'
import { notePublication } from './publications.ts'
import {
  isGoing,
  markGoing,
  requireOrganization,
  writeOrganization,
  type OrganizationRecord,
} from './record.ts'
import { removeSecret, secretPlace, writeSecret } from './secrets.ts'
import { deleteServer, type RemovedServer } from './server-commands.ts'
import { listServers, requireServer } from './servers.ts'
import { noteSurface } from './surface.ts'

/** Makes the organization under its name, or changes the name. */
export async function nameOrganization(
  context: Context,
  name: string,
  { actor }: Write,
): Promise<OrganizationRecord> {
  const { sql, organization: id, now } = context
  if (isGoing(sql))
    throw new HttpError(409, 'organization_going', 'The organization is being deleted')
  const byName = (label: string): Name => ({ kind: 'organization', name: label, target: id })
  await context.claims.claiming(id, [byName(name), byName(id)], () => {
    const old = [...sql.exec<{ name: string }>('SELECT name FROM organization')][0]?.name
    if (old === name) return
    writeOrganization(sql, id, name, now)
    if (old !== undefined) releaseNames(sql, [byName(old)])
    if (old === undefined) noteSurface(sql)
    const act = old === undefined ? 'organizations.create' : 'organizations.rename'
    writeAudit(sql, { actor, act, target: id, detail: { name } }, now)
  })
  return requireOrganization(sql)
}

/** Takes the organization away with all its servers; its storage goes once KV was told. */
export function deleteOrganization(context: Context, write: Write): RemovedServer[] {
  const { sql, organization: id, now } = context
  return context.transact(() => {
    const { name } = requireOrganization(sql)
    const gone = listServers(sql, '', Number.MAX_SAFE_INTEGER).map(({ id: server }) =>
      deleteServer(context, server, { actor: write.actor }),
    )
    markGoing(sql, now)
    notePublication(sql, 'surface', id)
    releaseNames(sql, [
      { kind: 'organization', name, target: id },
      { kind: 'organization', name: id, target: id },
    ])
    return gone
  })
}

/** Stores a server key whose secret the caller has minted. */
export async function createKey(
  context: Context,
  key: NewKey,
  { actor }: Write,
): Promise<KeyRecord> {
  const { sql, claims, organization, now } = context
  requireServer(sql, key.server)
  const name: Name = { kind: 'credential', name: key.hash, target: key.id }
  return claims.claiming(organization, [name], () => {
    requireServer(sql, key.server)
    const detail = { name: key.name, server: key.server, lastFour: key.lastFour }
    writeAudit(sql, { actor, act: 'keys.create', target: key.id, detail }, now)
    return writeKey(sql, key, now)
  })
}

/** Revokes a key, and gives its hash for those who remember it. */
export function deleteKey(context: Context, id: string, { actor }: Write): { hash: string } {
  const { sql, now } = context
  return context.transact(() => {
    const hash = revokeKey(sql, id, now)
    releaseNames(sql, [{ kind: 'credential', name: hash, target: id }])
    writeAudit(sql, { actor, act: 'keys.revoke', target: id }, now)
    return { hash }
  })
}

/** Seals and stores a secret; true when its name is new. */
export async function putSecret(
  context: Context,
  keys: SealKeys,
  name: string,
  value: string,
  { actor }: Write,
): Promise<boolean> {
  const { sql, organization, now } = context
  const sealed = await seal(keys, secretPlace(organization, name), value)
  return context.transact(() => {
    writeAudit(sql, { actor, act: 'secrets.put', target: name }, now)
    return writeSecret(sql, name, sealed, now)
  })
}

export function deleteSecret(context: Context, name: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    removeSecret(sql, name)
    writeAudit(sql, { actor, act: 'secrets.delete', target: name }, now)
  })
}
