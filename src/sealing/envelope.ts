/**
 * AES-256-GCM envelopes of bytes, for what is too large to be text (seal.ts). The layout, in bytes:
 *
 *   1   version; no JSON begins with it
 *   1   length of the key's id, and then the id
 *   12  iv
 *   …   ciphertext with its tag
 *
 * An envelope opens only in the place it was sealed for: that is additional data, as is all that
 * stands before the iv.
 */
import type { SealKeys } from './seal-keys.ts'
import { CannotOpen, subkey } from './seal.ts'

type Bytes = Uint8Array<ArrayBuffer>

const VERSION = 1
const ID_AT = 2
const IV_BYTES = 12

export type Envelopes = {
  /** Seals bytes with the first key. */
  seal(path: readonly string[], plain: Bytes): Promise<Bytes>
  /** Opens an envelope with the key it names, or throws `CannotOpen`. */
  open(path: readonly string[], envelope: Bytes): Promise<Bytes>
}

/** Seals and opens for one purpose; the subkeys are derived once. */
export function createEnvelopes(keys: SealKeys, purpose: string): Envelopes {
  const subkeys = new Map<string, CryptoKey>()
  const subkeyOf = async (id: string): Promise<CryptoKey> => {
    const known = subkeys.get(id)
    if (known !== undefined) return known
    const key = keys.find((candidate) => candidate.id === id)
    if (key === undefined) throw new CannotOpen('its key is not among SEAL_KEYS')
    const derived = await subkey(key, purpose)
    subkeys.set(id, derived)
    return derived
  }
  const parameters = (iv: Bytes, head: Bytes, path: readonly string[]) => {
    const place = new TextEncoder().encode(JSON.stringify([purpose, ...path]))
    return { name: 'AES-GCM', iv, additionalData: join(head, place) }
  }
  return {
    async seal(path, plain) {
      const { id } = keys[0]
      const head = join(Uint8Array.of(VERSION, id.length), new TextEncoder().encode(id))
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const key = await subkeyOf(id)
      const sealed = await crypto.subtle.encrypt(parameters(iv, head, path), key, plain)
      return join(head, iv, new Uint8Array(sealed))
    },
    async open(path, envelope) {
      const [version, idLength = 0] = envelope
      if (version !== VERSION) throw new CannotOpen('not an envelope')
      const head = envelope.subarray(0, ID_AT + idLength)
      const iv = envelope.subarray(head.length, head.length + IV_BYTES)
      const key = await subkeyOf(new TextDecoder().decode(head.subarray(ID_AT)))
      const sealed = envelope.subarray(head.length + IV_BYTES)
      try {
        return new Uint8Array(await crypto.subtle.decrypt(parameters(iv, head, path), key, sealed))
      } catch (error) {
        throw new CannotOpen('the envelope does not open here', { cause: error })
      }
    },
  }
}

function join(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
