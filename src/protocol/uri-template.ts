/**
 * URI templates as servers use them (RFC 6570, levels 1 and 2): `{name}` stands for one segment,
 * `{+name}` for any run of characters, each with at least one. Callers write the URIs, so matching
 * takes time in proportion to the template's parts and the URI's length, never more.
 */

const EXPRESSION = /\{(\+?)([A-Za-z_][A-Za-z0-9_.]*)\}/g
export const MAX_URI_LENGTH = 2048
const ENDS_SEGMENT: ReadonlySet<string> = new Set(['/', '?', '#'])

/** A variable and the text that follows it. */
type Part = { name: string; spansSegments: boolean; literal: string }

/** The names in a template, or undefined when it holds an expression of another form. */
export function templateVariables(template: string): string[] | undefined {
  if (/[{}]/.test(template.replaceAll(EXPRESSION, ''))) return undefined
  const names = partsOf(template).parts.map(({ name }) => name)
  return new Set(names).size === names.length ? names : undefined
}

/** The values a URI gives to a template's names; undefined when it does not have that form. */
export function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
  if (uri.length > MAX_URI_LENGTH || templateVariables(template) === undefined) return undefined
  const { opening, parts } = partsOf(template)
  // Most templates are told apart by their two ends.
  if (!uri.startsWith(opening) || !uri.endsWith(parts.at(-1)?.literal ?? '')) return undefined
  // For each part, where it can end and where its variable then begins: all ways at once.
  let begins = new Set([opening.length])
  const ways = parts.map((part) => {
    const way = endsOf(part, uri, begins)
    begins = new Set(way.keys())
    return way
  })
  if (!begins.has(uri.length)) return undefined
  return valuesOf(parts, ways, uri)
}

/** Where a part can end when its variable begins at one of these places, with that place. */
function endsOf(
  { spansSegments, literal }: Part,
  uri: string,
  begins: ReadonlySet<number>,
): Map<number, number> {
  const ends = new Map<number, number>()
  let begin: number | undefined
  for (let at = 0; at <= uri.length; at++) {
    if (begin !== undefined && at > begin && uri.startsWith(literal, at)) {
      ends.set(at + literal.length, begin)
    }
    if (!spansSegments && ENDS_SEGMENT.has(uri[at] ?? '')) begin = undefined
    else if (begins.has(at)) begin ??= at
  }
  return ends
}

/** The values along one way through the parts, found from the end. */
function valuesOf(
  parts: readonly Part[],
  ways: readonly ReadonlyMap<number, number>[],
  uri: string,
): Record<string, string> | undefined {
  const values: [string, string][] = []
  let end = uri.length
  for (let n = parts.length - 1; n >= 0; n--) {
    const begin = ways[n]?.get(end) ?? 0
    const part = parts[n]
    if (part === undefined) return undefined
    values.unshift([part.name, uri.slice(begin, end - part.literal.length)])
    end = begin
  }
  try {
    return Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return undefined // a value that is no percent-encoded UTF-8
  }
}

function partsOf(template: string): { opening: string; parts: Part[] } {
  const found = [...template.matchAll(EXPRESSION)]
  const parts = found.map(({ 0: whole, 1: plus, 2: name = '', index }, n): Part => {
    const literal = template.slice(index + whole.length, found[n + 1]?.index)
    return { name, spansSegments: plus === '+', literal }
  })
  return { opening: template.slice(0, found[0]?.index), parts }
}
