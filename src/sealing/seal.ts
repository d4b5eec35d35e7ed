/**
 * AES-256-GCM envelopes for what must not be read where it is stored. Text form:
 * `v1.<key id>.<iv>.<ciphertext>`, base64url. A value opens only in the place it was sealed for:
 * the place (organization, record, field) is additional data, and each purpose has a subkey by HKDF.
 */
import type { SealKey, SealKeys } from './seal-keys.ts'

const IV_BYTES = 12

export type Place = { purpose: string; path: readonly string[] }

/** A sealed value that no key of ours opens in this place: forged, moved, or its key is gone. */
export class CannotOpen extends Error {
  override readonly name = 'CannotOpen'
}

/** Seals a text with the first key. */
export async function seal(keys: SealKeys, place: Place, plain: string): Promise<string> {
  const [key] = keys
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const sealed = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: additionalData(place) },
    await subkey(key, place.purpose),
    new TextEncoder().encode(plain),
  )
  return ['v1', key.id, toBase64Url(iv), toBase64Url(new Uint8Array(sealed))].join('.')
}

/** Opens a sealed text with the key it names, or throws `CannotOpen`. */
export async function open(keys: SealKeys, place: Place, sealed: string): Promise<string> {
  const [version, id, iv, ciphertext, ...more] = sealed.split('.')
  const key = keys.find((candidate) => candidate.id === id)
  if (version !== 'v1' || iv === undefined || ciphertext === undefined || more.length > 0) {
    throw new CannotOpen('not a sealed value')
  }
  if (key === undefined) throw new CannotOpen(`no key "${id}"`)
  try {
    const plain = await crypto.subtle.decrypt(
      { name: 'AES-GCM', iv: fromBase64Url(iv), additionalData: additionalData(place) },
      await subkey(key, place.purpose),
      fromBase64Url(ciphertext),
    )
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plain)
  } catch (error) {
    throw new CannotOpen('the sealed value does not open here', { cause: error })
  }
}

/** The AES key of a purpose: one says nothing of another's. */
export async function subkey(key: SealKey, purpose: string): Promise<CryptoKey> {
  const root = await crypto.subtle.importKey('raw', key.bytes, 'HKDF', false, ['deriveKey'])
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(`rollcall/${purpose}`),
    },
    root,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt'],
  )
}

/** JSON keeps the parts apart: ["a","b/c"] and ["a/b","c"] are two places. */
function additionalData({ purpose, path }: Place): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify([purpose, ...path])) as Uint8Array<ArrayBuffer>
}

function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0))
}
