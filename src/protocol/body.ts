/** Reading a request's body with a bound. */
import { concat } from './bytes.ts'
import { HttpError } from './http-error.ts'

/** The body's bytes, or 413 when there are more than `limitBytes`. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const tooLarge = () =>
    new HttpError(
      413,
      'body_too_large',
      `The body may have at most ${limitBytes / 1024 / 1024} MiB`,
    )
  const announced = request.headers.get('content-length')
  if (announced !== null) {
    if (Number(announced) > limitBytes) throw tooLarge()
    return new Uint8Array(await request.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.length
    if (length > limitBytes) throw tooLarge() // leaving the loop cancels the body
    chunks.push(chunk)
  }
  return concat(chunks)
}
