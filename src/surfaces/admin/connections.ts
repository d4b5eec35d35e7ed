/** The admin API's auth connections: their secrets go in by value and are answered by name. */
import * as z from 'zod'
import { ConnectionAuth, takeValues } from '../../catalog/connection-auth.ts'
import { mintId } from '../../catalog/names.ts'
import { Auth } from '../../handlers/auth.ts'
import type { ConnectionRecord } from '../../objects/organization/connection-commands.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { refreshUsers } from '../refresh-users.ts'
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
import { UserAnswer } from './variables.ts'

const Name = z.string().min(1).max(200)
const Provider = z.string().max(200).meta({ description: 'Whose service it is for' })

export const ConnectionBody = z.strictObject({
  name: Name,
  provider: Provider.default(''),
  auth: ConnectionAuth.meta({ description: 'A secret in it by value or by the name of one' }),
})

export const ConnectionPatch = z.strictObject({
  name: Name.optional(),
  provider: Provider.optional(),
  auth: ConnectionAuth.optional().meta({
    description: 'Replaces the whole; a secret that stays is given by the name it is answered with',
  }),
})

export const ConnectionAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  auth: Auth,
  status: z.enum(['active', 'refresh_failed', 'revoked', 'credential_invalid']),
  statusDetail: z.string().optional(),
  statusAt: z.iso.datetime().optional(),
  usedBy: z.array(UserAnswer),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

export async function createConnection(call: AdminCall): Promise<Response> {
  const { auth, ...named } = await readValid(call, ConnectionBody)
  const id = mintId('ac')
  const connection = { id, ...named, ...takeValues(id, auth) }
  const record = valueOf(await call.stub.createConnection(connection, writeOf(call)))
  return json(format(record), 201, { Location: `/api/v1/connections/${id}` })
}

export async function listConnections(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const records = valueOf(await call.stub.listConnections(cursorOf(call), limit + 1))
  return pageOf(call, records.map(toAnswer), limit, ({ id }) => id)
}

export async function getConnection(call: AdminCall): Promise<Response> {
  return json(format(valueOf(await call.stub.getConnection(param(call, 'id')))))
}

export async function patchConnection(call: AdminCall): Promise<Response> {
  const { auth, ...named } = await readValid(call, ConnectionPatch)
  const id = param(call, 'id')
  const patch = { ...named, ...(auth && takeValues(id, auth)) }
  const record = valueOf(await call.stub.patchConnection(id, patch, writeOf(call)))
  refreshUsers(call, record.usedBy)
  return json(format(record))
}

export async function deleteConnection(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteConnection(param(call, 'id'), writeOf(call)))
  return noContent()
}

function format(record: ConnectionRecord): string {
  return JSON.stringify(toAnswer(record))
}

function toAnswer(record: ConnectionRecord) {
  const { statusAt, usedBy, createdBy, createdAt, updatedAt, ...rest } = record
  return {
    ...rest,
    ...(statusAt !== undefined && { statusAt: new Date(statusAt).toISOString() }),
    usedBy: usedBy.map(({ server, name }) => ({ server, name })),
    createdBy,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
