/**
 * Rules for the header values MCP over HTTP looks at: media types by their parsed essence, and the
 * base64 form of values that a header cannot carry plainly (`mcp-protocol.md` §4.2).
 */
import { encodeUtf8 } from './bytes.ts'

const JSON_TYPE = 'application/json'

/** The `type/subtype` of a media type in lower case, without its parameters. */
export function essenceOf(mediaType: string | null): string {
  if (mediaType === JSON_TYPE) return JSON_TYPE // most
  return (mediaType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Whether a request's body says it is JSON. */
export function isJson(contentType: string | null): boolean {
  return essenceOf(contentType) === JSON_TYPE
}

const OPENING = '=?base64?'
const CLOSING = '?='
const LITERAL = /^[\t\x20-\x7e]*$/
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/**
 * The text a `Mcp-Name` or `Mcp-Param-*` header stands for; undefined when it has the base64 form
 * but not strict padded base64 of UTF-8 in it, or characters that need that form. The markers are
 * exact: anything else is literal.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!hasMarkers(value)) return LITERAL.test(value) ? value : undefined
  const encoded = value.slice(OPENING.length, -CLOSING.length)
  if (!BASE64.test(encoded)) return undefined
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // not UTF-8
  }
}

/** The header value that stands for a text: plain where a header carries it, else in base64. */
export function encodeHeaderValue(text: string): string {
  const isPlain = text !== '' && LITERAL.test(text) && text.trim() === text && !hasMarkers(text)
  if (isPlain) return text
  return (
    OPENING +
    btoa(Array.from(encodeUtf8(text), (byte) => String.fromCharCode(byte)).join('')) +
    CLOSING
  )
}

function hasMarkers(value: string): boolean {
  return (
    value.length >= OPENING.length + CLOSING.length &&
    value.startsWith(OPENING) &&
    value.endsWith(CLOSING)
  )
}
