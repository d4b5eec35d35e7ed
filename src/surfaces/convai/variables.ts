/** Environment variables (`convai-api.md` §1 E14–E17, §6): the organization's variables. */
import * as z from 'zod'
import { actorName } from '../../callers/may.ts'
import { EnvironmentName } from '../../catalog/names.ts'
import { valuesOf, valuesPatchOf } from '../../catalog/variable-values.ts'
import { VariableLabel } from '../../handlers/secret.ts'
import { DEFAULT_ENVIRONMENT, VariableValue, type VariableType } from '../../handlers/variable.ts'
import type { VariableRecord } from '../../objects/organization/variable-commands.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { refreshUsers } from '../refresh-users.ts'
import { answer, param, readBody, readQuery, writeOf, type ConvaiCall } from './call.ts'
import { cursorOf, pageOf, PageSize } from './paging.ts'

const OPERATOR = actorName('operator') // who is no member
const LIST = 'environment-variables'
const DEFAULT_PAGE_SIZE = 100

const Id = z.string().max(200) // whether there is such a one is the organization's to say
const SecretValue = z.object({ secret_id: Id }).transform(({ secret_id: secret }) => ({ secret }))
const ConnectionValue = z
  .object({ auth_connection_id: Id })
  .transform(({ auth_connection_id: connection }) => ({ connection }))

const NewVariable = z.discriminatedUnion('type', [
  variableOf('string', VariableValue.string),
  variableOf('secret', SecretValue),
  variableOf('auth_connection', ConnectionValue),
])

const VariablePatch = z.object({
  values: valuesPatchOf(z.union([VariableValue.string, SecretValue, ConnectionValue])),
})

/** The names of types, as convai and as we say them. */
const TYPES: ReadonlyMap<string, VariableType> = new Map([
  ['string', 'string'],
  ['secret', 'secret'],
  ['auth_connection', 'connection'],
])

const ListQuery = z.object({
  cursor: cursorOf(LIST),
  page_size: PageSize.default(DEFAULT_PAGE_SIZE),
  label: z.string().optional(),
  environment: z.string().optional(),
  type: z.enum([...TYPES.keys()]).optional(),
})

/** E14. */
export async function listVariables(call: ConvaiCall): Promise<Response> {
  const { cursor, page_size: size, label, environment, type } = readQuery(call, ListQuery)
  if (environment !== undefined && !EnvironmentName.safeParse(environment).success) {
    throw invalidParameter('environment', 'is the name of no environment')
  }
  const filter = { label, environment, type: TYPES.get(type ?? '') }
  const records = valueOf(await call.stub.listVariables(filter, cursor, size + 1))
  const { page, next } = pageOf(LIST, records, size, (record) => record.label)
  return answer({
    environment_variables: page.map((record) => format(call, record)),
    next_cursor: next,
    has_more: next !== null,
  })
}

/** E15. */
export async function createVariable(call: ConvaiCall): Promise<Response> {
  const { type, ...variable } = await readBody(call, NewVariable)
  const made = { ...variable, type: TYPES.get(type) ?? 'string' }
  const record = valueOf(await call.stub.createVariable(made, writeOf(call)))
  refreshUsers(call, record.usedBy)
  return answer(format(call, record))
}

/** E16. */
export async function getVariable(call: ConvaiCall): Promise<Response> {
  return answer(format(call, valueOf(await call.stub.getVariable(param(call, 'id')))))
}

/** E17. */
export async function updateVariable(call: ConvaiCall): Promise<Response> {
  const { values } = await readBody(call, VariablePatch)
  if (values[DEFAULT_ENVIRONMENT] === null) {
    throw invalidParameter(`values.${DEFAULT_ENVIRONMENT}`, 'cannot be taken away')
  }
  const record = valueOf(await call.stub.patchVariable(param(call, 'id'), values, writeOf(call)))
  refreshUsers(call, record.usedBy)
  return answer(format(call, record))
}

function variableOf<T extends string, V extends z.ZodType>(type: T, value: V) {
  return z.object({ type: z.literal(type), label: VariableLabel, values: valuesOf(value) })
}

function invalidParameter(path: string, message: string): HttpError {
  const details = [{ path, message }]
  return new HttpError(400, 'invalid_parameters', `${path} ${message}`, { details })
}

function format({ organization }: ConvaiCall, record: VariableRecord) {
  const values = Object.entries(record.values).map(([environment, value]) => [
    environment,
    formatValue(value),
  ])
  return {
    id: record.id,
    workspace_id: organization,
    label: record.label,
    type: record.type === 'connection' ? 'auth_connection' : record.type,
    values: Object.fromEntries(values) as unknown,
    created_at_unix_secs: Math.floor(record.createdAt / 1000),
    updated_at_unix_secs: Math.floor(record.updatedAt / 1000),
    created_by_user_id: record.createdBy === OPERATOR ? null : record.createdBy,
  }
}

function formatValue(value: VariableRecord['values'][string]) {
  if (typeof value === 'string') return value
  return 'secret' in value ? { secret_id: value.secret } : { auth_connection_id: value.connection }
}
