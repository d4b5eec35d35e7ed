/** What of a JSON answer is kept, and the text made of it: `response` of an HTTP handler. */
import type { ResponseShape } from '../../handlers/http.ts'
import { tokensOf } from '../../protocol/json-pointer.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import { CallFailed } from './call.ts'

/** Many pointers to a long value make a text far longer than both. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024
const PLACEHOLDER = /\{((?:\/(?:[^~/{}]|~[01])*)+)\}/g

/** What a shape keeps of a value; `CallFailed` where the value has not what it begins at. */
export function keep(value: unknown, { pointer = '', fields }: ResponseShape): unknown {
  const start = valueAt(value, tokensOf(pointer))
  if (start === undefined) throw new CallFailed(`The answer has nothing at ${pointer}`)
  return fields === undefined ? start : pick(start, fields.map(tokensOf))
}

/** A text with `{/json/pointer}` filled in, nothing for one that leads nowhere. */
export function fillText(template: string, value: unknown): string {
  let length = 0
  return template.replaceAll(PLACEHOLDER, (_, pointer: string) => {
    const found = valueAt(value, tokensOf(pointer))
    if (found === undefined) return ''
    const text = typeof found === 'string' ? found : JSON.stringify(found)
    length += text.length
    if (length > MAX_TEXT_LENGTH) throw new CallFailed(`What is at ${pointer} is too long`)
    return text
  })
}

function valueAt(value: unknown, tokens: readonly string[]): unknown {
  return tokens.reduce<unknown>((at, token) => memberOf(at, token), value)
}

function memberOf(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return isIndex(token) ? value[Number(token)] : undefined
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

function isIndex(token: string): boolean {
  return /^(?:0|[1-9]\d{0,9})$/.test(token)
}

/**
 * The value with only what the paths lead to, in its old shape. In a list a path takes one item by
 * its number, or else goes on in each item; what is not there is left out.
 */
function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return value
  if (Array.isArray(value)) {
    const numbered = paths.filter(([token = '']) => isIndex(token))
    const ofEach = paths.filter(([token = '']) => !isIndex(token))
    return value.flatMap((item: unknown, index) => {
      const own = numbered.filter(([token]) => token === String(index)).map((path) => path.slice(1))
      const all = [...own, ...ofEach]
      return all.length === 0 ? [] : [pick(item, all)]
    })
  }
  if (!isObject(value)) return value
  const byToken = Map.groupBy(paths, ([token = '']) => token)
  return Object.fromEntries(
    [...byToken].flatMap(([token, own]) => {
      const member = memberOf(value, token)
      const rest = own.map((path) => path.slice(1))
      return member === undefined ? [] : [[token, pick(member, rest)] as const]
    }),
  )
}
