/** Commands on accounts. Who may give them is decided before, by `may`. */
import type { AccountCredential } from '../../handlers/account-credential.ts'
import { invalid } from '../../catalog/issues.ts'
import { isRemote, needsAccount } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { seal } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import {
  accountPlace,
  countAccounts,
  removeAccount,
  requireAccount,
  toAccount,
  writeAccount,
  type AccountRecord,
  type AccountRow,
  type AccountState,
} from './account-rows.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import { findPrincipal, notePrincipal } from './principals.ts'
import { findServer } from './servers.ts'
import { noteSurface } from './surface.ts'
import { requireFits } from './visible-accounts.ts'

const MAX_ACCOUNTS = 100_000 // of an organization

export type NewAccount = Omit<AccountRecord, 'createdAt' | 'updatedAt'> & {
  credential: AccountCredential
}

export type AccountPatch = {
  alias?: string | undefined
  identity?: string | null | undefined
  state?: AccountState | undefined
  credential?: AccountCredential | undefined
}

/** An account, and whether the lists of a remote server are read with it: they may differ now. */
export type WrittenAccount = { account: AccountRecord; readsLists: boolean }

/** Seals and stores a new account. */
export async function createAccount(
  context: Context,
  keys: SealKeys,
  { credential, ...account }: NewAccount,
  { actor }: Write,
): Promise<WrittenAccount> {
  const { sql, now } = context
  const { id, server, owner, alias } = account
  const sealed = await sealCredential(context, keys, id, credential)
  return context.transact(() => {
    requireConnector(sql, server)
    if (owner !== null) requireMember(sql, owner)
    const ends_at = endOf(credential)
    const row: AccountRow = { ...account, sealed, ends_at, created_at: now, updated_at: now }
    addAccount(sql, row)
    writeAudit(
      sql,
      { actor, act: 'accounts.create', target: id, detail: { server, owner, alias } },
      now,
    )
    return written(sql, row)
  })
}

/** Changes an account; another credential connects it again. Nothing of that is in KV. */
export async function patchAccount(
  context: Context,
  keys: SealKeys,
  id: string,
  { credential, ...patch }: AccountPatch,
  { actor }: Write,
): Promise<WrittenAccount> {
  const { sql, now } = context
  const sealed = credential && (await sealCredential(context, keys, id, credential))
  return context.transact(() => {
    const before = requireAccount(sql, id)
    const { alias = before.alias, identity = before.identity } = patch
    const state = patch.state ?? (sealed === undefined ? before.state : 'connected')
    const ends_at = credential === undefined ? before.ends_at : endOf(credential)
    const row = { ...before, alias, identity, state, sealed: sealed ?? before.sealed, ends_at }
    if (isSame(before, row)) return { account: toAccount(before), readsLists: false }
    writeAccount(sql, { ...row, updated_at: now })
    const members = Object.keys({ ...patch, ...(credential && { credential }) })
    writeAudit(sql, { actor, act: 'accounts.patch', target: id, detail: { members, alias } }, now)
    const after = written(sql, { ...row, updated_at: now })
    return {
      ...after,
      readsLists: after.readsLists && (sealed !== undefined || state !== before.state),
    }
  })
}

/** Takes an account away, with its grants and its entries in environments. */
export function deleteAccount(context: Context, id: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    const row = requireAccount(sql, id)
    const { server, owner, alias } = row
    if (removeAccount(sql, row, now)) noteSurface(sql)
    writeAudit(
      sql,
      { actor, act: 'accounts.delete', target: id, detail: { server, owner, alias } },
      now,
    )
  })
}

/** Writes a new account; 413 where there are too many. */
export function addAccount(sql: SqlStorage, row: AccountRow): void {
  if (countAccounts(sql) >= MAX_ACCOUNTS) {
    throw new HttpError(413, 'too_many_accounts', `There may be ${MAX_ACCOUNTS} accounts`)
  }
  writeAccount(sql, row)
  if (row.owner === null) return
  notePrincipal(sql, row.owner)
  requireFits(sql, row.owner)
}

/** Throws 422 where a server is not there, or needs no accounts. */
export function requireConnector(sql: SqlStorage, server: string): void {
  const { live } = findServer(sql, server)
  if (live === undefined) throw invalid([{ path: 'server', message: 'is no server here' }])
  if (needsAccount(live.settings)) return
  throw invalid([{ path: 'server', message: 'needs no accounts: its `account` is not required' }])
}

/** Throws 422 where an owner is no member. */
export function requireMember(sql: SqlStorage, id: string): void {
  if (findPrincipal(sql, id)?.kind === 'member') return
  throw invalid([{ path: 'owner', message: 'is no member here' }])
}

/** Whether a change is none; a credential that is sealed anew is one, whatever is in it. */
function isSame(one: AccountRow, other: AccountRow): boolean {
  const textOf = ({ alias, identity, state, sealed }: AccountRow) =>
    JSON.stringify([alias, identity, state, sealed])
  return textOf(one) === textOf(other)
}

/** When the token of a credential ends, where it says so in its field `expires_at`. */
export function endOf({ expires_at: at = '' }: AccountCredential): number | null {
  return /^\d{1,15}$/.test(at) ? Number(at) : null
}

/** A credential sealed for its account. */
export async function sealCredential(
  { organization }: Context,
  keys: SealKeys,
  id: string,
  credential: AccountCredential,
): Promise<string> {
  return seal(keys, accountPlace(organization, id), JSON.stringify(credential))
}

/** An account as it was written. */
export function written(sql: SqlStorage, row: AccountRow): WrittenAccount {
  const { live } = findServer(sql, row.server)
  const readsLists = row.owner === null && live !== undefined && isRemote(live.settings)
  return { account: toAccount(row), readsLists }
}
