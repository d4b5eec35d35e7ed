/**
 * The arguments of a call against the tool's input schema, each violation named by its place.
 * Nothing can interrupt a pattern once it runs, so those that could run for ever are left out
 * (`design.md` §9), and no `$ref` is ever fetched: one that leads elsewhere is not checked.
 */
import {
  Validator,
  type Schema,
  type SchemaDraft,
  type ValidationResult,
} from '@cfworker/json-schema'
import { isObject } from '../protocol/json-rpc.ts'

const MAX_VIOLATIONS = 10
const MAX_PATTERN_LENGTH = 200
const MAX_COMPILED = 200 // validators an isolate keeps

/** A group with a quantifier inside that itself is repeated: `(a+)+`, `(a|b*)*`. */
const NESTED_QUANTIFIER = /\((?:[^()\\]|\\.)*[*+}](?:[^()\\]|\\.)*\)[*+{]/

const DRAFTS: ReadonlyMap<string, SchemaDraft> = new Map([
  ['http://json-schema.org/draft-07/schema', '7'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
])

const compiled = new Map<string, Validator>()

/**
 * What is wrong with the arguments, one line each, at most ten; empty when they fit. `key` names the
 * schema for as long as it does not change.
 */
export function findViolations(
  key: string,
  inputSchema: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): string[] {
  const draft = draftOf(inputSchema['$schema'])
  if (draft === undefined) return [`the tool's schema has an unsupported $schema`]
  const { valid, errors } = validate(validatorFor(key, inputSchema, draft), args)
  if (valid) return []
  const lines = errors
    // A parent repeats what its children say: keep the innermost.
    .filter(
      ({ keyword }) => !['properties', 'items', 'prefixItems', '$ref', 'allOf'].includes(keyword),
    )
    .map(({ instanceLocation, error }) => `${instanceLocation.replace(/^#/, '') || '/'}: ${error}`)
  return [...new Set(lines)].slice(0, MAX_VIOLATIONS)
}

/** The arguments with the defaults of the schema's own properties filled in. */
export function withDefaults(
  inputSchema: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties } = inputSchema
  if (!isObject(properties)) return { ...args }
  const defaults = Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && 'default' in schema && !Object.hasOwn(args, name)
      ? [[name, schema['default']] as const]
      : [],
  )
  return { ...args, ...Object.fromEntries(defaults) }
}

function validate(validator: Validator, args: unknown): Pick<ValidationResult, 'valid' | 'errors'> {
  try {
    return validator.validate(args)
  } catch (error) {
    // A `$ref` that nothing in the schema answers to; the validator has no class for it.
    const problem = `the tool's schema cannot be applied (${error instanceof Error ? error.message.split('\n')[0] : ''})`
    return {
      valid: false,
      errors: [{ keyword: '', keywordLocation: '', instanceLocation: '#', error: problem }],
    }
  }
}

function draftOf($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12'
  return typeof $schema === 'string' ? DRAFTS.get($schema.replace(/#$/, '')) : undefined
}

function validatorFor(key: string, schema: Readonly<Record<string, unknown>>, draft: SchemaDraft) {
  const known = compiled.get(key)
  if (known !== undefined) return known
  const validator = new Validator(checkable(schema) as Schema, draft, false)
  compiled.set(key, validator)
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MAX_COMPILED) break
    compiled.delete(oldest)
  }
  return validator
}

/** The schema without what cannot be checked: risky patterns, and references that lead elsewhere. */
function checkable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(checkable)
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'pattern' && typeof value === 'string' && isRisky(value)) return []
    if (key === '$ref' && typeof value === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(value)) return []
    if (key !== 'patternProperties' || !isObject(value)) return [[key, checkable(value)]]
    const safe = Object.entries(value).filter(([pattern]) => !isRisky(pattern))
    return [[key, checkable(Object.fromEntries(safe))]]
  })
  return Object.fromEntries(kept)
}

function isRisky(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN_LENGTH || NESTED_QUANTIFIER.test(pattern)) return true
  try {
    void new RegExp(pattern, 'u')
    return false
  } catch {
    return true // not a pattern at all: nothing to check by
  }
}
