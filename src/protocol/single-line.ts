/**
 * JSON on a line that every reader takes for one line: U+0085, U+2028 and U+2029 may stand in JSON as
 * they are, and some break lines at them (`surfaces.md` C29). They can only be within strings there.
 */
import { concat, encodeUtf8 } from './bytes.ts'

const BREAKS = /[\u0085\u2028\u2029]/g

/** The same JSON without them. */
export function singleLine(json: string): string {
  return json.replaceAll(BREAKS, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** The same of JSON as UTF-8; the very bytes where there is none of them. */
export function singleLineBytes(json: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = []
  let from = 0
  for (let at = nextBreak(json, 0); at < json.length; at = nextBreak(json, from)) {
    const length = json[at] === 0xc2 ? 2 : 3
    const text = new TextDecoder().decode(json.subarray(at, at + length))
    parts.push(json.subarray(from, at), encodeUtf8(singleLine(text)))
    from = at + length
  }
  return parts.length === 0 ? json : concat([...parts, json.subarray(from)])
}

/** Where the next of them begins, from a place on; the length where there is none. */
function nextBreak(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at++) {
    const byte = json[at]
    if (byte === 0xc2 && json[at + 1] === 0x85) return at
    if (byte !== 0xe2 || json[at + 1] !== 0x80) continue
    if (json[at + 2] === 0xa8 || json[at + 2] === 0xa9) return at
  }
  return json.length
}
