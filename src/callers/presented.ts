/** The credential a request presents: `Authorization: Bearer` or `x-api-key` (`surfaces.md` D10). */
import { HttpError } from '../protocol/http-error.ts'

const CHALLENGE: Readonly<Record<string, string>> = {
  'WWW-Authenticate': 'Bearer realm="rollcall"',
}

/** The secret on a request, undefined where there is none; 401 with the challenge for two, or another scheme. */
export function presentedSecret(headers: Headers, challenge = CHALLENGE): string | undefined {
  const authorization = headers.get('authorization')
  const apiKey = headers.get('x-api-key') ?? undefined
  if (authorization === null) return apiKey
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
  if (bearer === undefined) {
    const message = 'Authorization must be "Bearer <key>"'
    throw new HttpError(401, 'invalid_authorization', message, { headers: challenge })
  }
  if (apiKey !== undefined && apiKey !== bearer) {
    const message = 'Two different credentials were sent; send one'
    throw new HttpError(401, 'two_credentials', message, { headers: challenge })
  }
  return bearer
}
