/**
 * The variables of an organization in the database: what stands for other values in each environment
 * (`surfaces.md` B17). Their bounds are also what a list of all of them may weigh over RPC.
 */
import type { Variable, VariableType, VariableValue } from '../../handlers/variable.ts'
import { HttpError } from '../../protocol/http-error.ts'

/** Times are in ms since the epoch. */
export type VariableRow = {
  id: string
  label: string
  type: VariableType
  values: Readonly<Record<string, VariableValue>>
  createdBy: string
  createdAt: number
  updatedAt: number
}

export type VariableFilter = {
  label?: string | undefined
  /** Those that have this one, with what they have there alone. */
  environment?: string | undefined
  type?: VariableType | undefined
}

type Row = {
  id: string
  label: string
  type: VariableType
  values: string
  created_by: string
  created_at: number
  updated_at: number
}

const MAX_VARIABLES = 1000
const MAX_VALUES_CHARACTERS = 1024 * 1024 // of one, which is a row
const MAX_ALL_CHARACTERS = 4 * 1024 * 1024

/** The variable of a label, for who resolves; undefined for none. */
export function findVariable(sql: SqlStorage, label: string): Variable | undefined {
  const row = [...sql.exec<Row>('SELECT * FROM variables WHERE label = ?', label)][0]
  return row && toVariable(row)
}

/** A variable that is there; 404 otherwise. */
export function requireVariable(sql: SqlStorage, id: string): VariableRow {
  const row = [...sql.exec<Row>('SELECT * FROM variables WHERE id = ?', id)][0]
  if (row !== undefined) return toVariable(row)
  throw new HttpError(404, 'variable_not_found', `There is no variable ${id}`)
}

/** Variables by label, after one. */
export function listVariables(
  sql: SqlStorage,
  { label, environment, type }: VariableFilter,
  after: string,
  limit: number,
): VariableRow[] {
  return sql
    .exec<Row>(
      `SELECT * FROM variables WHERE label > ?1 AND (?2 IS NULL OR label = ?2)
       AND (?3 IS NULL OR EXISTS (SELECT 1 FROM json_each("values") WHERE key = ?3))
       AND (?4 IS NULL OR type = ?4) ORDER BY label LIMIT ?5`,
      after,
      label ?? null,
      environment ?? null,
      type ?? null,
      limit,
    )
    .toArray()
    .map((row) => {
      const variable = toVariable(row)
      const value = environment === undefined ? undefined : variable.values[environment]
      return environment === undefined || value === undefined
        ? variable
        : { ...variable, values: { [environment]: value } }
    })
}

/** Writes a variable, new or changed; 409 where another has its label, 413 where there is no room. */
export function writeVariable(sql: SqlStorage, variable: VariableRow): void {
  const { id, label, type, createdBy, createdAt, updatedAt } = variable
  const values = JSON.stringify(variable.values)
  const others = `SELECT COUNT(*) AS count, COALESCE(SUM(length("values")), 0) AS characters,
    COUNT(CASE label WHEN ?1 THEN 1 END) AS taken FROM variables WHERE id <> ?2`
  const { count, characters, taken } = sql
    .exec<{ count: number; characters: number; taken: number }>(others, label, id)
    .one()
  if (taken > 0) {
    throw new HttpError(409, 'variable_label_taken', `There is a variable "${label}" already`)
  }
  if (count >= MAX_VARIABLES) {
    throw new HttpError(413, 'too_many_variables', `There may be ${MAX_VARIABLES} variables`)
  }
  if (values.length > MAX_VALUES_CHARACTERS || characters + values.length > MAX_ALL_CHARACTERS) {
    const message = `Values may be ${MAX_VALUES_CHARACTERS} characters a variable, and ${MAX_ALL_CHARACTERS} in all`
    throw new HttpError(413, 'variables_too_large', message)
  }
  sql.exec(
    `INSERT INTO variables (id, label, type, "values", created_by, created_at, updated_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
     ON CONFLICT (id) DO UPDATE SET "values" = ?4, updated_at = ?7`,
    id,
    label,
    type,
    values,
    createdBy,
    createdAt,
    updatedAt,
  )
}

/** Takes a variable away. */
export function removeVariable(sql: SqlStorage, id: string): void {
  sql.exec('DELETE FROM variables WHERE id = ?', id)
}

/** The labels of the variables that stand for a secret or a connection somewhere. */
export function variablesWith(
  sql: SqlStorage,
  kind: 'secret' | 'connection',
  name: string,
): string[] {
  const query = `SELECT DISTINCT v.label FROM variables v, json_each(v."values") value
    WHERE v.type = ?1 AND value.value ->> ('$.' || ?1) = ?2 ORDER BY v.label`
  return sql
    .exec<{ label: string }>(query, kind, name)
    .toArray()
    .map(({ label }) => label)
}

function toVariable({ values, created_by, created_at, updated_at, ...row }: Row): VariableRow {
  return {
    ...row,
    values: JSON.parse(values) as VariableRow['values'],
    createdBy: created_by,
    createdAt: created_at,
    updatedAt: updated_at,
  }
}
