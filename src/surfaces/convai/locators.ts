/**
 * How convai refers to what is kept elsewhere, and our own words for it: `{"secret_id"}` is `{"secret"}`,
 * `{"env_var_label"}` is `{"variable"}`. A dynamic variable is of a conversation, which is not held here:
 * it is kept for the platform that asks.
 */
import * as z from 'zod'
import { ConnectionId } from '../../handlers/variable.ts'
import { SecretName, VariableLabel } from '../../handlers/secret.ts'

export const SecretLocator = z.object({ secret_id: SecretName })
export type SecretLocator = z.infer<typeof SecretLocator>

export const VariableLocator = z.object({ env_var_label: VariableLabel })
export type VariableLocator = z.infer<typeof VariableLocator>

export const DynamicVariable = z.object({ variable_name: z.string().min(1).max(200) })
export type DynamicVariable = z.infer<typeof DynamicVariable>

/** An auth connection, or the variable that says which one it is in an environment. */
export const ConnectionLocator = z.union([
  z.object({ auth_connection_id: ConnectionId }),
  VariableLocator,
])
export type ConnectionLocator = z.infer<typeof ConnectionLocator>

type Scalar = string | number | boolean
/** A value of a header or of `_meta`, as convai has it. */
export type Value<T extends Scalar> = T | SecretLocator | VariableLocator | DynamicVariable
type Sent<T extends Scalar> = T | { secret: string } | { variable: string }

/** What of some values is sent from here, and what waits for a conversation; absent where none does. */
export function partValues<T extends Scalar>(values: Readonly<Record<string, Value<T>>>) {
  const sent: [string, Sent<T>][] = []
  const dynamic: [string, DynamicVariable][] = []
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'object') sent.push([name, value])
    else if ('variable_name' in value) dynamic.push([name, value])
    else if ('secret_id' in value) sent.push([name, { secret: value.secret_id }])
    else sent.push([name, { variable: value.env_var_label }])
  }
  return {
    sent: sent.length > 0 ? Object.fromEntries(sent) : undefined,
    dynamic: dynamic.length > 0 ? Object.fromEntries(dynamic) : undefined,
  }
}

/** The values that were parted, in convai's words; one that is sent goes before one that waits. */
export function joinValues<T extends Scalar>(
  sent: Readonly<Record<string, Sent<T> | { account: string }>> = {},
  dynamic: Readonly<Record<string, DynamicVariable>> = {},
): Record<string, Value<T>> {
  const values = Object.entries(sent).flatMap(([name, value]): [string, Value<T>][] => {
    if (typeof value !== 'object') return [[name, value]]
    if ('secret' in value) return [[name, { secret_id: value.secret }]]
    // One of an account is of servers that convai does not show.
    return 'variable' in value ? [[name, { env_var_label: value.variable }]] : []
  })
  return { ...dynamic, ...Object.fromEntries(values) }
}
