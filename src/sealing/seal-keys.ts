/**
 * The deployment's sealing keys, from the setting `SEAL_KEYS` (`id:base64,…`): the first seals, all
 * open. To rotate, a new key is put first; the old one goes once nothing is sealed by it.
 */
import * as z from 'zod'

export const KEY_BYTES = 32

export type SealKey = { id: string; bytes: Uint8Array<ArrayBuffer> }
export type SealKeys = readonly [SealKey, ...SealKey[]]

/** Reads the setting; a wrong key is refused by its place, never by its value. */
export const SealKeys = z.string().transform((text, context): SealKeys => {
  const keys: SealKey[] = []
  const refuse = (message: string) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
  for (const [index, entry] of text.split(',').entries()) {
    const [, id, encoded] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]+={0,2})\s*$/.exec(entry) ?? []
    if (id === undefined || encoded === undefined)
      return refuse(`key ${index + 1} is not id:base64`)
    if (keys.some((key) => key.id === id)) return refuse(`key id "${id}" stands twice`)
    const bytes = decodeKey(encoded)
    if (bytes === undefined) return refuse(`key "${id}" must be ${KEY_BYTES} bytes in base64`)
    keys.push({ id, bytes })
  }
  const [first, ...rest] = keys
  return first === undefined ? refuse('is empty') : [first, ...rest]
})

/** The bytes of a key in base64; undefined for what is none. */
export function decodeKey(encoded: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return bytes.length === KEY_BYTES ? bytes : undefined
  } catch {
    return undefined // not base64
  }
}
