/**
 * References to secrets. A handler never holds a secret itself, since what serves a tool is in KV and
 * in exports: it names one of the organization's, or a field of the credential of the account that a
 * call is made with (`design.md` §2, §3).
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

/** A field of the account's credential, by its name. */
const AccountReference = z.strictObject({ account: SecretName })

/** A variable's label: what stands for other values in each environment (`surfaces.md` B17). */
export const VariableLabel = z
  .string()
  .regex(/^[A-Za-z0-9_]{1,100}$/, 'must be 1 to 100 of A-Z, a-z, 0-9 and _')
  .refine((label) => label !== '__proto__', 'cannot be a member of an object')

/** A variable of the organization, by its label. */
export const VariableReference = z.strictObject({ variable: VariableLabel })
export type VariableReference = z.infer<typeof VariableReference>

/** A value that is to be sealed. */
export const SecretText = z
  .string()
  .min(1)
  .max(64 * 1024)

/** A secret of the organization, or of the account. */
export const Reference = z.union([SecretReference, AccountReference], {
  error: 'must be {"secret":"name"} or {"account":"field"}',
})
export type Reference = z.infer<typeof Reference>

/** A text that stands in the open, or a secret. */
export const OpenOrSecret = z.union([z.string().max(8192), SecretReference, AccountReference])
export type OpenOrSecret = z.infer<typeof OpenOrSecret>

type Members = Readonly<Record<string, unknown>>

/** Where secrets may stand in what a tool or a remote server is reached by. */
export type Authorized = {
  url?: unknown
  auth?: Members | undefined
  headers?: Members | undefined
  query?: Members | undefined
  meta?: Members | undefined
}

/** The names of all secrets that a request refers to; a header may itself be called `secret`. */
export function secretsOf(authorized: Authorized): string[] {
  return namesIn(authorized, 'secret')
}

/** Whether a request refers to the credential of an account. */
export function usesAccount(authorized: Authorized): boolean {
  return namesIn(authorized, 'account').length > 0
}

/** What an opened value is found by: the name of a secret, or `account:` and the field. */
export function keyOfReference(reference: Reference): string {
  return 'secret' in reference ? reference.secret : keyOfField(reference.account)
}

/** The fields of the account's credential that a request refers to. */
export function accountFieldsOf(authorized: Authorized): string[] {
  return namesIn(authorized, 'account')
}

/** The key of a field of the account's credential; no secret is called so. */
export function keyOfField(field: string): string {
  return `account:${field}`
}

/** Whether a remote server is reached by what differs by environment or is kept in a connection. */
export function usesVariables({ url, auth, headers, meta }: Authorized): boolean {
  const isTemplate = typeof url === 'string' && url.includes('{{')
  return (
    isTemplate ||
    auth?.['type'] === 'connection' ||
    namesIn({ headers, meta }, 'variable').length > 0
  )
}

/** The names in all values that are a reference of this kind and nothing else. */
function namesIn(
  { url, auth = {}, headers = {}, query = {}, meta = {} }: Authorized,
  kind: 'secret' | 'account' | 'variable',
): string[] {
  // Parameters and claims are texts alone, whatever they are called.
  const { headers: ofRequest, params: _p, claims: _c, ...ofAuth } = auth
  const ofToken = isObject(ofRequest) ? ofRequest : {}
  const values = [{ url }, ofAuth, ofToken, headers, query, meta].flatMap((members): unknown[] =>
    Object.values(members),
  )
  const names = values.flatMap((value) => {
    const name = isObject(value) && Object.keys(value).length === 1 ? value[kind] : undefined
    return typeof name === 'string' ? [name] : []
  })
  return [...new Set(names)]
}
