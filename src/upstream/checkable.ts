/**
 * What of a tool's schema can be checked: not a pattern that could run for ever (`design.md` §9),
 * nor a `$ref` that leads elsewhere, since none is ever fetched. What is left out makes a schema
 * accept more than it says; so whatever would refuse more by that, such as a `not`, goes with it.
 */
import type { SchemaDraft } from '@cfworker/json-schema'
import { isObject } from '../protocol/json-rpc.ts'
import { metered } from './metered-schema.ts'
import { isQuick, quickened } from './quick-pattern.ts'

const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default'])
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'items', 'prefixItems'])
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions'])
const MAPS: ReadonlySet<string> = new Set([
  ...DEFINITIONS,
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
])

/** What says which members or items of a value are known, beside what names them itself. */
const IN_PLACE = [
  '$ref',
  '$recursiveRef',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'patternProperties',
]

/** Keywords that may refuse more where others accept more, and those others. */
const CAUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['not', ['not']],
  ['oneOf', ['oneOf']],
  ['if', ['if']],
  ['maxContains', ['contains']],
  ['additionalProperties', ['patternProperties']],
  ['unevaluatedProperties', IN_PLACE],
  ['unevaluatedItems', IN_PLACE],
])

/** A `$ref` into a keyword that may have been left out. */
const INTO_CAUSED =
  /\/(?:not|oneOf|if|additionalProperties|unevaluated\w+|patternProperties)(?:\/|$)/

type Reading = { draft: SchemaDraft; trustsRefs: boolean }

/** What is left of a schema or keyword, undefined for nothing, and whether that says all it said. */
type Part = { left: unknown; isExact: boolean }

const NOTHING: Part = { left: undefined, isExact: false }

/** A copy of the schema without what cannot be checked; it refuses nothing that fits the whole. */
export function checkable(schema: unknown, draft: SchemaDraft): unknown {
  const whole = loosened(schema, { draft, trustsRefs: true })
  if (whole.isExact) return whole.left
  // What was left out may be where a `$ref` leads.
  return loosened(schema, { draft, trustsRefs: false }).left
}

function loosened(schema: unknown, reading: Reading): Part {
  if (!isObject(schema)) return { left: schema, isExact: true }
  const parts = new Map<string, Part>()
  for (const [keyword, value] of Object.entries(schema)) {
    parts.set(keyword, loosenedKeyword(keyword, value, reading))
  }
  const isExact = (keyword: string) => parts.get(keyword)?.isExact !== false
  // In draft 07 nothing that stands beside a `$ref` counts.
  const isBare = reading.draft === '7' && '$ref' in schema && parts.get('$ref')?.left === undefined
  const isKept = (keyword: string) =>
    isBare ? DEFINITIONS.has(keyword) : (CAUSES.get(keyword)?.every(isExact) ?? true)
  const { left, isExact: isWhole } = joined(parts, isKept)
  return { left: metered(left), isExact: isWhole }
}

function loosenedKeyword(keyword: string, value: unknown, reading: Reading): Part {
  if (typeof value === 'string') return loosenedText(keyword, value, reading)
  if (DATA.has(keyword)) return { left: value, isExact: true }
  if (Array.isArray(value) && LISTS.has(keyword)) {
    const parts = value.map((schema) => loosened(schema, reading))
    return { left: parts.map(({ left }) => left), isExact: parts.every((part) => part.isExact) }
  }
  if (!isObject(value) || !MAPS.has(keyword)) return loosened(value, reading)
  const parts = Object.entries(value).map(([name, schema]): [string, Part] => {
    const isLeftOut = keyword === 'patternProperties' && !isQuick(name)
    return [name, isLeftOut ? NOTHING : loosened(schema, reading)]
  })
  return joined(new Map(parts))
}

function loosenedText(keyword: string, value: string, { trustsRefs }: Reading): Part {
  if (keyword === 'pattern') {
    return { left: isQuick(value) ? value : quickened(value), isExact: isQuick(value) }
  }
  if (keyword === '$dynamicRef') return NOTHING // which the validator does not know
  if (keyword === 'format' && value === 'url') return NOTHING // its pattern can run for ever
  if (keyword === '$ref' && !value.startsWith('#')) return NOTHING
  if (keyword !== '$ref' && keyword !== '$recursiveRef') return { left: value, isExact: true }
  if (trustsRefs) return { left: value, isExact: true }
  return { left: INTO_CAUSED.test(value) ? undefined : value, isExact: false }
}

function joined(parts: ReadonlyMap<string, Part>, isKept: (name: string) => boolean = () => true) {
  const left = [...parts].filter(([name, part]) => part.left !== undefined && isKept(name))
  return {
    left: Object.fromEntries(left.map(([name, part]) => [name, part.left])),
    isExact: [...parts.values()].every((part) => part.isExact),
  }
}
