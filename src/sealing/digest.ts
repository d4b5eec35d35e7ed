/** SHA-256 as lower-case hex: of definitions, so each is stored once, and of credentials. */
import { createHash, createHmac } from 'node:crypto'

/** The SHA-256 of a text's UTF-8 bytes, as 64 hex digits. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** The SHA-256 of bytes, as 64 hex digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The HMAC-SHA-256 of a text under a key, as 64 hex digits. */
export function hmacOf(key: string | Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
