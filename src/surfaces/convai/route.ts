/** One route of convai, and which of them a path is of. */
import type { Act } from '../../callers/may.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { notFound } from '../rest-answer.ts'
import type { ConvaiCall } from './call.ts'

export type Route = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** With `:name` for each segment that is a parameter. */
  path: string
  /** What a request has to be allowed at least. */
  act: Act
  handler: (call: ConvaiCall) => Promise<Response>
}

export type Found = { route: Route; params: Readonly<Record<string, string>> }

/**
 * Finds routes by method and path: 404 for a path that is nobody's, 405 with `Allow` for another method.
 * A path is split before its segments are decoded, so a parameter may hold a slash. One that ends in a
 * slash is nobody's: clients make it of a last parameter `..`, and mean no more than that parameter.
 */
export function createRouter(routes: readonly Route[]) {
  const table = routes.map((route) => ({ route, pattern: route.path.split('/') }))
  return (method: string, path: string): Found => {
    const segments = path.split('/').map(decode)
    const found = table.flatMap(({ route, pattern }) => {
      const params = match(pattern, segments)
      return params === undefined ? [] : [{ route, params }]
    })
    const chosen = found.find(({ route }) => route.method === method)
    if (chosen !== undefined) return chosen
    if (found.length === 0) throw notFound()
    const allow = [...new Set(found.map(({ route }) => route.method))].join(', ')
    throw new HttpError(405, 'method_not_allowed', `Use ${allow}`, { headers: { Allow: allow } })
  }
}

function match(
  pattern: readonly string[],
  segments: readonly (string | undefined)[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]
    if (!part.startsWith(':')) {
      if (segment !== part) return undefined
    } else {
      if (segment === undefined || segment === '') return undefined
      params[part.slice(1)] = segment
    }
  }
  return params
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined // no UTF-8: it names nothing
  }
}
