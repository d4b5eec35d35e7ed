/**
 * A value against a tool's schema, the arguments of a call above all, each violation named by its
 * place. What of a schema is checked is checkable.ts's to say.
 */
import { Validator, type OutputUnit, type Schema, type SchemaDraft } from '@cfworker/json-schema'
import { pointerToken } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { checkable } from './checkable.ts'
import { TooMuchToCheck, withMeter } from './metered-schema.ts'

const MAX_VIOLATIONS = 10
const MAX_COMPILED = 200 // validators an isolate keeps
const MAX_COMPARISONS = 2000 ** 2 // for `uniqueItems` each item is compared with each

/** By `$schema` without its scheme and closing `#`; draft 06 asks nothing that 07 does not. */
const DRAFTS: ReadonlyMap<string, SchemaDraft> = new Map([
  ['json-schema.org/draft-04/schema', '4'],
  ['json-schema.org/draft-06/schema', '7'],
  ['json-schema.org/draft-07/schema', '7'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
])

/** What is applied of a schema, made when it first is, and what has to be looked at in values of it. */
type Compiled = {
  draft: SchemaDraft
  validator?: Validator
  hasDefaults: boolean
  hasUniqueItems: boolean
}

const compiled = new Map<string, Compiled>()

/**
 * What is wrong with a value, one line each, at most ten; empty when it fits. `key` names the schema
 * for as long as it does not change.
 */
export function findViolations(
  key: string,
  schema: Readonly<Record<string, unknown>>,
  value: unknown,
): string[] {
  const found = compiledFor(key, schema)
  if (found === undefined) return [`the tool's schema has an unsupported $schema`]
  if (found.hasUniqueItems && comparisonsOf(value) > MAX_COMPARISONS) {
    return ['has arrays of so many items that they cannot be compared']
  }
  const errors = findErrors(() => {
    const validator = (found.validator ??= createValidator(schema, found.draft))
    return withMeter(() => validator.validate(value).errors)
  })
  if (errors.length === 0) return []
  const lines = errors
    // A parent repeats what its children say: keep the innermost.
    .filter(
      ({ keyword }) => !['properties', 'items', 'prefixItems', '$ref', 'allOf'].includes(keyword),
    )
    .map(formatError)
  return [...new Set(lines)].slice(0, MAX_VIOLATIONS)
}

/**
 * Arguments with the schema's defaults filled in, and what is wrong with them. Defaults that do not
 * fit the schema themselves, such as null for a string, are not filled in.
 */
export function checkArguments(
  key: string,
  inputSchema: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): { args: Readonly<Record<string, unknown>>; violations: string[] } {
  const hasDefaults = compiledFor(key, inputSchema)?.hasDefaults !== false
  const filled = hasDefaults ? withDefaults(inputSchema, args) : args
  const violations = findViolations(key, inputSchema, filled)
  if (hasDefaults && violations.length > 0 && findViolations(key, inputSchema, args).length === 0) {
    return { args, violations: [] }
  }
  return { args: filled, violations }
}

/** Whether a schema is of a dialect that can be checked. */
export function isCheckable({ $schema }: Readonly<Record<string, unknown>>): boolean {
  return draftOf($schema) !== undefined
}

/** The arguments with the defaults of the schema's properties filled in, in objects that are there too. */
export function withDefaults(
  inputSchema: Readonly<Record<string, unknown>>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { properties } = inputSchema
  if (!isObject(properties)) return { ...args }
  const filled = Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
    if (!isObject(schema)) return []
    if (!Object.hasOwn(args, name)) return 'default' in schema ? [[name, schema['default']]] : []
    const value = args[name]
    return isObject(value) && isObject(schema['properties'])
      ? [[name, withDefaults(schema, value)]]
      : []
  })
  return { ...args, ...Object.fromEntries(filled) }
}

/** How many pairs of items all arrays in a value have; the value nests no deeper than 64. */
function comparisonsOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value) ? value.length ** 2 : 0
  return Object.values(value).reduce<number>((sum, inner) => sum + comparisonsOf(inner), own)
}

function findErrors(validate: () => OutputUnit[]): OutputUnit[] {
  try {
    return validate()
  } catch (error) {
    if (error instanceof TooMuchToCheck) return [schemaError(error.message)]
    // An odd `$id`, or a `$ref` that nothing answers to; the validator has no class for either.
    const problem = `the tool's schema cannot be applied (${error instanceof Error ? error.message.split('\n')[0] : ''})`
    return [schemaError(problem)]
  }
}

function schemaError(error: string): OutputUnit {
  return { keyword: '', keywordLocation: '', instanceLocation: '#', error }
}

/** One violation by the JSON pointer of its place; the root's is empty, and is not written. */
function formatError({ keyword, instanceLocation, error }: OutputUnit): string {
  const place = pointerOf(instanceLocation)
  // The validator names a missing member in its message alone.
  const missing = keyword === 'required' ? /^Instance .*"(.*)"\.$/s.exec(error)?.[1] : undefined
  if (missing !== undefined) return `${place}/${pointerToken(missing)}: is required`
  return place === '' ? error : `${place}: ${error}`
}

/** A place as its JSON pointer; the validator gives it as the fragment of a URI. */
function pointerOf(location: string): string {
  const fragment = location.replace(/^#/, '')
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment // not one, after all
  }
}

function draftOf($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12'
  return typeof $schema === 'string'
    ? DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''))
    : undefined
}

function createValidator(schema: Readonly<Record<string, unknown>>, draft: SchemaDraft): Validator {
  return new Validator(checkable(schema, draft) as Schema, draft, false)
}

/** Undefined for a schema of a dialect that is not checked. */
function compiledFor(key: string, schema: Readonly<Record<string, unknown>>): Compiled | undefined {
  const known = compiled.get(key)
  if (known !== undefined) return known
  const draft = draftOf(schema['$schema'])
  if (draft === undefined) return undefined
  const text = JSON.stringify(schema)
  const made: Compiled = {
    draft,
    hasDefaults: text.includes('"default":'),
    hasUniqueItems: text.includes('"uniqueItems":true'),
  }
  compiled.set(key, made)
  for (const oldest of compiled.keys()) {
    if (compiled.size <= MAX_COMPILED) break
    compiled.delete(oldest)
  }
  return made
}
