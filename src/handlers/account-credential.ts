/**
 * The credential of an account: an object of texts that handlers refer to by `{"account":"field"}`.
 * It is sealed as a whole.
 */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'
import { SecretName } from './secret.ts'

const MAX_FIELDS = 20
const MAX_VALUE_LENGTH = 16 * 1024 // sealed, all of them fit a row of the database

const Fields = z
  .record(SecretName, z.string().min(1).max(MAX_VALUE_LENGTH))
  .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `may have ${MAX_FIELDS} members`)

/** The fields of a credential, by name, as somebody writes them. */
export const AccountCredential = Fields.refine(
  ({ client = '' }) => !namesSecret(client),
  // Else whoever has an account of its own could send any secret of the organization anywhere.
  'must have no client with a secret of the organization: only a connect link makes one',
)
export type AccountCredential = z.infer<typeof AccountCredential>

/** The fields of a credential that was opened. */
export function parseAccountCredential(text: string): AccountCredential {
  return Fields.parse(JSON.parse(text))
}

function namesSecret(client: string): boolean {
  try {
    const value: unknown = JSON.parse(client)
    return isObject(value) && 'secretName' in value
  } catch {
    return false // no JSON: no client of ours
  }
}
