/** Commands on keys. The secret is minted by the Worker; here only its hash is known. */
import { HttpError } from '../../protocol/http-error.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import {
  requireKey,
  requireKeyHash,
  revokeKey,
  rotateKey,
  writeKey,
  type KeyRecord,
  type Minted,
  type NewKey,
} from './credentials.ts'
import { releaseNames, type Name } from './names.ts'
import { addPrincipal, requireVersion } from './principal-commands.ts'
import { findPrincipal, requirePrincipal, type NewPrincipal } from './principals.ts'
import { requireServer } from './servers.ts'

/** Stores a key, and with it the principal that is made for it, where there is one. */
export async function createKey(
  context: Context,
  key: NewKey,
  write: Write,
  made?: NewPrincipal,
): Promise<KeyRecord> {
  const { sql, claims, organization, now } = context
  const requireHolder = () => {
    if (key.kind === 'server') requireServer(sql, key.server ?? '')
    else if (made === undefined) requirePrincipal(sql, key.kind, key.principal ?? '')
  }
  requireHolder()
  return claims.claiming(organization, [nameOf(key)], () => {
    requireHolder()
    if (made !== undefined) addPrincipal(context, made, write)
    const { name, server, principal, environment, lastFour } = key
    const detail = {
      name,
      ...(server !== undefined && { server }),
      ...(principal !== undefined && { principal }),
      ...(environment !== undefined && { environment }),
      lastFour,
    }
    const { actor } = write
    writeAudit(sql, { actor, act: 'keys.create', target: key.id, detail }, now)
    return writeKey(sql, key, now)
  })
}

/** Gives a key another secret; also the hash of the old one, for those who remember it. */
export async function rotate(
  context: Context,
  id: string,
  minted: Minted,
  { actor }: Write,
): Promise<{ key: KeyRecord; oldHash: string }> {
  const { sql, claims, organization, now } = context
  const oldHash = requireKeyHash(sql, id)
  return claims.claiming(organization, [nameOf({ id, ...minted })], () => {
    if (requireKeyHash(sql, id) !== oldHash) {
      throw new HttpError(409, 'changed_meanwhile', 'The key was rotated meanwhile')
    }
    const key = rotateKey(sql, id, minted)
    releaseNames(sql, [nameOf({ id, hash: oldHash })])
    const detail = { lastFour: minted.lastFour }
    writeAudit(sql, { actor, act: 'keys.rotate', target: id, detail }, now)
    return { key, oldHash }
  })
}

/**
 * Revokes a key, and gives its hash for those who remember it. A key has no revision: what is expected
 * is that of the member or agent whose it is; 412 when that moved.
 */
export function deleteKey(
  context: Context,
  id: string,
  { actor, expected }: Write,
): { hash: string } {
  const { sql, now } = context
  return context.transact(() => {
    const { principal } = requireKey(sql, id)
    const holder = principal === undefined ? undefined : findPrincipal(sql, principal)
    requireVersion(holder ?? { version: 0 }, expected)
    const hash = revokeKey(sql, id, now)
    releaseNames(sql, [nameOf({ id, hash })])
    writeAudit(sql, { actor, act: 'keys.revoke', target: id }, now)
    return { hash }
  })
}

function nameOf({ id, hash }: { id: string; hash: string }): Name {
  return { kind: 'credential', name: hash, target: id }
}
