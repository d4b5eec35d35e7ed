/** Reading a request's body with a bound. */
import { concat } from './bytes.ts'
import { HttpError } from './http-error.ts'

/** The body's bytes, or 413 when there are more than `limitBytes`. */
export function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length')
  if (announced === null) return readUnannounced(request, limitBytes)
  if (Number(announced) > limitBytes) return Promise.reject(tooLarge(limitBytes))
  return request.bytes()
}

async function readUnannounced(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > limitBytes) throw tooLarge(limitBytes) // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return concat(chunks)
}

function tooLarge(limitBytes: number): HttpError {
  const message = `The body may have at most ${limitBytes / 1024 / 1024} MiB`
  return new HttpError(413, 'body_too_large', message)
}
