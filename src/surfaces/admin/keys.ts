/** The admin API's keys and secrets: a key's secret is answered once, a secret never. */
import * as z from 'zod'
import { mintServerKey } from '../../callers/secret.ts'
import { requireValid } from '../../catalog/issues.ts'
import { mintId, ServerId, ToolName } from '../../catalog/names.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { SecretName } from '../../handlers/secret.ts'
import { learnRevoked } from '../platform.ts'
import { sha256Hex } from '../../sealing/digest.ts'
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

const LAST_MS = Date.UTC(9999) // later years have no four digits

export const KeyBody = z.strictObject({
  name: z.string().trim().min(1).max(200),
  kind: z.literal('server').default('server'),
  server: ServerId.meta({ description: 'The server the key opens' }),
  tools: z
    .array(ToolName)
    .max(10_000)
    .optional()
    .meta({ description: 'The tools it sees; absent: all' }),
  expiresAt: z.iso
    .datetime({ offset: true })
    // What is no time at all is told once, by its form.
    .refine((at) => !(Date.parse(at) <= Date.now()), 'must be in the future')
    .refine((at) => !(Date.parse(at) > LAST_MS), 'must be before the year 9999')
    .optional(),
})

export const KeyAnswer = z.strictObject({
  id: z.string(),
  kind: z.literal('server'),
  name: z.string(),
  server: ServerId,
  tools: z.array(ToolName).optional(),
  lastFour: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
})

export const NewKeyAnswer = KeyAnswer.extend({
  secret: z.string().meta({ description: 'Answered here and nowhere else' }),
})

export const SecretBody = z.strictObject({
  value: z
    .string()
    .min(1)
    .max(64 * 1024),
})
export const SecretAnswer = z.strictObject({
  name: SecretName,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

export async function createKey(call: AdminCall): Promise<Response> {
  const { name, server, tools, expiresAt } = await readValid(call, KeyBody)
  const secret = mintServerKey()
  const key = {
    id: mintId('key'),
    name,
    server,
    tools,
    expiresAt,
    hash: sha256Hex(secret),
    lastFour: secret.slice(-4),
  }
  const record = valueOf(await call.stub.createKey(key, writeOf(call)))
  return json(JSON.stringify({ ...record, secret }), 201)
}

export async function listKeys(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const server = call.query.get('server') ?? undefined
  const records = valueOf(await call.stub.listKeys(server, cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ id }) => id)
}

export async function getKey(call: AdminCall): Promise<Response> {
  return json(JSON.stringify(valueOf(await call.stub.getKey(param(call, 'id')))))
}

export async function deleteKey(call: AdminCall): Promise<Response> {
  const { hash } = valueOf(await call.stub.deleteKey(param(call, 'id'), writeOf(call)))
  learnRevoked(call.platform, hash)
  return noContent()
}

export async function listSecrets(call: AdminCall): Promise<Response> {
  const limit = limitOf(call)
  const records = valueOf(await call.stub.listSecrets(cursorOf(call), limit + 1))
  return pageOf(call, records, limit, ({ name }) => name)
}

export async function putSecret(call: AdminCall): Promise<Response> {
  const name = requireValid(SecretName, param(call, 'name'), 'name')
  const { value } = await readValid(call, SecretBody)
  const isNew = valueOf(await call.stub.putSecret(name, value, writeOf(call)))
  return new Response(null, { status: isNew ? 201 : 204 })
}

export async function deleteSecret(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteSecret(param(call, 'name'), writeOf(call)))
  return noContent()
}
