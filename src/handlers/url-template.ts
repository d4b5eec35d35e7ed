/**
 * URL templates of HTTP handlers: `{argument}` in the path alone. A value stays in its segment: it
 * cannot change the host, step up, or begin a query.
 */

const PLACEHOLDER = /\{([^{}/]+)\}/g
/** A segment of the path that has one in it. */
const TEMPLATE_SEGMENT = /(?<=\/)([^/?{]*\{[^/?]*)/
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
export function placeholdersOf(template: string): readonly string[] {
  return templateOf(template).names
}

/** A value that is a step in the path, such as `..`, or has one behind an encoded slash. */
export class PathStep extends Error {
  override readonly name = 'PathStep'
  /** The arguments that make the segment. */
  readonly names: readonly string[]

  constructor(names: readonly string[]) {
    super(`${names.join(', ')} must not be a step in the path`)
    this.names = names
  }
}

/** The URL with values in place; `PathStep` where a segment is empty or has a step in it. */
export function fillUrlTemplate(template: string, valueOf: (name: string) => string): string {
  let url = ''
  for (const part of templateOf(template).parts) {
    if (typeof part === 'string') {
      url += part
      continue
    }
    // By turns what is literal and the name of an argument.
    const texts = part.map((text, at) => (at % 2 ? valueOf(text) : text))
    const plain = texts.join('')
    if (plain === '' || STEP.test(plain)) throw new PathStep(part.filter((_, at) => at % 2))
    url += texts.map((text, at) => (at % 2 ? encodeURIComponent(text) : text)).join('')
  }
  return url
}

/**
 * A template that was read: what stands between the segments that have an argument in them, those
 * segments in parts, and the names of all arguments.
 */
type Template = { parts: readonly (string | readonly string[])[]; names: readonly string[] }

const MAX_KNOWN = 200 // templates an isolate keeps
const known = new Map<string, Template>()

function templateOf(text: string): Template {
  const found = known.get(text)
  if (found !== undefined) return found
  const parts = text
    .split(TEMPLATE_SEGMENT)
    .map((part, at) => (at % 2 ? part.split(PLACEHOLDER) : part))
  const names = [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(text, { parts, names })
  return { parts, names }
}
