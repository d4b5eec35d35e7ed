/**
 * URL templates of HTTP handlers: `{argument}` in the path alone. A value stays in its segment: it
 * cannot change the host, step up, or begin a query.
 */

const PLACEHOLDER = /\{([^{}/]+)\}/g
/**
 * What goes up, or nowhere, whoever takes the percent-encoding off. Many servers decode a slash before
 * they go along the path.
 */
const STEP = /(?:^|[/\\])(?:\.|%2e){1,2}(?:$|[/\\])/i

/** What is wrong with a template; undefined for one that can be used. */
export function problemOfUrlTemplate(template: string): string | undefined {
  const [beforeQuery = ''] = template.split(/[?#]/, 1)
  if (template.includes('#')) return 'must have no fragment'
  if (/[\s\\\p{Cc}]/u.test(template)) return 'must have no blanks or backslashes'
  const [, origin = '', path = ''] = /^(https?:\/\/[^/?#]*)([^?#]*)/i.exec(template) ?? []
  if (origin === '') return 'must begin with https:// (or http://)'
  if (/[{}]/.test(origin)) return 'may have {argument} in its path alone, not in its host'
  if (/[{}]/.test(template.slice(beforeQuery.length)))
    return 'may have {argument} in its path alone; send one with "arguments": {"name": {"in": "query"}}'
  if (/[{}]/.test(path.replaceAll(PLACEHOLDER, '')))
    return 'has a brace that is not of an {argument}'
  if (!URL.canParse(template.replaceAll(PLACEHOLDER, 'x'))) return 'must be a URL'
  const { username, password } = new URL(template.replaceAll(PLACEHOLDER, 'x'))
  return username + password === '' ? undefined : 'must have no user name or password in it'
}

/** The names of the arguments in a template. */
export function placeholdersOf(template: string): string[] {
  return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
}

/** A value that is a step in the path, such as `..`, or has one behind an encoded slash. */
export class PathStep extends Error {
  override readonly name = 'PathStep'
}

/** The URL with values in place; `PathStep` where a segment is empty or has a step in it. */
export function fillUrlTemplate(template: string, valueOf: (name: string) => string): string {
  const [path = '', ...query] = template.split('?')
  const segments = path.split('/').map((segment) => {
    if (!segment.includes('{')) return segment
    // By turns what is literal and what was the name of an argument.
    const parts = segment.split(PLACEHOLDER).map((part, at) => (at % 2 ? valueOf(part) : part))
    const plain = parts.join('')
    if (plain === '' || STEP.test(plain)) throw new PathStep(segment)
    return parts.map((part, at) => (at % 2 ? encodeURIComponent(part) : part)).join('')
  })
  return [segments.join('/'), ...query].join('?')
}
