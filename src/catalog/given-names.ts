/**
 * The names under which we show what a remote server offers. A name there that cannot be one here, or
 * that is taken, becomes one that can: what is left of it, and some of its hash. Whatever the order
 * of the remote list, the same names come of it.
 */
import { sha256Hex } from '../sealing/digest.ts'

const MAX_LENGTH = 64
const HASH_DIGITS = 6

/**
 * Gives each name a name of ours: the operator's first, then valid ones as they are, then made ones.
 * The names in `given` are kept free also while nothing of the remote server has them.
 */
export function giveNames(
  originals: readonly string[],
  given: ReadonlyMap<string, string>,
  isValid: (name: string) => boolean,
): Map<string, string> {
  const taken = new Set(given.values())
  const names = new Map<string, string>()
  const unnamed: string[] = []
  for (const original of originals) {
    const name = given.get(original)
    if (name !== undefined) names.set(original, name)
    else if (isValid(original) && !taken.has(original)) names.set(original, original)
    else unnamed.push(original)
  }
  for (const name of names.values()) taken.add(name)
  for (const original of unnamed.toSorted()) {
    const name = makeName(original, taken)
    taken.add(name)
    names.set(original, name)
  }
  return names
}

function makeName(original: string, taken: ReadonlySet<string>): string {
  const readable = original.replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
  const start = readable.slice(0, MAX_LENGTH - 1 - HASH_DIGITS)
  for (let tries = 0; ; tries++) {
    const hash = sha256Hex(original + ' '.repeat(tries))
    const name = `${start}_${hash.slice(0, HASH_DIGITS)}`
    if (!taken.has(name)) return name
  }
}
