/**
 * Characters in the texts of a definition that a person who reads it does not see: zero-width ones,
 * those that turn the direction of text, tags, fillers, controls. A model reads them all the same.
 */
import * as z from 'zod'
import { pointerToken } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'

const MAX_PLACES = 20
const MAX_CODE_POINTS = 10 // told of one place
const MAX_PLACE_LENGTH = 300

export const HiddenCharacters = z.strictObject({
  path: z.string().meta({ description: 'JSON pointer to the text, or to the member so named' }),
  codePoints: z.array(z.string()).meta({ description: 'The first of them, such as U+200B' }),
  count: z.int(),
})
export type HiddenCharacters = z.infer<typeof HiddenCharacters>

/** Format characters, those that are drawn as nothing, and controls that are no white space. */
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?![\t\n\r])\p{Cc}/gu
/** What makes one emoji of several characters. */
const EMOJI =
  /\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?(?:\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)*/gu

/** Where in a JSON value such characters stand, in texts and in names of members, up to a bound. */
export function hiddenCharacters(value: unknown): HiddenCharacters[] {
  const found: HiddenCharacters[] = []
  const left: { path: string; value: unknown }[] = [{ path: '', value }]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (found.length === MAX_PLACES) return found
    const { path } = next
    if (typeof next.value === 'string') note(path, next.value, found)
    else if (Array.isArray(next.value) || isObject(next.value)) {
      for (const [name, inner] of Object.entries(next.value).toReversed()) {
        const at = `${path}/${pointerToken(name)}`.slice(0, MAX_PLACE_LENGTH)
        note(at, name, found)
        left.push({ path: at, value: inner })
      }
    }
  }
  return found
}

/** A JSON text with every such character escaped, so that who reads it sees what is there. */
export function escapeHidden(json: string): string {
  return json.replaceAll(HIDDEN, (character) =>
    Array.from({ length: character.length }, (_, n) => {
      const unit = character.charCodeAt(n).toString(16)
      return `\\u${unit.padStart(4, '0')}`
    }).join(''),
  )
}

function note(path: string, text: string, found: HiddenCharacters[]): void {
  const hidden = text.replaceAll(EMOJI, '').match(HIDDEN)
  if (hidden === null || found.length === MAX_PLACES) return
  const codePoints = [...new Set(hidden)].slice(0, MAX_CODE_POINTS).map(codePoint)
  found.push({ path, codePoints, count: hidden.length })
}

function codePoint(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${hex.padStart(4, '0')}`
}
