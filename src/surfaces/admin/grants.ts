/**
 * The admin API's grants: who an account is shared with, for all its tools or some. Who administers
 * sees all of them, a member those of its own accounts.
 */
import * as z from 'zod'
import { mintId, ToolName } from '../../catalog/names.ts'
import type { GrantRecord } from '../../objects/organization/grants.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { ownerSeenBy, requireMayEnd } from '../account-acts.ts'
import { requireShareable } from './accounts.ts'
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

const Id = z.string().min(1).max(100)
const Grantee = z.union([
  z.literal('everybody'),
  z.strictObject({ member: Id }),
  z.strictObject({ agent: Id }),
])

export const GrantBody = z.strictObject({
  account: Id,
  to: Grantee.meta({ description: 'everybody, {"member":id} or {"agent":id}' }),
  tools: z
    .array(ToolName)
    .max(1000)
    .optional()
    .meta({ description: 'The tools it is shared for, by their names on the server; absent: all' }),
})

export const GrantAnswer = z.strictObject({
  id: z.string(),
  account: z.string(),
  to: Grantee,
  tools: z.array(z.string()).optional(),
  createdAt: z.iso.datetime(),
})

export async function createGrant(call: AdminCall): Promise<Response> {
  const grant = { id: mintId('gra'), ...(await readValid(call, GrantBody)) }
  await requireShareable(call, grant.account)
  const record = valueOf(await call.stub.createGrant(grant, writeOf(call)))
  return json(JSON.stringify(record), 201, { Location: `/api/v1/grants/${record.id}` })
}

export async function listGrants(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const filter = {
    account: call.query.get('account') ?? undefined,
    owner: ownerSeenBy(call.actor),
  }
  const records = valueOf(await call.stub.listGrants(filter, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getGrant(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(await requireVisible(call)))
}

export async function deleteGrant(call: AdminCall): Promise<Response> {
  const { id, account } = await requireVisible(call)
  requireMayEnd(call.actor, valueOf(await call.stub.getAccount(account)), 'grants')
  valueOf(await call.stub.deleteGrant(id, writeOf(call)))
  return noContent()
}

/** A grant that the actor sees; 404 for another's as for a made-up one. */
async function requireVisible(call: AdminCall): Promise<GrantRecord> {
  const id = param(call, 'id')
  const grant = valueOf(await call.stub.getGrant(id))
  const owner = ownerSeenBy(call.actor)
  if (owner === undefined) return grant
  const account = valueOf(await call.stub.getAccount(grant.account))
  if (account.owner === owner) return grant
  throw new HttpError(404, 'grant_not_found', `There is no grant ${id}`)
}
