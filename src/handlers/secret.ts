/**
 * References to secrets. A handler never holds a secret itself, since what serves a tool is in KV and
 * in exports: it names one of the organization's (`design.md` §2).
 */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'

export const SecretName = z
  .string()
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be 1 to 64 of A-Z, a-z, 0-9, _, . and -')
  .refine((name) => name !== '__proto__', 'cannot be a member of an object')

/** A secret by its name. */
export const SecretReference = z.strictObject({ secret: SecretName })
export type SecretReference = z.infer<typeof SecretReference>

/** A text that stands in the open, or a secret. */
export const OpenOrSecret = z.union([z.string().max(8192), SecretReference])
export type OpenOrSecret = z.infer<typeof OpenOrSecret>

/** Where secrets may stand in what a tool or a remote server is reached by. */
export type Authorized = {
  auth?: Readonly<Record<string, unknown>> | undefined
  headers?: Readonly<Record<string, OpenOrSecret>> | undefined
  query?: Readonly<Record<string, OpenOrSecret>> | undefined
}

/** The names of all secrets that a request refers to; a header may itself be called `secret`. */
export function secretsOf({ auth = {}, headers = {}, query = {} }: Authorized): string[] {
  const values = [auth, headers, query].flatMap((members): unknown[] => Object.values(members))
  return [...new Set(values.filter(isSecretReference).map(({ secret }) => secret))]
}

/** Whether a value is a reference to a secret and nothing else. */
function isSecretReference(value: unknown): value is SecretReference {
  return isObject(value) && typeof value['secret'] === 'string' && Object.keys(value).length === 1
}
