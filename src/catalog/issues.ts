/**
 * What is wrong with an input, field by field: zod's issues in our words, with paths as people
 * write them (`tools[3].inputSchema.type`). Everything wrong is told at once, up to a bound.
 */
import * as z from 'zod'
import { HttpError, type Detail } from '../protocol/http-error.ts'

const UNSAID = 'Invalid input' // what zod says where a schema has no words of its own
const MAX_DETAILS = 100 // a file of 10,000 wrong tools must not answer with megabytes

/** Checks a value, or throws 422 with each wrong field below `at`. */
export function requireValid<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const checked = schema.safeParse(value, { reportInput: true })
  if (checked.success) return checked.data
  throw invalid(detailsOf(checked.error, at))
}

/** The wrong fields of a failed check, their paths below `at`. */
export function detailsOf(error: z.ZodError, at = ''): Detail[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        path: formatPath(at, [...issue.path, key]),
        message: 'is not a known member',
      }))
    }
    return [{ path: formatPath(at, issue.path), message: messageOf(issue) }]
  })
}

/** The refusal of an input: 422, every wrong field named. */
export function invalid(details: readonly Detail[]): HttpError {
  const [first] = details
  const more = details.length > 1 ? `, and ${details.length - 1} more` : ''
  return new HttpError(422, 'invalid', `${first?.path} ${first?.message}${more}`.trim(), {
    details: details.slice(0, MAX_DETAILS),
  })
}

/** A path as people write it, below `at`. */
export function formatPath(at: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`
    return text === '' ? String(key) : `${text}.${String(key)}`
  }, at)
}

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'is missing' : `must be ${article(issue.expected)}`
  }
  if (issue.code === 'invalid_value') {
    return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`
  }
  if (issue.code === 'too_small')
    return `must be ${unit(issue.origin, `at least ${issue.minimum}`)}`
  if (issue.code === 'too_big') return `must be ${unit(issue.origin, `at most ${issue.maximum}`)}`
  if (issue.code === 'invalid_union' && 'options' in issue && issue.options) {
    return `must be ${issue.options.map((option) => JSON.stringify(option)).join(' or ')}`
  }
  if (issue.code === 'invalid_union' && issue.message === UNSAID) {
    return 'has none of the allowed forms'
  }
  return issue.message
}

function article(expected: string): string {
  if (expected === 'int') return 'an integer'
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}

function unit(origin: string, amount: string): string {
  if (origin === 'string') return `${amount} characters`
  if (origin === 'array') return `${amount} items`
  return amount
}
