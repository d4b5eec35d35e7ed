/**
 * References to secrets. A handler never holds a secret itself, since what serves a tool is in KV and
 * in exports: it names one of the organization's (`design.md` §2).
 */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'

export const SecretName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _, . and -')

/** A secret by its name. */
export const SecretReference = z.strictObject({ secret: SecretName })
export type SecretReference = z.infer<typeof SecretReference>

/** A text that stands in the open, or a secret. */
export const OpenOrSecret = z.union([z.string().max(8192), SecretReference])
export type OpenOrSecret = z.infer<typeof OpenOrSecret>

/** The names of all secrets that a value refers to, at whatever depth. */
export function secretsIn(value: unknown): string[] {
  const names = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(visit)
    else if (isSecretReference(node)) names.add(node.secret)
    else if (isObject(node)) Object.values(node).forEach(visit)
  }
  visit(value)
  return [...names]
}

/** Whether a value is a reference to a secret and nothing else. */
export function isSecretReference(value: unknown): value is SecretReference {
  return isObject(value) && typeof value['secret'] === 'string' && Object.keys(value).length === 1
}
