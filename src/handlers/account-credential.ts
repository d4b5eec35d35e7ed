/**
 * The credential of an account: an object of texts that handlers refer to by `{"account":"field"}`.
 * It is sealed as a whole.
 */
import * as z from 'zod'
import { SecretName } from './secret.ts'

const MAX_FIELDS = 20
const MAX_VALUE_LENGTH = 16 * 1024 // sealed, all of them fit a row of the database

/** The fields of a credential, by name. */
export const AccountCredential = z
  .record(SecretName, z.string().min(1).max(MAX_VALUE_LENGTH))
  .refine((fields) => Object.keys(fields).length <= MAX_FIELDS, `may have ${MAX_FIELDS} members`)
export type AccountCredential = z.infer<typeof AccountCredential>

/** The fields of a credential that was opened. */
export function parseAccountCredential(text: string): AccountCredential {
  return AccountCredential.parse(JSON.parse(text))
}
