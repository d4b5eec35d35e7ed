/**
 * Which patterns may be run. Nothing can interrupt one, so what counts is how many ways through a
 * text it can try before it gives up: those of a sequence multiply, those of alternatives add up, and
 * a choice that is repeated without end has no number.
 */

const MAX_PATTERN_LENGTH = 200
const MAX_COUNT = 16 // a higher one, as in `{1,500}`, is a loop
const LOOP = 512 // characters a loop may go over, and so the ways it may end
const QUICK = 16 * LOOP // one loop, or none that begins anywhere, and a few choices
const BEARABLE = QUICK * LOOP // a tenth of a second

/** One sign of a pattern and what repeats it: an escape, a class, the opening of a group, any other. */
const SIGN =
  /(\\(?:[pPu]\{[^}]*\}|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[\w-]*:))?|[^])([*+?]|\{\d+(?:,\d*)?\})?\??/gsu

/** Whether a pattern ends soon on a text of any length. */
export function isQuick(pattern: string): boolean {
  return waysOf(pattern) <= QUICK
}

/** A pattern that ends soon and takes long texts unseen; undefined where that cannot be had. */
export function quickened(pattern: string): string | undefined {
  return waysOf(pattern) <= BEARABLE ? `^[^]{${LOOP + 1}}|${pattern}` : undefined
}

function waysOf(pattern: string): number {
  if (pattern.length > MAX_PATTERN_LENGTH || !isPattern(pattern)) return Infinity
  let group = { ways: 1, others: 0 } // of the alternative at hand, and of those before it
  const outer: (typeof group)[] = []
  for (const [, sign = '', quantifier = ''] of pattern.matchAll(SIGN)) {
    if (/^\\[1-9k]/.test(sign)) return Infinity // it compares what a group took, however long
    if (sign.startsWith('(')) {
      outer.push(group)
      group = { ways: 1, others: 0 }
    } else if (sign === '|') {
      group = { ways: 1, others: group.others + group.ways }
    } else {
      const inner = sign === ')' ? group.others + group.ways : 1
      if (sign === ')') group = outer.pop() ?? group
      group.ways *= repeated(inner, quantifier)
    }
  }
  const isAnchored = pattern.startsWith('^') && group.others === 0
  return (group.others + group.ways) * (isAnchored ? 1 : LOOP)
}

/** The ways through something that has `ways`, repeated. */
function repeated(ways: number, quantifier: string): number {
  const [min, max] = countsOf(quantifier)
  const ends = max > MAX_COUNT ? LOOP : max - min + 1
  return ways === 1 ? ends : ends * ways ** max
}

function countsOf(quantifier: string): [min: number, max: number] {
  if (quantifier === '') return [1, 1]
  if (quantifier === '?') return [0, 1]
  const [, min = '0', comma = ',', max = ''] = /^\{(\d+)(,?)(\d*)\}$/.exec(quantifier) ?? []
  if (comma === '') return [Number(min), Number(min)]
  return [Number(min), max === '' ? Infinity : Number(max)]
}

function isPattern(text: string): boolean {
  try {
    void new RegExp(text, 'u')
    return true
  } catch {
    return false // nothing to check by
  }
}
