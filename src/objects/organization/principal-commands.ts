/** Commands on members and agents. Who may give them is decided before, by `may`. */
import type {
  ExternalId,
  Permission,
  Principal,
  PrincipalSettings,
  Role,
} from '../../callers/principal.ts'
import { invalid } from '../../catalog/issues.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { dropAccountsOfMember } from './account-rows.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import { revokeKeysOf } from './credentials.ts'
import { dropGrantsTo } from './grants.ts'
import { releaseNames, type Name } from './names.ts'
import {
  dropPrincipal,
  externalNames,
  findExternal,
  findPrincipal,
  isPerson,
  notePersonLeft,
  requirePrincipal,
  writePrincipal,
  type NewPrincipal,
  type PrincipalKind,
  type PrincipalRecord,
} from './principals.ts'
import { requireOrganization } from './record.ts'
import { noteSurface } from './surface.ts'

/** What of a principal a change names; null takes the external id away. */
export type PrincipalPatch = {
  name?: string | undefined
  externalId?: ExternalId | null | undefined
  role?: Role | undefined
  permissions?: readonly Permission[] | undefined
  settings?: PrincipalSettings | undefined
  status?: Principal['status'] | undefined
}

/** Who goes with a principal, for those who remember it. */
export type RemovedPrincipal = { id: string; keyHashes: string[] }

/** Makes a member or an agent. */
export async function createPrincipal(
  context: Context,
  principal: NewPrincipal,
  write: Write,
): Promise<PrincipalRecord> {
  const { sql, organization } = context
  const names = externalNames(organization, principal)
  return context.claims.claiming(organization, names, () => {
    addPrincipal(context, principal, write)
    return requirePrincipal(sql, principal.kind, principal.id)
  })
}

/** Stores a new principal and says so; its names must have been claimed. Inside a transaction. */
export function addPrincipal(
  { sql, now }: Pick<Context, 'sql' | 'now'>,
  principal: NewPrincipal,
  { actor }: Write,
): void {
  const { id, kind, name, role, externalId } = principal
  requireFreeExternal(sql, principal)
  writePrincipal(sql, principal, now)
  const detail = { name, ...(role && { role }), ...(externalId && { externalId }) }
  writeAudit(sql, { actor, act: `${kind}s.create`, target: id, detail }, now)
}

/** Changes a member or an agent; 412 when it moved. */
export async function patchPrincipal(
  context: Context,
  kind: PrincipalKind,
  id: string,
  { externalId, ...patch }: PrincipalPatch,
  { actor, expected }: Write,
): Promise<PrincipalRecord> {
  const { sql, organization, now } = context
  const becomes = (): NewPrincipal => {
    const live = requirePrincipal(sql, kind, id)
    requireVersion(live, expected)
    const given = Object.entries(patch).filter(([, value]) => value !== undefined)
    const external = externalId === undefined ? live.externalId : (externalId ?? undefined)
    return { ...live, ...Object.fromEntries(given), externalId: external }
  }
  const names = externalNames(organization, becomes())
  return context.claims.claiming(organization, names, () => {
    const before = requirePrincipal(sql, kind, id)
    const next = becomes()
    requireFreeExternal(sql, next)
    if (isSame(before, next)) return before
    writePrincipal(sql, next, now)
    const kept = new Set(names.map(({ name }) => name))
    const left = externalNames(organization, before).filter(({ name }) => !kept.has(name))
    releaseNames(sql, left)
    if (left.length > 0) notePersonLeft(sql, id)
    const members = Object.keys({ ...patch, ...(externalId !== undefined && { externalId }) })
    const detail = { members, ...(patch.role && { role: patch.role }) }
    writeAudit(sql, { actor, act: `${kind}s.patch`, target: id, detail }, now)
    return requirePrincipal(sql, kind, id)
  })
}

/** Takes a member or an agent away, with its keys and all that is its own; 412 when it moved. */
export function deletePrincipal(
  context: Context,
  kind: PrincipalKind,
  id: string,
  { actor, expected }: Write,
): RemovedPrincipal {
  const { sql, organization, now } = context
  return context.transact(() => {
    const live = requirePrincipal(sql, kind, id)
    requireVersion(live, expected)
    const revoked = revokeKeysOf(sql, { principal: id }, now)
    const everybodys = dropAccountsOfMember(sql, id, now)
    dropGrantsTo(sql, id)
    dropPrincipal(sql, id)
    if (everybodys) noteSurface(sql)
    const keys = revoked.map((key): Name => ({
      kind: 'credential',
      name: key.hash,
      target: key.id,
    }))
    releaseNames(sql, [...externalNames(organization, live), ...keys])
    writeAudit(sql, { actor, act: `${kind}s.delete`, target: id }, now)
    return { id, keyHashes: revoked.map(({ hash }) => hash) }
  })
}

/**
 * Notes that a member is given a session; 403 where it is suspended, 422 where it is not the person
 * who has signed in, by the hash of its external id.
 */
export function openMemberSession(
  context: Context,
  id: string,
  { actor }: Write,
  person?: string,
): void {
  const { sql, now } = context
  context.transact(() => {
    const member = requirePrincipal(sql, 'member', id)
    if (member.status !== 'active') {
      throw new HttpError(403, 'member_suspended', 'This member is suspended')
    }
    if (person !== undefined && !isPerson(member, person)) {
      throw invalid([{ path: 'externalId', message: 'is not that of this member' }])
    }
    writeAudit(sql, { actor, act: 'members.session', target: id }, now)
  })
}

export type Membership = { id: string; name: string; role: Role }

/** The organization with what a member may do in it; undefined where it may not come in. */
export function describeMembership(
  sql: SqlStorage,
  id: string,
  person: string | undefined,
): Membership | undefined {
  const organization = requireOrganization(sql)
  const member = findPrincipal(sql, id)
  if (organization.status !== 'active' || member?.status !== 'active') return undefined
  if (member.role === undefined || (person !== undefined && !isPerson(member, person))) {
    return undefined
  }
  return { id: organization.id, name: organization.name, role: member.role }
}

/** Throws 412 where a principal is not at the version that a write was meant for. */
export function requireVersion(
  { version }: Pick<PrincipalRecord, 'version'>,
  expected: number | undefined,
): void {
  if (expected === undefined || expected === version) return
  throw new HttpError(412, 'revision_moved', `It is at revision ${version}`)
}

/** Throws 409 where another member is the person already. */
function requireFreeExternal(sql: SqlStorage, { id, externalId }: NewPrincipal): void {
  const holder = externalId && findExternal(sql, externalId)
  if (holder === undefined || holder === id) return
  throw new HttpError(409, 'external_id_taken', `This external id is of the member ${holder}`)
}

function isSame(one: NewPrincipal, other: NewPrincipal): boolean {
  const textOf = ({ name, externalId, role, permissions, settings, status }: NewPrincipal) =>
    JSON.stringify([name, externalId, role, permissions, settings, status])
  return textOf(one) === textOf(other)
}
