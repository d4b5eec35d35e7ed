/**
 * URI templates as servers use them (RFC 6570, levels 1 and 2): `{name}` stands for one segment,
 * `{+name}` for any run of characters.
 */

const EXPRESSION = /\{(\+?)([A-Za-z_][A-Za-z0-9_.]*)\}/g

/** The names in a template, or undefined when it holds an expression of another form. */
export function templateVariables(template: string): string[] | undefined {
  if (/[{}]/.test(template.replaceAll(EXPRESSION, ''))) return undefined
  const names = [...template.matchAll(EXPRESSION)].map(([, , name]) => name ?? '')
  return new Set(names).size === names.length ? names : undefined
}

/** The values a URI gives to a template's names; undefined when it does not have that form. */
export function matchTemplate(template: string, uri: string): Record<string, string> | undefined {
  const names = templateVariables(template)
  if (names === undefined) return undefined
  let pattern = ''
  let at = 0
  for (const { 0: whole, 1: plus, index } of template.matchAll(EXPRESSION)) {
    pattern += escape(template.slice(at, index)) + (plus === '+' ? '(.+?)' : '([^/?#]+?)')
    at = index + whole.length
  }
  const found = new RegExp(`^${pattern}${escape(template.slice(at))}$`).exec(uri)
  if (found === null) return undefined
  try {
    return Object.fromEntries(
      names.map((name, n) => [name, decodeURIComponent(found[n + 1] ?? '')]),
    )
  } catch {
    return undefined // a value that is no percent-encoded UTF-8
  }
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
