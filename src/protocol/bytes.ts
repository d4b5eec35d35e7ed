/** Text to bytes and back, and bytes together. */

const ENCODER = new TextEncoder()
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The UTF-8 bytes of a text. */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return ENCODER.encode(text) as Uint8Array<ArrayBuffer>
}

/** The text of UTF-8 bytes; undefined when they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return STRICT.decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}

/** One array of bytes from many. */
export function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const BASE64_CHUNK_BYTES = 32 * 1024 // as many arguments as a call takes

/** Bytes as padded base64. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += BASE64_CHUNK_BYTES) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BASE64_CHUNK_BYTES))
  }
  return btoa(binary)
}
