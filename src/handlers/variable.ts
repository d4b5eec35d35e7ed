/** What a variable of an organization is: one value for each environment (`surfaces.md` B17). */
import * as z from 'zod'
import { SecretName } from './secret.ts'

/** What a value is where an environment has none of its own. */
export const DEFAULT_ENVIRONMENT = 'production'

/** The id of an auth connection. */
export const ConnectionId = z.string().regex(/^ac_[0-9a-f]{20}$/, 'must be the id of a connection')

export const VariableValue = {
  string: z.string().max(8192),
  secret: z.strictObject({ secret: SecretName }),
  connection: z.strictObject({ connection: ConnectionId }),
}
export type VariableType = keyof typeof VariableValue
export type VariableValue = string | { secret: string } | { connection: string }

/** The values of a variable, all of its type, by the names of environments. */
export type Variable = {
  type: VariableType
  values: Readonly<Record<string, VariableValue>>
}

/** The value of a variable in an environment; undefined where it has none there and no default. */
export function valueIn({ values }: Variable, environment: string): VariableValue | undefined {
  const name = Object.hasOwn(values, environment) ? environment : DEFAULT_ENVIRONMENT
  return Object.hasOwn(values, name) ? values[name] : undefined
}
