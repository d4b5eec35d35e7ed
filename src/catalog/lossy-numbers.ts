/**
 * Numbers in the JSON an operator stores that JavaScript cannot hold. What would come back changed
 * is refused, since a definition is kept as it was given. The text is read by its signs, without
 * recursion and each once: it may be long, and nothing has bounded its depth yet.
 */
import type { Detail } from '../protocol/http-error.ts'
import { formatPath } from './issues.ts'

const MAX_FOUND = 100 // as many as an answer tells
const MAX_PATH = 2000 // characters of a path that are told

/** A long run of digits or an exponent: the only numbers that can be lossy. */
const MAYBE_LOSSY = /\d(?:\.?\d){15}|\d[eE][+-]?\d/

/** What places a number: brackets, commas, colons, and where strings begin. */
const SIGN = /[{}[\],:"]|-?\d[\d.eE+-]*/g

/** The numbers of a JSON text that would not come back as the value they were sent as. */
export function findLossyNumbers(text: string): Detail[] {
  const found: Detail[] = []
  if (!MAYBE_LOSSY.test(text)) return found
  for (const { number, path } of numbersOf(text)) {
    if (!MAYBE_LOSSY.test(number) || !isLossy(number)) continue
    const message = `holds ${number.slice(0, 60)}, a number that would be changed`
    const told = formatPath('', path.slice(0, MAX_PATH).map(readKey)).slice(0, MAX_PATH)
    found.push({ path: told, message })
    if (found.length === MAX_FOUND) break
  }
  return found
}

/** The numbers of a JSON text and where each stands: indexes, and keys in their quotes. */
function* numbersOf(text: string): Generator<{ number: string; path: (string | number)[] }> {
  const signs = new RegExp(SIGN)
  const path: (string | number)[] = []
  let string = ''
  for (let match = signs.exec(text); match !== null; match = signs.exec(text)) {
    const [sign] = match
    switch (sign) {
      case '"':
        signs.lastIndex = endOfString(text, match.index)
        string = text.slice(match.index, signs.lastIndex)
        break
      case ':':
        path[path.length - 1] = string
        break
      case ',':
        path[path.length - 1] = nextKey(path.at(-1))
        break
      case '{':
        path.push('')
        break
      case '[':
        path.push(0)
        break
      case '}':
      case ']':
        path.pop()
        break
      default:
        yield { number: sign, path }
    }
  }
}

/** Where the string that begins at `start` is over: past the first quote that is not escaped. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

/** What follows in an array; in an object the next colon says. */
function nextKey(key: string | number | undefined): string | number {
  return typeof key === 'number' ? key + 1 : ''
}

function readKey(key: string | number): string | number {
  return typeof key === 'number' ? key : String(JSON.parse(key))
}

function isLossy(number: string): boolean {
  const value = Number(number)
  return !Number.isFinite(value) || digitsOf(String(value)) !== digitsOf(number)
}

/** A decimal as its significant digits and the power of ten of the last: one form for each value. */
function digitsOf(decimal: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(decimal) ?? []
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = withoutTrailingZeros(digits)
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + (digits.length - significant.length)
  return `${sign}${significant}e${power}`
}

/** A pattern would try again at each zero within: a number may have millions. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length
  while (digits[end - 1] === '0') end--
  return digits.slice(0, end)
}
