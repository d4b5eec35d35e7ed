/**
 * The admin API's accounts: what calls of a connector are made with. A credential is never answered.
 * Who administers sees all of them, a member its own.
 */
import * as z from 'zod'
import { may, requireMay, type Actor } from '../../callers/may.ts'
import { AccountCredential } from '../../handlers/account-credential.ts'
import { mintId, ServerId } from '../../catalog/names.ts'
import { invalid } from '../../catalog/issues.ts'
import type { WrittenAccount } from '../../objects/organization/account-commands.ts'
import type { AccountRecord } from '../../objects/organization/account-rows.ts'
import { upstreamOf } from '../../objects/upstreams.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import {
  cursorOf,
  json,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

/** No control characters: callers name it in an argument, and people read it. */
const Alias = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')
  .meta({ description: 'What callers choose it by; unique on its server' })
const Identity = z
  .string()
  .max(300)
  .nullable()
  .meta({ description: 'Who it is there: a name, an address' })
const State = z.enum(['connected', 'needs_reauth'])
const Credential = AccountCredential.refine(
  (fields) => Object.keys(fields).length > 0,
  'must have a member',
).meta({ description: 'The fields that handlers refer to by {"account":"field"}' })

export const AccountBody = z.strictObject({
  server: ServerId,
  owner: z.string().max(100).nullable().default(null).meta({
    description: 'The member whose own it is; null: the organization',
  }),
  alias: Alias,
  identity: Identity.default(null),
  state: State.default('connected'),
  credential: Credential,
})

export const AccountPatch = z.strictObject({
  alias: Alias.optional(),
  identity: Identity.optional(),
  state: State.optional(),
  credential: Credential.optional(),
})

export const AccountAnswer = z.strictObject({
  id: z.string(),
  server: z.string(),
  owner: z.string().nullable(),
  alias: z.string(),
  identity: z.string().nullable(),
  state: State,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

/** The filters of the list as the API's document has them. */
export const FILTERS = {
  server: 'Accounts on this server alone',
  owner: 'Accounts of this member alone, or `organization`',
}

export async function createAccount(call: AdminCall): Promise<Response> {
  const account = { id: mintId('acc'), ...(await readValid(call, AccountBody)) }
  requireMayWrite(call.actor, account, 'accounts')
  return written(call, valueOf(await call.stub.createAccount(account, writeOf(call))), 201)
}

export async function listAccounts(call: AdminCall): Promise<Response> {
  const { query, stub } = call
  const limit = limitOf(call)
  const filter = {
    server: query.get('server') ?? undefined,
    owner: ownerSeenBy(call.actor) ?? query.get('owner') ?? undefined,
  }
  const records = valueOf(await stub.listAccounts(filter, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getAccount(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await requireVisible(call)))
}

export async function patchAccount(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, AccountPatch)
  const account = await requireVisible(call)
  requireMayWrite(call.actor, account, 'accounts')
  const outcome = await call.stub.patchAccount(account.id, patch, writeOf(call))
  return written(call, valueOf(outcome), 200)
}

export async function deleteAccount(call: AdminCall): Promise<Response> {
  const account = await requireVisible(call)
  requireMayWrite(call.actor, account, 'accounts')
  valueOf(await call.stub.deleteAccount(account.id, writeOf(call)))
  return noContent()
}

/** Whose accounts an actor sees; undefined for all of them. */
export function ownerSeenBy(actor: Actor): string | undefined {
  if (actor === 'operator' || may(actor, 'accounts.write') === undefined) return undefined
  return actor.principal.id
}

/** Throws 403 unless an actor may change an account, or who it is shared with. */
export function requireMayWrite(
  actor: Actor,
  { owner }: Pick<AccountRecord, 'owner'>,
  what: 'accounts' | 'grants',
): void {
  const isOwn = actor !== 'operator' && owner === actor.principal.id
  requireMay(actor, isOwn ? `${what}.write.own` : `${what}.write`)
}

/** The account that a grant is of, for an actor who may share it; 422 where it sees none. */
export async function requireShareable(call: AdminCall, id: string): Promise<void> {
  const outcome = await call.stub.getAccount(id)
  const account = 'value' in outcome ? outcome.value : undefined
  const owner = ownerSeenBy(call.actor)
  if (account === undefined || (owner !== undefined && account.owner !== owner)) {
    throw invalid([{ path: 'account', message: 'is no account here' }])
  }
  requireMayWrite(call.actor, account, 'grants')
}

/** An account that the actor sees; 404 for another's as for a made-up one. */
async function requireVisible(call: AdminCall): Promise<AccountRecord> {
  const id = param(call, 'id')
  const account = valueOf(await call.stub.getAccount(id))
  const owner = ownerSeenBy(call.actor)
  if (owner === undefined || account.owner === owner) return account
  throw new HttpError(404, 'account_not_found', `There is no account ${id}`)
}

/** Answers with an account; a remote server whose lists are read with it is read again. */
function written(
  { platform, visit, organization }: AdminCall,
  { account, readsLists }: WrittenAccount,
  status: number,
): Response {
  const { server } = account
  if (readsLists) {
    visit.waitUntil(upstreamOf(platform.env.UPSTREAM, server).refreshSoon({ organization, server }))
  }
  const headers = status === 201 ? { Location: `/api/v1/accounts/${account.id}` } : {}
  return json(JSON.stringify(account), status, headers)
}
