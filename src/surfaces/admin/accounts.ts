/** The admin API's accounts: what calls of a connector are made with. A credential is never answered. */
import * as z from 'zod'
import { AccountCredential } from '../../handlers/account-credential.ts'
import { mintId, ServerId } from '../../catalog/names.ts'
import type { WrittenAccount } from '../../objects/organization/account-commands.ts'
import { upstreamOf } from '../../objects/upstreams.ts'
import { valueOf } from '../../protocol/http-error.ts'
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
  return written(call, valueOf(await call.stub.createAccount(account, writeOf(call))), 201)
}

export async function listAccounts(call: AdminCall): Promise<Response> {
  const { query, stub } = call
  const limit = limitOf(call)
  const filter = {
    server: query.get('server') ?? undefined,
    owner: query.get('owner') ?? undefined,
  }
  const records = valueOf(await stub.listAccounts(filter, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getAccount(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(valueOf(await call.stub.getAccount(param(call, 'id')))))
}

export async function patchAccount(call: AdminCall): Promise<Response> {
  const patch = await readValid(call, AccountPatch)
  const outcome = await call.stub.patchAccount(param(call, 'id'), patch, writeOf(call))
  return written(call, valueOf(outcome), 200)
}

export async function deleteAccount(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteAccount(param(call, 'id'), writeOf(call)))
  return noContent()
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
