/**
 * Secrets we mint (`surfaces.md` D10): a prefix for the kind, 32 random bytes in base62, and a
 * checksum, so that a mistyped one is told apart without a lookup. Only their SHA-256 is kept.
 */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const SECRET_BYTES = 32
const BODY_LENGTH = 43 // 62^43 > 2^256
const CHECKSUM_LENGTH = 6 // 62^6 > 2^32

export const KEY_KINDS = ['member', 'agent', 'server'] as const
export type KeyKind = (typeof KEY_KINDS)[number]

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  member: 'sk-rc-',
  agent: 'sk-rca-',
  server: 'rcs_',
}
const FORM = new RegExp(`^(sk-rc-|sk-rca-|rcs_)[0-9A-Za-z]{${BODY_LENGTH + CHECKSUM_LENGTH}}$`)
const KINDS = new Map(KEY_KINDS.map((kind) => [PREFIXES[kind], kind]))

/** A new key of a kind. */
export function mintKey(kind: KeyKind): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  const number = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
  const body = PREFIXES[kind] + base62(number, BODY_LENGTH)
  return body + base62(BigInt(crc32(body)), CHECKSUM_LENGTH)
}

/** The kind of key a text could be, by its form and checksum; undefined for what is none. */
export function keyKindOf(text: string): KeyKind | undefined {
  const prefix = FORM.exec(text)?.[1]
  if (prefix === undefined) return undefined
  const body = text.slice(0, -CHECKSUM_LENGTH)
  const isWhole = base62(BigInt(crc32(body)), CHECKSUM_LENGTH) === text.slice(-CHECKSUM_LENGTH)
  return isWhole ? KINDS.get(prefix) : undefined
}

function base62(number: bigint, length: number): string {
  let text = ''
  for (let rest = number; text.length < length; rest /= 62n) {
    text = (ALPHABET[Number(rest % 62n)] ?? '') + text
  }
  return text
}

function crc32(text: string): number {
  let crc = 0xff_ff_ff_ff
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xed_b8_83_20 : 0)
  }
  return (crc ^ 0xff_ff_ff_ff) >>> 0
}
