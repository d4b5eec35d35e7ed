/**
 * What is done with accounts, on the admin API and by `manage__*` tools alike (`surfaces.md` D14): who
 * sees which, who may change them, and what follows from that.
 */
import * as z from 'zod'
import { may, requireMay, type Actor } from '../callers/may.ts'
import type { AccountPatch, WrittenAccount } from '../objects/organization/account-commands.ts'
import type { AccountRecord } from '../objects/organization/account-rows.ts'
import type { Write } from '../objects/organization/context.ts'
import { upstreamOf } from '../objects/resident.ts'
import { HttpError, valueOf } from '../protocol/http-error.ts'
import type { Acting } from './acting.ts'

/** No control characters: callers name it in an argument, and people read it. */
export const AccountAlias = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')
  .meta({ description: 'What callers choose it by; its owner has one of it on a server' })

type Owned = Pick<AccountRecord, 'owner'>

/** An account that the actor sees; 404 for another's as for a made-up one. */
export async function requireVisibleAccount(
  { actor, stub }: Pick<Acting, 'actor' | 'stub'>,
  id: string,
): Promise<AccountRecord> {
  const account = valueOf(await stub.getAccount(id))
  const owner = ownerSeenBy(actor)
  if (owner === undefined || account.owner === owner) return account
  throw new HttpError(404, 'account_not_found', `There is no account ${id}`)
}

/** Changes an account that the actor sees and may write. */
export async function changeAccount(
  acting: Acting,
  id: string,
  patch: AccountPatch,
  write: Write,
): Promise<AccountRecord> {
  requireMayWrite(acting.actor, await requireVisibleAccount(acting, id), 'accounts')
  const written = valueOf(await acting.stub.patchAccount(id, patch, write))
  readAgain(acting, written)
  return written.account
}

/** Takes an account away that the actor sees and may end. */
export async function endAccount(acting: Acting, id: string, write: Write): Promise<void> {
  requireMayEnd(acting.actor, await requireVisibleAccount(acting, id), 'accounts')
  valueOf(await acting.stub.deleteAccount(id, write))
}

/** Whose accounts an actor sees; undefined for all of them. */
export function ownerSeenBy(actor: Actor): string | undefined {
  if (actor === 'operator' || may(actor, 'accounts.write') === undefined) return undefined
  return actor.principal.id
}

/**
 * Throws 403 unless an actor may make or change an account, or share it: the organization's is for who
 * administers, a member's is that member's alone.
 */
export function requireMayWrite(actor: Actor, account: Owned, what: 'accounts' | 'grants'): void {
  if (account.owner === null) return requireMay(actor, `${what}.write`)
  requireMay(actor, isOwn(actor, account) ? `${what}.write.own` : `${what}.write.other`)
}

/** Throws 403 unless an actor may take an account away, or back that it is shared: admins may, any. */
export function requireMayEnd(actor: Actor, account: Owned, what: 'accounts' | 'grants'): void {
  requireMay(actor, isOwn(actor, account) ? `${what}.write.own` : `${what}.write`)
}

/** Has a remote server read again whose lists are read with an account that was written. */
export function readAgain(
  { platform, visit, organization }: Acting,
  { account: { server }, readsLists }: WrittenAccount,
): void {
  if (!readsLists) return
  visit.waitUntil(upstreamOf(platform.env, server).refreshSoon({ organization, server }))
}

function isOwn(actor: Actor, { owner }: Owned): boolean {
  return actor !== 'operator' && owner === actor.principal.id
}
