/** What is wrong with an HTTP handler beside the input schema of its tool. */
import type { Detail } from '../protocol/http-error.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { HeaderName } from './headers.ts'
import type { Destination, HttpHandlerInput } from './http.ts'
import { placeholdersOf } from './url-template.ts'

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const ONCE: ReadonlySet<string> = new Set(['POST', 'PATCH'])

/** The problems, at their paths in the tool. */
export function httpProblems(handler: HttpHandlerInput, inputSchema: unknown): Detail[] {
  const { url, method = 'GET', retries = 0, cacheSeconds = 0, arguments: places = {} } = handler
  const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined
  const declared = new Set(Object.keys(isObject(properties) ? properties : {}))
  const inPath = new Set(placeholdersOf(url))
  const problems: Detail[] = []
  const refuse = (member: string, message: string) =>
    problems.push({ path: `handler.${member}`, message })
  for (const name of inPath) {
    if (!declared.has(name)) refuse('url', `has {${name}}, which is no property of inputSchema`)
  }
  for (const [name, place] of Object.entries(places)) {
    const member = `arguments.${name}`
    if (!declared.has(name)) refuse(member, 'is no property of inputSchema')
    const message = problemOfPlace(name, place, method, inPath)
    if (message !== undefined) refuse(member, message)
  }
  if (retries > 0 && ONCE.has(method)) refuse('retries', `must be 0: ${method} is sent once`)
  if (cacheSeconds > 0 && method !== 'GET') refuse('cacheSeconds', 'is for GET alone')
  return problems
}

function problemOfPlace(
  name: string,
  place: Destination,
  method: string,
  inPath: ReadonlySet<string>,
): string | undefined {
  if (place.in === 'path' && !inPath.has(name)) return `is not in the URL as {${name}}`
  if (place.in !== 'path' && inPath.has(name)) return 'goes into the path: the URL has it'
  if (place.in === 'body' && BODILESS.has(method))
    return `cannot be sent in the body of a ${method}`
  if (place.in !== 'header' || HeaderName.safeParse(place.name ?? name).success) return undefined
  return 'needs the name of a header: {"in": "header", "name": "X-…"}'
}
