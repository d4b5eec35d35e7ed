/**
 * How one JSON Schema differs from another, place by place: whether each takes more or less than
 * before (`surfaces.md` D18). What cannot be judged by itself is `changed`. Schemas that are not
 * equal as JSON differ somewhere.
 */
import { pointerToken } from '../protocol/json-pointer.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { canonicalJson } from '../sealing/canonical.ts'

export type Turn = 'added' | 'removed' | 'narrowed' | 'widened' | 'changed'

/** A place in a schema (a JSON pointer), what it was and what it is; either may be absent. */
export type Difference = { path: string; change: Turn; from?: unknown; to?: unknown }

/** Takes a difference; true when no more are wanted. */
export type Tell = (difference: Difference) => boolean

type Members = Readonly<Record<string, unknown>>
type Compare = (before: unknown, after: unknown, path: string, tell: Tell) => boolean

/** What all types take; a number that is no integer is a fraction here. */
const ANY_TYPE = ['null', 'boolean', 'object', 'array', 'string', 'integer', 'fraction']

const COMPARE: ReadonlyMap<string, Compare> = new Map<string, Compare>([
  [
    'type',
    (before, after, ...at) =>
      judged(before, after, turnOfSets(typesOf(before), typesOf(after)), ...at),
  ],
  ['enum', allowedValues],
  ['const', allowedValues],
  ['required', requiredNames],
  ...alike(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'], bound(1)),
  ...alike(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'], bound(-1)),
  ['multipleOf', multiple],
  ...alike(['pattern', 'uniqueItems', 'contains', 'not', 'dependentRequired'], restriction),
  ...alike(
    [
      'additionalProperties',
      'unevaluatedProperties',
      'additionalItems',
      'unevaluatedItems',
      'propertyNames',
    ],
    innerSchema,
  ),
  [
    'items',
    (before, after, path, tell) =>
      Array.isArray(before) || Array.isArray(after)
        ? placed(before, after, path, tell)
        : innerSchema(before, after, path, tell),
  ],
  ...alike(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'], named),
  ...alike(['prefixItems', 'allOf', 'anyOf'], placed),
])

/** Tells each difference of two schemas; true when no more are wanted. */
export function compareSchemas(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  if (!isObject(before) || !isObject(after)) return compareWhole(before, after, path, tell)
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  for (const name of names) {
    const [old, now] = [memberOf(before, name), memberOf(after, name)]
    const compare = COMPARE.get(name) ?? unjudged
    if (compare(old, now, `${path}/${pointerToken(name)}`, tell)) return true
  }
  return false
}

/** Schemas of which one is true or false: they take everything, or nothing. */
function compareWhole(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  if (isSame(before, after)) return false
  if (takesAll(before) && takesAll(after)) return unjudged(before, after, path, tell)
  const isNarrowed = takesAll(before) || after === false
  const isWidened = takesAll(after) || before === false
  const isSchema = [before, after].every((each) => typeof each === 'boolean' || isObject(each))
  const turn = isNarrowed ? 'narrowed' : isWidened ? 'widened' : 'changed'
  return tell({ path, change: isSchema ? turn : 'changed', ...fromTo(before, after) })
}

function takesAll(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0)
}

/** A schema that takes everything where it is absent. */
function innerSchema(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  if (before === undefined || after === undefined) {
    const isOpen = takesAll(before ?? after)
    return judged(before, after, isOpen ? 'changed' : presence(before), path, tell)
  }
  return compareSchemas(before, after, path, tell)
}

/** Schemas by name, such as those of properties. */
function named(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  const [old, now] = [before ?? {}, after ?? {}]
  if (!isObject(old) || !isObject(now)) return unjudged(before, after, path, tell)
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  if (names.size === 0) return unjudged(before, after, path, tell)
  for (const name of names) {
    const [from, to] = [memberOf(old, name), memberOf(now, name)]
    const at = `${path}/${pointerToken(name)}`
    const isOver =
      from === undefined || to === undefined
        ? tell({ path: at, change: from === undefined ? 'added' : 'removed', ...fromTo(from, to) })
        : compareSchemas(from, to, at, tell)
    if (isOver) return true
  }
  return false
}

/** Schemas by place; lists of other lengths are not compared within. */
function placed(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  if (!Array.isArray(before) || !Array.isArray(after) || before.length !== after.length) {
    return unjudged(before, after, path, tell)
  }
  return before.some((old, index) => compareSchemas(old, after[index], `${path}/${index}`, tell))
}

function allowedValues(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  const isConst = path.endsWith('/const')
  const setOf = (value: unknown) => (isConst ? [value] : Array.isArray(value) ? value : undefined)
  if (before === undefined || after === undefined) {
    return judged(before, after, presence(before), path, tell)
  }
  return judged(before, after, turnOfSets(setOf(before), setOf(after)), path, tell)
}

/** Each name that is required more is less that is taken. */
function requiredNames(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  const listOf = (value: unknown) =>
    Array.isArray(value) ? value : value === undefined ? [] : undefined
  return judged(before, after, turnOfSets(listOf(after), listOf(before)), path, tell)
}

/** A number that takes less the more it goes in a direction. */
function bound(direction: 1 | -1): Compare {
  return (before, after, ...at) => {
    if (before === undefined || after === undefined) {
      return judged(before, after, presence(before), ...at)
    }
    if (typeof before !== 'number' || typeof after !== 'number')
      return unjudged(before, after, ...at)
    const turn = (after - before) * direction > 0 ? 'narrowed' : 'widened'
    return judged(before, after, turn, ...at)
  }
}

function multiple(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  if (typeof before !== 'number' || typeof after !== 'number') {
    return restriction(before, after, path, tell)
  }
  const turn = after % before === 0 ? 'narrowed' : before % after === 0 ? 'widened' : 'changed'
  return judged(before, after, turn, path, tell)
}

/** What takes less than its absence, and cannot be compared with another of its kind. */
function restriction(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  const isOff = (value: unknown) => value === undefined || value === false
  const turn = isOff(before) ? 'narrowed' : isOff(after) ? 'widened' : 'changed'
  return judged(before, after, isOff(before) && isOff(after) ? 'changed' : turn, path, tell)
}

function unjudged(before: unknown, after: unknown, path: string, tell: Tell): boolean {
  return judged(before, after, 'changed', path, tell)
}

/** Tells of a turn, where the two are other at all. */
function judged(before: unknown, after: unknown, change: Turn, path: string, tell: Tell): boolean {
  return isSame(before, after) ? false : tell({ path, change, ...fromTo(before, after) })
}

/** What a set becomes with another in its place; undefined for what is no set. */
function turnOfSets(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): Turn {
  if (before === undefined || after === undefined) return 'changed'
  const [old, now] = [textsOf(before), textsOf(after)]
  const isLess = [...now].every((text) => old.has(text))
  const isMore = [...old].every((text) => now.has(text))
  if (isLess === isMore) return 'changed'
  return isLess ? 'narrowed' : 'widened'
}

function textsOf(values: readonly unknown[]): Set<string> {
  return new Set(values.map(canonicalJson))
}

function typesOf(type: unknown): readonly string[] | undefined {
  if (type === undefined) return ANY_TYPE
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const texts = types.filter((each) => typeof each === 'string')
  if (texts.length < types.length) return undefined
  return texts.flatMap((each) => (each === 'number' ? ['integer', 'fraction'] : [each]))
}

/** What appears takes less than before; what goes lets more in. */
function presence(before: unknown): Turn {
  return before === undefined ? 'narrowed' : 'widened'
}

function fromTo(from: unknown, to: unknown): Pick<Difference, 'from' | 'to'> {
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalJson(one) === canonicalJson(other)
}

function memberOf(members: Members, name: string): unknown {
  return Object.hasOwn(members, name) ? members[name] : undefined
}

function alike(names: readonly string[], compare: Compare): [string, Compare][] {
  return names.map((name) => [name, compare])
}
