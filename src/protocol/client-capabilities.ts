/** What a client declares that it can be asked, against what is needed of it (`mcp-protocol.md` §4.8). */
import { isObject } from '../protocol/json-rpc.ts'

/** The capabilities of `needed`, by dotted name, that `declared` lacks. */
export function missingCapabilities(
  needed: Readonly<Record<string, unknown>>,
  declared: Readonly<Record<string, unknown>>,
): string[] {
  return Object.entries(needed).flatMap(([name, detail]) => {
    const has = declared[name]
    if (has === undefined) return [name]
    if (!isObject(detail)) return []
    return missingCapabilities(detail, modesOf(name, has)).map((inner) => `${name}.${inner}`)
  })
}

/** What a declared capability holds; an empty `elicitation` is the form mode (§4.8). */
function modesOf(name: string, declared: unknown): Record<string, unknown> {
  const modes = isObject(declared) ? declared : {}
  return name === 'elicitation' && Object.keys(modes).length === 0 ? { form: {} } : modes
}
