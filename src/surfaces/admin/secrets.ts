/** The admin API's secrets: they go in and never come out. */
import * as z from 'zod'
import { requireValid } from '../../catalog/issues.ts'
import { SecretName, SecretText } from '../../handlers/secret.ts'
import { valueOf } from '../../protocol/http-error.ts'
import {
  cursorOf,
  limitOf,
  noContent,
  pageOf,
  param,
  readValid,
  writeOf,
  type AdminCall,
} from './call.ts'

export const SecretBody = z.strictObject({
  value: SecretText,
})
export const SecretAnswer = z.strictObject({
  name: SecretName,
  label: z.string().meta({ description: 'What people call it; its name where nobody said' }),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

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
