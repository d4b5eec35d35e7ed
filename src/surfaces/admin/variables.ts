/** The admin API's variables: what differs by environment of how remote servers are reached. */
import * as z from 'zod'
import { EnvironmentName } from '../../catalog/names.ts'
import { requireValid } from '../../catalog/issues.ts'
import { valuesOf, valuesPatchOf } from '../../catalog/variable-values.ts'
import { VariableLabel } from '../../handlers/secret.ts'
import { VariableValue } from '../../handlers/variable.ts'
import type { VariableRecord } from '../../objects/organization/variable-commands.ts'
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

const Type = z.enum(['string', 'secret', 'connection'])
const AnyValue = z.union(Object.values(VariableValue))

/** A remote server that uses something, by its id and name. */
export const UserAnswer = z.strictObject({ server: z.string(), name: z.string() })

export const VariableBody = z.discriminatedUnion('type', [
  variableOf('string', VariableValue.string),
  variableOf('secret', VariableValue.secret),
  variableOf('connection', VariableValue.connection),
])

export const VariablePatch = z.strictObject({
  values: valuesPatchOf(AnyValue).meta({ description: 'By environment; null takes one away' }),
})

export const VariableAnswer = z.strictObject({
  id: z.string(),
  label: z.string(),
  type: Type,
  values: z.record(z.string(), AnyValue),
  usedBy: z.array(UserAnswer),
  createdBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

/** The filters of the list as the API's document has them. */
export const FILTERS = {
  label: 'The variable of this label alone',
  environment: 'Variables with a value in this environment, and that value alone',
  type: 'Variables of this type alone',
}

export async function createVariable(call: AdminCall): Promise<Response> {
  const variable = await readValid(call, VariableBody)
  const record = valueOf(await call.stub.createVariable(variable, writeOf(call)))
  refreshUsers(call, record.usedBy)
  return json(format(record), 201, { Location: `/api/v1/variables/${record.id}` })
}

export async function listVariables(call: AdminCall): Promise<Response> {
  const { query, stub } = call
  const limit = limitOf(call)
  const filter = {
    label: optional(VariableLabel, query, 'label'),
    environment: optional(EnvironmentName, query, 'environment'),
    type: optional(Type, query, 'type'),
  }
  const records = valueOf(await stub.listVariables(filter, cursorOf(call), limit + 1))
  return pageOf(call, records.map(toAnswer), limit, ({ label }) => label)
}

export async function getVariable(call: AdminCall): Promise<Response> {
  return json(format(valueOf(await call.stub.getVariable(param(call, 'id')))))
}

export async function patchVariable(call: AdminCall): Promise<Response> {
  const { values } = await readValid(call, VariablePatch)
  const outcome = await call.stub.patchVariable(param(call, 'id'), values, writeOf(call))
  const record = valueOf(outcome)
  refreshUsers(call, record.usedBy)
  return json(format(record))
}

export async function deleteVariable(call: AdminCall): Promise<Response> {
  valueOf(await call.stub.deleteVariable(param(call, 'id'), writeOf(call)))
  return noContent()
}

function variableOf<T extends string, V extends z.ZodType>(type: T, value: V) {
  return z.strictObject({ type: z.literal(type), label: VariableLabel, values: valuesOf(value) })
}

function optional<T>(schema: z.ZodType<T>, query: URLSearchParams, name: string): T | undefined {
  const text = query.get(name)
  return text === null ? undefined : requireValid(schema, text, name)
}

function format(record: VariableRecord): string {
  return JSON.stringify(toAnswer(record))
}

function toAnswer({ usedBy, createdBy, createdAt, updatedAt, ...record }: VariableRecord) {
  return {
    ...record,
    usedBy: usedBy.map(({ server, name }) => ({ server, name })),
    createdBy,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  }
}
