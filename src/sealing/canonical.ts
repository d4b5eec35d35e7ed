/**
 * JSON in the one form that equal values have: members in the order of their names, no blanks.
 *
 * Names are in the order of their UTF-16 units, texts and numbers as JSON.stringify writes them. It
 * walks without recursion: what a peer sent may nest as deep as it likes.
 */

type Left = { text: string; value?: unknown; isValue?: true }

/** The canonical text of a JSON value (`surfaces.md` D18); other values have other texts. */
export function canonicalJson(value: unknown): string {
  const parts: string[] = []
  const left: Left[] = [valueAfter('', value)] // the last is what comes next
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    parts.push(next.text)
    if (next.isValue) parts.push(begin(next.value, left))
  }
  return parts.join('')
}

/** The text that a value begins with; what follows of it goes to `left`. */
function begin(value: unknown, left: Left[]): string {
  if (typeof value !== 'object' || value === null) return scalar(value)
  const isArray = Array.isArray(value)
  const inner = isArray
    ? value.map((item, index) => valueAfter(index === 0 ? '' : ',', item))
    : membersOf(value).map(([name, member], index) =>
        valueAfter(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`, member),
      )
  left.push({ text: isArray ? ']' : '}' })
  for (const part of inner.toReversed()) left.push(part)
  return isArray ? '[' : '{'
}

function membersOf(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}

function scalar(value: unknown): string {
  // A number that is too large for a double is read as infinite, and is not null.
  if (value === Infinity) return '1e999'
  if (value === -Infinity) return '-1e999'
  return JSON.stringify(value ?? null)
}

function valueAfter(text: string, value: unknown): Left {
  return { text, value, isValue: true }
}
