/**
 * Bounding how much of a schema is applied to a value. A few references that double, or a recursive
 * schema with alternatives, make work that grows without measure; the validator has no bound of its
 * own, but it reads one member of each schema each time it applies it (`design.md` §9).
 */

/** A value is too large for its schema, or the schema has no end. */
export class TooMuchToCheck extends Error {
  override readonly name = 'TooMuchToCheck'
}

/** A second or so: applying a schema costs 1, and more by the texts it compares with. */
const MAX_COST = 500_000
const BYTES_A_UNIT = 50

/** A member that the validator reads of every schema it applies, and that few schemas have. */
const READ_ALWAYS = '$recursiveAnchor'

/** What a schema compares a value with, and may repeat in an error. */
const COMPARED = ['enum', 'const', 'required', 'dependentRequired', 'dependencies']
const MAPS = ['properties', 'patternProperties', 'dependentSchemas']

let spent = 0

/** Runs a validation under the bound; `TooMuchToCheck` beyond it. */
export function withMeter<T>(validate: () => T): T {
  spent = 0
  return validate()
}

/** The same schema, not those in it, counting from here on how often it is applied. */
export function metered<T extends Readonly<Record<string, unknown>>>(schema: T): T {
  const cost = costOf(schema)
  const isAnchor = schema[READ_ALWAYS]
  return Object.defineProperty(schema, READ_ALWAYS, {
    enumerable: false,
    get() {
      spent += cost
      if (spent > MAX_COST) throw new TooMuchToCheck('there is too much to be checked')
      return isAnchor
    },
  })
}

function costOf(schema: Readonly<Record<string, unknown>>): number {
  const texts = COMPARED.map((keyword) => JSON.stringify(schema[keyword])?.length ?? 0)
  const names = MAPS.map((keyword) => Object.keys(schema[keyword] ?? {}).length)
  const bytes = texts.reduce((sum, length) => sum + length, 0)
  return names.reduce((sum, count) => sum + count / 10, 1 + bytes / BYTES_A_UNIT)
}
