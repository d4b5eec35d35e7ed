/**
 * The admin API's accounts: what calls of a connector are made with. A credential is never answered.
 * Who administers sees all of them, a member its own.
 */
import * as z from 'zod'
import { AccountCredential } from '../../handlers/account-credential.ts'
import { mintId, ServerId } from '../../catalog/names.ts'
import { invalid } from '../../catalog/issues.ts'
import { valueOf } from '../../protocol/http-error.ts'
import {
  AccountAlias,
  changeAccount,
  endAccount,
  ownerSeenBy,
  readAgain,
  requireMayWrite,
  requireVisibleAccount,
} from '../account-acts.ts'
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
  alias: AccountAlias,
  identity: Identity.default(null),
  state: State.default('connected'),
  credential: Credential,
})

export const AccountPatch = z.strictObject({
  alias: AccountAlias.optional(),
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
  const written = valueOf(await call.stub.createAccount(account, writeOf(call)))
  readAgain(call, written)
  const location = { Location: `/api/v1/accounts/${account.id}` }
  return json(JSON.stringify(written.account), 201, location)
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
  return json(JSON.stringify(await requireVisibleAccount(call, param(call, 'id'))))
}

export async function patchAccount(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, AccountPatch)
  const account = await changeAccount(call, param(call, 'id'), patch, writeOf(call))
  return json(JSON.stringify(account))
}

export async function deleteAccount(call: AdminCall): Promise<Response> {
  await endAccount(call, param(call, 'id'), writeOf(call))
  return noContent()
}

/** Throws unless the actor may share an account; 422 where it sees none. */
export async function requireShareable(call: AdminCall, id: string): Promise<void> {
  const outcome = await call.stub.getAccount(id)
  const account = 'value' in outcome ? outcome.value : undefined
  const owner = ownerSeenBy(call.actor)
  if (account === undefined || (owner !== undefined && account.owner !== owner)) {
    throw invalid([{ path: 'account', message: 'is no account here' }])
  }
  requireMayWrite(call.actor, account, 'grants')
}
