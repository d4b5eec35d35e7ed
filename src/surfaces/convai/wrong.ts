/**
 * What is wrong with a request, field by field, as FastAPI and pydantic say it (`convai-api.md` §7):
 * `loc` right down to indexes, the type from pydantic's own list, all fields at once up to a bound.
 */
import type * as z from 'zod'
import type { Detail } from '../../protocol/http-error.ts'

const MAX_WRONG = 100 // a body of 10,000 wrong items must not answer with megabytes
const MAX_SHOWN = 100 // characters of what was sent

export type Wrong = { type: string; loc: readonly (string | number)[]; msg: string }

/** The refusal of a request: 422, each wrong field in `detail`. */
export class Unprocessable extends Error {
  override readonly name = 'Unprocessable'
  readonly wrong: readonly Wrong[]

  constructor(wrong: readonly Wrong[]) {
    super('This request is not valid')
    this.wrong = wrong.slice(0, MAX_WRONG)
  }
}

/** The wrong fields of a failed check, below `at`. */
export function wrongIn(error: z.ZodError, at: Wrong['loc']): Wrong[] {
  const all = error.issues.flatMap((issue) => wrongOfIssue(issue, at))
  // Forms of one field often want the same of it.
  return [...new Map(all.map((wrong) => [JSON.stringify(wrong), wrong])).values()]
}

/** Wrong fields that were found by something else than a schema, their paths below a place. */
export function wrongOf(details: readonly Detail[], place: 'body' | 'query'): Wrong[] {
  return details.map(({ path, message }) => ({
    type: 'value_error',
    loc: [place, ...segmentsOf(path)],
    msg: `Value error, ${message}`,
  }))
}

/** The segments of a path as people write it: `a.b[0].c`. */
function segmentsOf(path: string): (string | number)[] {
  return [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([name, index]) =>
    index === undefined ? name : Number(index),
  )
}

function wrongOfIssue(issue: z.core.$ZodIssue, at: Wrong['loc']): Wrong[] {
  const loc = [...at, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))]
  const one = (type: string, msg: string): Wrong[] => [{ type, loc, msg }]
  if (isAbsent(issue)) return one('missing', 'Field required')
  switch (issue.code) {
    case 'invalid_type':
      return one(...typeOf(issue.expected, issue.input))
    case 'invalid_value': {
      const type = issue.values.length === 1 ? 'literal_error' : 'enum'
      return one(type, `Input should be ${alternatives(issue.values)}`)
    }
    case 'too_small':
      return one(...tooSmall(issue))
    case 'too_big':
      return one(...tooBig(issue))
    case 'invalid_format':
      return issue.format === 'regex' && issue.pattern !== undefined
        ? one('string_pattern_mismatch', `String should match pattern '${sourceOf(issue.pattern)}'`)
        : one('value_error', `Value error, ${issue.message}`)
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        type: 'extra_forbidden',
        loc: [...loc, key],
        msg: 'Extra inputs are not permitted',
      }))
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap((inner) => wrongOfIssue(inner, loc))
    case 'invalid_union':
      return wrongOfUnion(issue, loc)
    case 'custom':
    case 'not_multiple_of':
    default:
      return one('value_error', `Value error, ${issue.message}`)
  }
}

/** Of a tagged union what its tag is, of any other what each of its forms wants. */
function wrongOfUnion(issue: z.core.$ZodIssueInvalidUnion, loc: Wrong['loc']): Wrong[] {
  const { discriminator, input } = issue
  if (discriminator === undefined) {
    return issue.errors.flatMap((form) => form.flatMap((inner) => wrongOfIssue(inner, loc)))
  }
  const parent = loc.slice(0, -1) // zod names the tag itself
  const tag = (input as Readonly<Record<string, unknown>> | undefined)?.[discriminator]
  if (tag === undefined) {
    const msg = `Unable to extract tag using discriminator '${discriminator}'`
    return [{ type: 'union_tag_not_found', loc: parent, msg }]
  }
  const expected = 'options' in issue && Array.isArray(issue.options) ? issue.options : []
  const shown = (typeof tag === 'string' ? tag : JSON.stringify(tag)).slice(0, MAX_SHOWN)
  const msg =
    `Input tag '${shown}' found using '${discriminator}' does not match any of the expected ` +
    `tags: ${expected.map((option) => `'${String(option)}'`).join(', ')}`
  return [{ type: 'union_tag_invalid', loc: parent, msg }]
}

/** Whether nothing was sent where something has to be. */
function isAbsent(issue: z.core.$ZodIssue): boolean {
  const isOfValue = ['invalid_type', 'invalid_value', 'invalid_union'].includes(issue.code)
  return isOfValue && issue.input === undefined && !('discriminator' in issue)
}

function typeOf(expected: string, input: unknown): [type: string, msg: string] {
  switch (expected) {
    case 'string':
      return ['string_type', 'Input should be a valid string']
    case 'int':
      return typeof input === 'number'
        ? ['int_from_float', 'Input should be a valid integer, got a number with a fractional part']
        : ['int_type', 'Input should be a valid integer']
    case 'number': // zod tells none from the other, and what convai counts is whole
      return ['int_type', 'Input should be a valid integer']
    case 'boolean':
      return ['bool_type', 'Input should be a valid boolean']
    case 'array':
      return ['list_type', 'Input should be a valid list']
    case 'null':
      return ['none_required', 'Input should be None']
    default:
      return ['dict_type', 'Input should be a valid dictionary']
  }
}

function tooSmall(issue: z.core.$ZodIssueTooSmall): [type: string, msg: string] {
  const { origin, minimum, inclusive } = issue
  if (origin === 'string') {
    return ['string_too_short', `String should have at least ${count(minimum, 'character')}`]
  }
  if (origin === 'array') {
    return ['too_short', `List should have at least ${count(minimum, 'item')} after validation`]
  }
  return inclusive === false
    ? ['greater_than', `Input should be greater than ${minimum}`]
    : ['greater_than_equal', `Input should be greater than or equal to ${minimum}`]
}

function tooBig(issue: z.core.$ZodIssueTooBig): [type: string, msg: string] {
  const { origin, maximum, inclusive } = issue
  if (origin === 'string') {
    return ['string_too_long', `String should have at most ${count(maximum, 'character')}`]
  }
  if (origin === 'array') {
    return ['too_long', `List should have at most ${count(maximum, 'item')} after validation`]
  }
  return inclusive === false
    ? ['less_than', `Input should be less than ${maximum}`]
    : ['less_than_equal', `Input should be less than or equal to ${maximum}`]
}

/** The pattern without what JavaScript writes around it. */
function sourceOf(pattern: string): string {
  return pattern.replace(/^\/(.*)\/\w*$/s, '$1')
}

function count(amount: number | bigint, unit: string): string {
  return `${amount} ${unit}${Number(amount) === 1 ? '' : 's'}`
}

/** As Python lists them: `'a', 'b' or 'c'`. */
function alternatives(values: readonly unknown[]): string {
  const shown = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  const last = shown.pop() ?? ''
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`
}
