/**
 * The opened secrets of one call: revealed where the request is made, and taken out again of all
 * that comes back, in each form in which an upstream may repeat them.
 */
import { keyOfReference, type OpenOrSecret, type Reference } from '../handlers/secret.ts'
import { BoundedMap } from '../memory/bounded-map.ts'
import { encodeBase64, encodeUtf8 } from '../protocol/bytes.ts'
import { isObject } from '../protocol/json-rpc.ts'

const REDACTED = '[REDACTED]'
/** Below this an answer may well have the same text by chance; in an error it is taken out still. */
const MIN_REDACTED_LENGTH = 6

const FORMS_BYTES = 1024 * 1024

const formsOfSecrets = new BoundedMap<readonly string[]>(FORMS_BYTES)

/** A secret that a request needs and the organization or the account has not; the message names it. */
export class MissingSecret extends Error {
  override readonly name = 'MissingSecret'
}

export class OpenedSecrets {
  readonly #values: ReadonlyMap<string, string>
  /** All forms, the longest first, so that nothing of one is left by another that is part of it. */
  #forms: readonly string[] = []
  readonly #texts: string[] = []

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values
  }

  /** The text of a value that is open or a secret; `MissingSecret` where there is none. */
  reveal(value: OpenOrSecret): string {
    if (typeof value === 'string') return value
    const text = this.#values.get(keyOfReference(value))
    if (text === undefined) throw new MissingSecret(`${nameOf(value)} is not set`)
    this.hide(text)
    return text
  }

  /** Counts another text as secret from here on, such as a token. */
  hide(text: string): void {
    if (text === '' || this.#texts.includes(text)) return
    this.#texts.push(text)
    const forms = formsOf(text)
    this.#forms = this.#forms.length === 0 ? forms : longestFirst([...this.#forms, ...forms])
  }

  /** How long the longest form of a secret is; 0 where none was revealed. */
  get longest(): number {
    return this.#forms[0]?.length ?? 0
  }

  /** Whether none of them can be in a JSON text, however its strings are written. */
  areMissingIn(json: string): boolean {
    return this.#forms.length === 0 || (!json.includes('\\') && this.redact(json) === json)
  }

  /** A text of an error without any secret. */
  redactError(text: string): string {
    return this.#redact(text, 1)
  }

  /** A text of a result without any secret that is no likely word. */
  redact(text: string): string {
    return this.#redact(text, MIN_REDACTED_LENGTH)
  }

  /** The same in all texts of a JSON value, names of members too; the value itself if none has any. */
  redactDeep(value: unknown): unknown {
    if (this.#forms.length === 0) return value
    if (typeof value === 'string') return this.redact(value)
    if (typeof value === 'number') {
      const text = String(value)
      return this.redact(text) === text ? value : REDACTED
    }
    if (Array.isArray(value)) {
      const items = value.map((item) => this.redactDeep(item))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isObject(value)) return value
    const before = Object.entries(value)
    const after = before.map(([key, item]) => [this.redact(key), this.redactDeep(item)] as const)
    const isSame = after.every(
      ([key, item], index) => key === before[index]?.[0] && item === before[index][1],
    )
    return isSame ? value : Object.fromEntries(after)
  }

  #redact(text: string, least: number): string {
    let clean = text
    for (const form of this.#forms) {
      if (form.length >= least && clean.includes(form)) clean = clean.replaceAll(form, REDACTED)
    }
    return clean
  }
}

/** How a secret is named to people. */
export function nameOf(reference: Reference): string {
  return 'secret' in reference
    ? `The secret "${reference.secret}" of this organization`
    : `The credential "${reference.account}" of an account`
}

function longestFirst(forms: readonly string[]): readonly string[] {
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length)
}

/** How an upstream may write a secret; made once for each, as a call with one would wait for it. */
function formsOf(text: string): readonly string[] {
  const known = formsOfSecrets.get(text)
  if (known !== undefined) return known
  const form = new URLSearchParams({ '': text }).toString().slice(1)
  const forms = [text, form, JSON.stringify(text).slice(1, -1), encodeBase64(encodeUtf8(text))]
  if (text.isWellFormed()) forms.push(encodeURIComponent(text))
  const sorted = longestFirst(forms)
  formsOfSecrets.set(text, sorted, 2 * forms.length * 2 * text.length)
  return sorted
}

/** `Authorization: Basic` of a name and a password, which counts as secret itself. */
export function basicCredentials(
  secrets: OpenedSecrets,
  username: OpenOrSecret,
  password: OpenOrSecret,
): string {
  const pair = encodeBase64(encodeUtf8(`${secrets.reveal(username)}:${secrets.reveal(password)}`))
  secrets.hide(pair)
  return `Basic ${pair}`
}
