/**
 * Who may do what, decided in one table for the admin API and the `manage__*` tools alike
 * (`surfaces.md` D14, C4–C7, C13–C16; `design.md` §8).
 *
 * An actor is the operator, who may do everything, or a principal by a credential. What an act is
 * about (whose key, which account) is found by whoever asks, who then names the act for it.
 */
import { HttpError } from '../protocol/http-error.ts'
import { ROLES, type Permission, type Principal, type Role } from './principal.ts'

export type ActingKind = 'member' | 'agent' | 'session' | 'oauth'

export type Actor = 'operator' | { principal: Principal; credentialKind: ActingKind }

export type Refused =
  | 'admin_required'
  | 'insufficient_role'
  | 'member_principal_required'
  | 'api_key_cannot_mint'
  | 'session_required'
  | 'operator_required'

/** What an act asks of an actor; nothing named is nothing asked. */
type Rule = {
  /** `mint`: no key at all; `session`: a session JWT alone. */
  by?: 'operator' | 'mint' | 'session'
  /** Of a member alone: its own act. */
  own?: true
  /** Admins and owners alone. */
  admin?: true
  /** Admins, owners, and members who have this. */
  permission?: Permission
}

const RULES = {
  // What everybody in the organization may see.
  'servers.read': {},
  'members.read': {},
  'agents.read': {},
  'accounts.read': {},
  'environments.read': {},
  'settings.read': {},
  'usage.read': {},
  'feedback.send': {},
  'variables.read': {},
  'connections.read': {},
  // What only those who administer see.
  'servers.export': { admin: true },
  'members.identify': { admin: true },
  'keys.read': { admin: true },
  'secrets.read': { admin: true },
  'sessions.read': { admin: true },
  'calls.read': { admin: true },
  'audit.read': { admin: true },
  'approvals.read': { admin: true },
  // What is a member's own.
  'keys.read.own': { own: true },
  'keys.revoke.own': { own: true },
  'accounts.write.own': { own: true },
  'grants.write.own': { own: true },
  // What changes the organization.
  'servers.write': { admin: true },
  'tools.write': { admin: true },
  'tools.try': { admin: true },
  'remote.write': { permission: 'connections:org' },
  'tools.approve': { permission: 'connections:org' },
  'accounts.write': { admin: true },
  'grants.write': { admin: true },
  'environments.write': { admin: true },
  'secrets.write': { admin: true },
  'variables.write': { admin: true },
  'connections.write': { admin: true },
  'settings.write': { admin: true },
  'agents.write': { admin: true },
  'keys.revoke': { admin: true },
  'sessions.end': { admin: true },
  'calls.delete': { admin: true },
  // What no key does, whoever holds it.
  'keys.mint.own': { by: 'mint', own: true },
  'keys.mint': { by: 'mint', admin: true },
  'members.write': { by: 'session', admin: true },
  'approvals.decide': { by: 'session', admin: true },
  'organization.switch': { by: 'session', own: true },
  // What is the operator's.
  'organizations.manage': { by: 'operator' },
  'sessions.mint': { by: 'operator' },
  // What would be done as another member.
  'keys.mint.other': { by: 'operator' },
  'accounts.write.other': { by: 'operator' },
  'grants.write.other': { by: 'operator' },
} as const satisfies Readonly<Record<string, Rule>>

export type Act = keyof typeof RULES
export const ACTS = Object.keys(RULES) as Act[]

const MESSAGES: Readonly<Record<Refused, string>> = {
  admin_required: 'Only an admin or owner of the organization may do this',
  insufficient_role: 'This needs another role or permission',
  member_principal_required: 'Only a member may do this',
  api_key_cannot_mint: 'No key can make or rotate a key; sign in',
  session_required: 'This needs a session; sign in',
  operator_required: 'Only the operator may do this',
}

/** Why an actor may not do something; undefined when it may. */
export function may(actor: Actor, act: Act): Refused | undefined {
  if (actor === 'operator') return undefined
  const { principal, credentialKind } = actor
  const { by, own, admin, permission }: Rule = RULES[act]
  const isKey = credentialKind === 'member' || credentialKind === 'agent'
  if (by === 'mint' && isKey) return 'api_key_cannot_mint'
  if (by === 'operator') return 'operator_required'
  if (by !== undefined && credentialKind !== 'session') return 'session_required'
  if (own && principal.kind !== 'member') return 'member_principal_required'
  if (admin && !isAdmin(principal)) return 'admin_required'
  if (permission && !isAdmin(principal) && !principal.permissions.includes(permission)) {
    return 'insufficient_role'
  }
  return undefined
}

/** Why an actor may not give a role to somebody, or touch who has it: nobody reaches above itself. */
export function mayGive(actor: Actor, role: Role): Refused | undefined {
  if (actor === 'operator') return undefined
  const own = actor.principal.role
  // The highest stands first.
  const isAbove = own === undefined || ROLES.indexOf(role) < ROLES.indexOf(own)
  return isAbove ? 'insufficient_role' : undefined
}

/** Throws 403 unless an actor may do something. */
export function requireMay(actor: Actor, act: Act): void {
  throwRefused(may(actor, act))
}

/** Throws 403 unless an actor is a member, or the operator. */
export function requireMember(actor: Actor): void {
  const isMember = actor === 'operator' || actor.principal.kind === 'member'
  throwRefused(isMember ? undefined : 'member_principal_required')
}

/** Throws 403 unless an actor may give a role. */
export function requireMayGive(actor: Actor, role: Role): void {
  throwRefused(mayGive(actor, role))
}

/** Who an actor is in the audit log. */
export function actorName(actor: Actor): string {
  return actor === 'operator' ? actor : actor.principal.id
}

/** Who writes, and whether it may decide held calls. */
export function writerOf(actor: Actor): { actor: string; decides: boolean } {
  return { actor: actorName(actor), decides: may(actor, 'approvals.decide') === undefined }
}

/** The words of a refusal, for tool results. */
export function messageOf(refused: Refused): string {
  return MESSAGES[refused]
}

function throwRefused(refused: Refused | undefined): void {
  if (refused !== undefined) throw new HttpError(403, refused, MESSAGES[refused])
}

/** Whether somebody administers the organization. */
export function isAdmin({ role }: Pick<Principal, 'role'>): boolean {
  return role === 'owner' || role === 'admin'
}
