/** The admin API's grants: who an account is shared with, for all its tools or some. */
import * as z from 'zod'
import { mintId, ToolName } from '../../catalog/names.ts'
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
  const record = valueOf(await call.stub.createGrant(grant, writeOf(call)))
  return json(JSON.stringify(record), 201, { Location: `/api/v1/grants/${record.id}` })
}

export async function listGrants(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const account = call.query.get('account') ?? undefined
  const records = valueOf(await call.stub.listGrants(account, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getGrant(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(valueOf(await call.stub.getGrant(param(call, 'id')))))
}

export async function deleteGrant(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteGrant(param(call, 'id'), writeOf(call)))
  return noContent()
}
