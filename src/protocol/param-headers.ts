/**
 * `x-mcp-header`: arguments of a tool that a client mirrors into `Mcp-Param-*` headers
 * (`mcp-protocol.md` §4.3). Which annotations are valid, whether a call's headers agree, and the
 * headers of a call of ours.
 */
import { decodeHeaderValue, encodeHeaderValue } from './headers.ts'
import { HEADER_MISMATCH, isObject, RpcError } from './json-rpc.ts'

const ANNOTATION = 'x-mcp-header'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Members whose values are schemas by name; the names are the operator's, not keywords. */
const BY_NAME: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])

/** One annotated argument: the header's name after `Mcp-Param-`, and where the value stands. */
export type ParamHeader = { header: string; type: string; path: readonly string[] }

export type SchemaProblem = { path: string; message: string }

/** Members of a schema that hold data or names, not schemas; nothing in them is an annotation. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required'])

/** The annotated arguments of an input schema, and what makes an annotation invalid, by path. */
export function findParamHeaders(schema: unknown): {
  headers: ParamHeader[]
  problems: SchemaProblem[]
} {
  const headers: ParamHeader[] = []
  const problems: SchemaProblem[] = []
  const seen = new Set<string>()

  const annotated = (
    node: Record<string, unknown>,
    at: string,
    path: readonly string[] | undefined,
  ) => {
    const header = node[ANNOTATION]
    const refuse = (message: string) => problems.push({ path: `${at}.${ANNOTATION}`, message })
    if (typeof header !== 'string' || !TOKEN.test(header)) return refuse('must be a header token')
    if (path === undefined || path.length === 0) {
      return refuse('must be on a property reached through `properties` alone')
    }
    if (!TYPES.has(node['type'])) return refuse('needs type "string", "integer" or "boolean"')
    if (seen.has(header.toLowerCase())) return refuse('is used twice in this schema')
    seen.add(header.toLowerCase())
    return headers.push({ header, type: String(node['type']), path })
  }

  /** `path` is undefined once the node was reached through anything but `properties`. */
  const visit = (node: unknown, at: string, path: readonly string[] | undefined): void => {
    if (Array.isArray(node)) {
      for (const [index, item] of node.entries()) visit(item, `${at}[${index}]`, undefined)
    } else if (isObject(node)) {
      if (ANNOTATION in node) annotated(node, at, path)
      for (const [key, value] of Object.entries(node)) {
        if (DATA.has(key)) continue
        if (isObject(value) && BY_NAME.has(key)) {
          for (const [name, property] of Object.entries(value)) {
            const below = key === 'properties' && path !== undefined ? [...path, name] : undefined
            visit(property, `${at}.${key}.${name}`, below)
          }
        } else if (key !== ANNOTATION) {
          visit(value, `${at}.${key}`, undefined)
        }
      }
    }
  }
  visit(schema, 'inputSchema', [])
  return { headers, problems }
}

/** Throws −32020 (400) unless each annotated argument has its header with the same value. */
export function requireParamHeaders(
  declared: readonly ParamHeader[],
  args: Readonly<Record<string, unknown>>,
  headers: Headers,
): void {
  for (const { header, type, path } of declared) {
    const value = valueAt(args, path)
    if (value === undefined || value === null) continue
    const name = `Mcp-Param-${header}`
    const sent = headers.get(name)
    if (sent === null) throw mismatch(`${name} is missing for argument ${path.join('.')}`)
    const decoded = decodeHeaderValue(sent)
    if (decoded === undefined) throw mismatch(`${name} is not valid base64 of UTF-8`)
    if (!agrees(decoded, value, type)) {
      throw mismatch(`${name} does not match argument ${path.join('.')}`)
    }
  }
}

/** The `Mcp-Param-*` headers of a call: one for each annotated argument that has a value. */
export function formatParamHeaders(
  declared: readonly ParamHeader[],
  args: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const { header, path } of declared) {
    const value = valueAt(args, path)
    // Anything else has no header form (§4.3); the server says what is wrong with it.
    const isFit =
      typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value)
    if (isFit) headers[`Mcp-Param-${header}`] = encodeHeaderValue(String(value))
  }
  return headers
}

function valueAt(args: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  let value: unknown = args
  for (const name of path) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

function agrees(sent: string, value: unknown, type: string): boolean {
  if (type === 'integer' && typeof value === 'number') {
    return /^-?\d+(?:\.\d+)?$/.test(sent) && Number(sent) === value
  }
  return (typeof value === 'string' || typeof value === 'boolean') && sent === String(value)
}

function mismatch(message: string): RpcError {
  return new RpcError(HEADER_MISMATCH, `Header mismatch: ${message}`, { status: 400 })
}
