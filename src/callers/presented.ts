/** The credential a request presents: `Authorization: Bearer` or `x-api-key` (`surfaces.md` D10). */
import { HttpError } from '../protocol/http-error.ts'

/** The secret on a request, undefined where there is none; two different ones are refused (401). */
export function presentedSecret(headers: Headers): string | undefined {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key') ?? undefined
  if (authorization === null) return apiKey
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (bearer === undefined) {
    throw refused('invalid_authorization', 'Authorization must be "Bearer <key>"')
  }
  if (apiKey !== undefined && apiKey !== bearer) {
    throw refused('two_credentials', 'Two different credentials were sent; send one')
  }
  return bearer
}

function refused(code: string, message: string): HttpError {
  return new HttpError(401, code, message, {
    headers: { 'WWW-Authenticate': 'Bearer realm="rollcall"' },
  })
}
