/** Commands on variables. What a value refers to must be there; who may give them is decided before. */
import { invalid } from '../../catalog/issues.ts'
import { mintId } from '../../catalog/names.ts'
import { MAX_ENVIRONMENTS } from '../../catalog/variable-values.ts'
import { DEFAULT_ENVIRONMENT, type Variable, type VariableValue } from '../../handlers/variable.ts'
import type { Detail } from '../../protocol/http-error.ts'
import { writeAudit } from './audit.ts'
import { findAuth } from './connections.ts'
import type { Context, Write } from './context.ts'
import { namesOfServers, remoteUsers, requireUnused, type ServerName } from './remote-users.ts'
import { isSecretThere } from './secrets.ts'
import {
  listVariables,
  removeVariable,
  requireVariable,
  writeVariable,
  type VariableFilter,
  type VariableRow,
} from './variables.ts'

/** A variable as answers have it, with the remote servers that use it. */
export type VariableRecord = VariableRow & { usedBy: ServerName[] }

export type NewVariable = Variable & { label: string }

/** What values become: another, or null for none. */
export type VariablePatch = Readonly<Record<string, VariableValue | null>>

/** Stores a new variable. */
export function createVariable(
  context: Context,
  { label, type, values }: NewVariable,
  { actor }: Write,
): VariableRecord {
  const { sql, now } = context
  const id = mintId('envvar')
  const row = { id, label, type, values, createdBy: actor, createdAt: now, updatedAt: now }
  return context.transact(() => {
    requireThere(sql, row)
    writeVariable(sql, row)
    writeAudit(sql, { actor, act: 'variables.create', target: id, detail: { label, type } }, now)
    return describe(sql, row)
  })
}

/** Changes values environment by environment; the default one stays. */
export function patchVariable(
  context: Context,
  id: string,
  patch: VariablePatch,
  { actor }: Write,
): VariableRecord {
  const { sql, now } = context
  return context.transact(() => {
    const before = requireVariable(sql, id)
    const merged = Object.entries({ ...before.values, ...patch })
    const values = Object.fromEntries(
      merged.filter((entry): entry is [string, VariableValue] => entry[1] !== null),
    )
    const row = { ...before, values, updatedAt: now }
    requireThere(sql, row)
    if (JSON.stringify(values) === JSON.stringify(before.values)) return describe(sql, before)
    writeVariable(sql, row)
    const detail = { label: row.label, environments: Object.keys(patch) }
    writeAudit(sql, { actor, act: 'variables.patch', target: id, detail }, now)
    return describe(sql, row)
  })
}

/** Takes a variable away; 409 while a remote server uses it. */
export function deleteVariable(context: Context, id: string, { actor }: Write): void {
  const { sql, now } = context
  context.transact(() => {
    const { label } = requireVariable(sql, id)
    requireUnused('variable', label, namesOfServers(remoteUsers(sql)('variable', label)))
    removeVariable(sql, id)
    writeAudit(sql, { actor, act: 'variables.delete', target: id, detail: { label } }, now)
  })
}

/** One variable; 404 for none. */
export function getVariable({ sql }: Context, id: string): VariableRecord {
  return describe(sql, requireVariable(sql, id))
}

/** Variables by label, after one. */
export function readVariables(
  { sql }: Context,
  filter: VariableFilter,
  after: string,
  limit: number,
): VariableRecord[] {
  const users = remoteUsers(sql)
  return listVariables(sql, filter, after, limit).map((row) => ({
    ...row,
    usedBy: users('variable', row.label),
  }))
}

function describe(sql: SqlStorage, row: VariableRow): VariableRecord {
  return { ...row, usedBy: remoteUsers(sql)('variable', row.label) }
}

/** Throws 422 unless there are values that can be resolved: each of the type, and of what is there. */
function requireThere(sql: SqlStorage, { type, values }: Variable): void {
  const problems: Detail[] = Object.entries(values).flatMap(([environment, value]) => {
    const message = problemOf(sql, type, value)
    return message === undefined ? [] : [{ path: `values.${environment}`, message }]
  })
  if (!Object.hasOwn(values, DEFAULT_ENVIRONMENT)) {
    problems.push({ path: `values.${DEFAULT_ENVIRONMENT}`, message: 'cannot be taken away' })
  }
  if (Object.keys(values).length > MAX_ENVIRONMENTS) {
    problems.push({ path: 'values', message: `may have ${MAX_ENVIRONMENTS} environments` })
  }
  if (problems.length > 0) throw invalid(problems)
}

function problemOf(
  sql: SqlStorage,
  type: Variable['type'],
  value: VariableValue,
): string | undefined {
  if (typeof value === 'string') {
    return type === 'string' ? undefined : `must be a ${type}, as the variable is`
  }
  if (!(type in value)) return `must be a ${type}, as the variable is`
  if ('secret' in value) {
    return isSecretThere(sql, value.secret) ? undefined : 'is no secret here'
  }
  return findAuth(sql, value.connection) ? undefined : 'is no connection here'
}
