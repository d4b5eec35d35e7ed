/** Random JSON from a seed, of the names and values that are easily confused, and one change of it. */

/** A generator of numbers from 0 up to, not with, 1: the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const NAMES = [
  'type',
  'properties',
  'required',
  'enum',
  '1',
  '10',
  '2',
  '01',
  '-1',
  '__proto__',
  '',
  'constructor',
  'toJSON',
  'é',
  'e\u0301',
  '\ud800',
  '\u2028',
  'a"b',
  'a\\b',
  'A',
]
const SCALARS = [null, true, false, 0, 1, -1, 1.5, 1e21, 1e-7, 2 ** 53, '', '0', 'null', '[]', '{}']

const pick = <T>(random: () => number, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T

/** A value that nests at most so deep; an object on top where `isObject`. */
export function randomJson(random: () => number, depth: number, isObject = true): unknown {
  if (!isObject && (depth === 0 || random() < 0.4)) {
    return random() < 0.3 ? pick(random, NAMES) : pick(random, SCALARS)
  }
  const size = Math.floor(random() * 5) + (isObject ? 1 : 0)
  if (!isObject && random() < 0.4) {
    return Array.from({ length: size }, () => randomJson(random, depth - 1, false))
  }
  return Object.fromEntries(
    Array.from({ length: size }, () => [
      pick(random, NAMES),
      randomJson(random, Math.max(0, depth - 1), false),
    ]),
  )
}

type Place = { read: () => unknown; write: (value: unknown) => unknown }

/** The value with one thing in it other than before. */
export function mutated(random: () => number, value: unknown): unknown {
  const places: Place[] = []
  collect(value, (changed) => changed, places)
  const { read, write } = pick(random, places)
  return write(otherThan(random, read()))
}

/** Every place of a value, each with how the whole is with another value there. */
function collect(value: unknown, whole: (value: unknown) => unknown, places: Place[]): void {
  places.push({ read: () => value, write: whole })
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      collect(item, (other) => whole(value.with(index, other)), places)
    }
  } else if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    for (const [index, [name, member]] of entries.entries()) {
      const withMember = (other: unknown) =>
        whole(Object.fromEntries(entries.with(index, [name, other])))
      collect(member, withMember, places)
    }
  }
}

function otherThan(random: () => number, value: unknown): unknown {
  if (Array.isArray(value)) {
    const [first, second] = value
    const isSwappable = value.length === 2 && JSON.stringify(first) !== JSON.stringify(second)
    if (isSwappable && random() < 0.5) return [second, first]
    return random() < 0.5 ? [...value, null] : [value]
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    if (entries.length > 0 && random() < 0.5) return Object.fromEntries(entries.slice(1))
    return Object.fromEntries([...entries, [`${pick(random, NAMES)}+`, null]])
  }
  if (typeof value === 'string') return random() < 0.5 ? `${value} ` : [value]
  if (typeof value === 'number') return random() < 0.5 ? value * 2 + 1.25 : String(value)
  return value === null ? false : value === true ? 'true' : null
}

/** The same value in another text: members in another order, other escapes, other number forms. */
export function rewritten(random: () => number, value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map((item) => rewritten(random, item)).join(' ,')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${escaped(name)} :\n${rewritten(random, member)}`,
    )
    const at = Math.floor(random() * (members.length + 1))
    return `{${[...members.slice(at), ...members.slice(0, at).toReversed()].join(', ')}}`
  }
  if (typeof value === 'string') return escaped(value)
  if (typeof value === 'number') return numberForm(random, value)
  return JSON.stringify(value)
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

function numberForm(random: () => number, value: number): string {
  if (value === 0) return pick(random, ['0', '-0', '0.0', '0e5'])
  return pick(random, [
    String(value),
    value.toExponential(),
    `${value.toExponential()}0`.replace(/(e.*)0$/, '$1'),
  ])
}
