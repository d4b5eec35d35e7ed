/**
 * The key that names are HMACs with, from the setting `NAME_KEY` (base64, 32 bytes). It never
 * rotates: under another key nothing is found again that KV and the objects hold.
 */
import * as z from 'zod'
import { decodeKey, KEY_BYTES } from './seal-keys.ts'

/** Reads the setting; empty is none, and a wrong one is refused without its value. */
export const NameKey = z
  .string()
  .optional()
  .transform((text, context): Uint8Array<ArrayBuffer> | undefined => {
    if (text === undefined || text === '') return undefined
    const bytes = decodeKey(text.trim())
    if (bytes !== undefined) return bytes
    context.addIssue({ code: 'custom', message: `must be ${KEY_BYTES} bytes in base64` })
    return z.NEVER
  })
