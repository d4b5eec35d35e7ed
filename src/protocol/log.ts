/**
 * Errors in the log, which may be stored in another region than what is served (`platform.md` §2): of
 * an error stands there what it is and where it came from, and nothing that somebody sent or stored.
 */

/** Errors whose text is the runtime's, or one of ours without data; the others' may be anybody's. */
const PLAIN = new Set<unknown>([Error, TypeError, RangeError, SyntaxError, DOMException])

/** From the first quotation mark to the last: runtimes quote what they could not read. */
const QUOTED = /["'`][^]*["'`]/
/** From a URL on: nobody knows where it ends. */
const URL_ON = /[a-z][a-z\d+.-]*:\/\/[^]*/i
const MAX_CAUSES = 5

/** Logs that something failed, in words that name nothing, and the error without its data. */
export function logError(what: string, error: unknown): void {
  console.error(`${what}: ${describeError(error)}`)
}

/** The kind of an error, its text as far as it holds no data, where it came from, and its causes. */
export function describeError(error: unknown): string {
  const parts: string[] = []
  let next = error
  for (let n = 0; n < MAX_CAUSES && next !== undefined; n++) {
    parts.push(describeOne(next))
    next = next instanceof Error ? next.cause : undefined
  }
  return parts.join('\ncaused by ')
}

function describeOne(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`
  const { message, stack = '' } = error
  const kind = error.name // that of a class is a letter where the Worker is minified
  const text = PLAIN.has(error.constructor)
    ? `: ${message.replace(QUOTED, '…').replace(URL_ON, '…')}`
    : ''
  const frames = stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .filter(isFrame)
  return [`${kind}${text}`, ...frames].join('\n')
}

const isFrame = (line: string): boolean => /^\s+at /.test(line)
