/**
 * How convai refuses (`surfaces.md` D20, `convai-api.md` §7): one object `detail` with type, code and the
 * id of the request; for 422 the list of what is wrong, as FastAPI writes it.
 */
import { HttpError } from '../../protocol/http-error.ts'
import { refusalOf } from '../rest-answer.ts'
import { Unprocessable, wrongOf, type Wrong } from './wrong.ts'

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'authorization_error'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [409, 'conflict'],
  [429, 'rate_limit_error'],
  [503, 'service_unavailable'],
])

/** The specific words for codes that are general. */
const STATUSES: ReadonlyMap<string, string> = new Map([['unauthorized', 'missing_permissions']])

/** The answer an error leaves as. */
export function formatConvaiError(error: unknown, requestId: string): Response {
  if (error instanceof Unprocessable) return unprocessable(error.wrong)
  const refused = refusalOf(error, requestId)
  // What a key may not do is one thing here, whoever finds it out.
  const isForbidden = refused.code === 'session_required'
  const refusal = isForbidden ? new HttpError(401, 'unauthorized', refused.message) : refused
  if (refusal.status === 422) return unprocessable(wrongInRefusal(refusal))
  const { status, message, headers, details } = refusal
  const code = refusal.code === 'unavailable' ? 'service_unavailable' : refusal.code
  const detail = {
    type: TYPES.get(status) ?? (status >= 500 ? 'internal_error' : 'validation_error'),
    code,
    message,
    status: STATUSES.get(code) ?? code,
    request_id: requestId,
    param: details?.[0]?.path ?? null,
  }
  return Response.json({ detail }, { status, headers: { 'Cache-Control': 'no-store', ...headers } })
}

/** What an object or a shared schema refused, which knows fields of the body by their paths alone. */
function wrongInRefusal({ details, message }: HttpError): Wrong[] {
  if (details !== undefined && details.length > 0) return wrongOf(details, 'body')
  return [{ type: 'value_error', loc: ['body'], msg: `Value error, ${message}` }]
}

function unprocessable(wrong: readonly Wrong[]): Response {
  return Response.json({ detail: wrong }, { status: 422, headers: { 'Cache-Control': 'no-store' } })
}
