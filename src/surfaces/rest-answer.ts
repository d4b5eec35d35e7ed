/** Refusals in REST form, `{"error":{"code","message","details"?}}`, and what an unforeseen one is. */
import { HttpError } from '../protocol/http-error.ts'
import { logError } from '../protocol/log.ts'
import { corsHeaders, ORIGIN_REFUSED } from './cors.ts'
import { Unavailable } from '../memory/lookup.ts'

/** The answer for a path that is nobody's, and for what must look like one. */
export function notFound(): HttpError {
  return new HttpError(404, 'endpoint_not_found', 'There is nothing at this path')
}

/**
 * An error as the answer it leaves as. Anything unforeseen is logged, under the id of its request where
 * that is told, and told without its text.
 */
export function refusalOf(error: unknown, requestId?: string): HttpError {
  if (error instanceof HttpError) return error
  if (error instanceof Unavailable || isOverloaded(error)) {
    return new HttpError(503, 'unavailable', 'This cannot be answered just now; retry shortly', {
      headers: { 'Retry-After': '2' },
    })
  }
  logError(requestId === undefined ? 'a request failed' : `request ${requestId} failed`, error)
  return new HttpError(500, 'internal_error', 'Something went wrong here')
}

/** The response of a refusal, readable by a page of `origin` unless that is what was refused. */
export function formatRefusal(
  { status, code, message, details, headers }: HttpError,
  origin: string | null,
): Response {
  return Response.json(
    { error: { code, message, ...(details && { details }) } },
    { status, headers: { ...headers, ...(code !== ORIGIN_REFUSED && corsHeaders(origin)) } },
  )
}

function isOverloaded(error: unknown): boolean {
  return error instanceof Error && (error as Error & { overloaded?: boolean }).overloaded === true
}
