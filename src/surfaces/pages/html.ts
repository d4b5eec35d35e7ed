/**
 * HTML that is made of literal text and of values, every one of them escaped: the one way in which a
 * page is written. A value stands in text or in a quoted attribute, never in a script or a style; and
 * what in it would not be seen, or turn the text around it, is shown as its code.
 */
import { escapeHidden } from '../../catalog/hidden-characters.ts'

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** What may stand in a template; `undefined` is nothing. */
export type HtmlValue = string | number | Html | readonly Html[] | undefined

/** Text that is HTML already: a class, since no value from outside can be one of it. */
export class Html {
  readonly #text: string

  constructor(literals: readonly string[], values: readonly HtmlValue[]) {
    this.#text = literals.map((literal, n) => literal + formatValue(values[n])).join('')
  }

  toString(): string {
    return this.#text
  }
}

/** The HTML of a template, its values escaped. */
export function html(literals: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(literals, values)
}

function formatValue(value: HtmlValue): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.toString()
  if (Array.isArray(value)) return value.map(formatValue).join('')
  return escapeHidden(String(value)).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
