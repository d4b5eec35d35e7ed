/**
 * The paths by which convai names inputs of a tool, `$.a.b`, `a[0]` or `$['a b']`, and the JSON pointers
 * (RFC 6901) that stand for them in our settings. Paths that may match several places are none of these.
 */
import { pointerToken, tokensOf } from '../../protocol/json-pointer.ts'

const BARE = /[^.[\]'"/*?()\s,]+/
const BARE_NAME = new RegExp(`^${BARE.source}$`)
const STEP = new RegExp(
  `\\.(${BARE.source})|\\[(\\d{1,9})\\]|\\['((?:[^'\\\\]|\\\\.)*)'\\]|\\["((?:[^"\\\\]|\\\\.)*)"\\]`,
  'y',
)

/** The pointer that a path says; undefined for what is no path to one input. */
export function readJsonPath(path: string): string | undefined {
  if (path === '' || path === '$') return undefined // all inputs at once
  const steps = /^\$(?=[.[])/.test(path) ? path.slice(1) : path.startsWith('[') ? path : `.${path}`
  let pointer = ''
  for (STEP.lastIndex = 0; STEP.lastIndex < steps.length;) {
    const found = STEP.exec(steps)
    if (found === null) return undefined
    const [, bare, index, single, double] = found
    const name = bare ?? index ?? (single ?? double ?? '').replaceAll(/\\(.)/gs, '$1')
    pointer += `/${pointerToken(name)}`
  }
  return pointer
}

/** The path to what a pointer says, as one writes it who has the choice. */
export function formatJsonPath(pointer: string): string {
  const steps = tokensOf(pointer).map((name) => {
    if (/^\d{1,9}$/.test(name)) return `[${name}]`
    return BARE_NAME.test(name) ? `.${name}` : `['${name.replaceAll(/[\\']/g, String.raw`\$&`)}']`
  })
  return `$${steps.join('')}`
}
