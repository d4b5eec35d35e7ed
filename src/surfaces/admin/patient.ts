/**
 * An answer that may be long in coming. From its first second on it is begun with white space, which
 * JSON may begin with: only a write tells that the client has left (`platform.md` §4).
 */
import { within } from '../../memory/single-flight.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { json } from './call.ts'

const PATIENCE_MS = 1000
const WRITE_MS = 1000 // a client that has left is noticed with the second of them
const SPACE = encodeUtf8(' ')

/**
 * The answer whose text `work` gives. What it throws within a second is thrown; later the status is
 * out, and the text is what `textOf` makes of the error. The client leaving aborts the signal.
 */
export async function answerPatiently(
  work: (signal: AbortSignal) => Promise<string>,
  textOf: (error: unknown) => string,
): Promise<Response> {
  const abort = new AbortController()
  const pending = work(abort.signal)
  const first = await within(PATIENCE_MS, pending)
  if (first !== undefined) return json(first.value)
  let timer: ReturnType<typeof setInterval> | null = null
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      timer = setInterval(() => controller.enqueue(SPACE), WRITE_MS)
      const text = await pending.catch(textOf)
      if (abort.signal.aborted) return
      clearInterval(timer)
      controller.enqueue(encodeUtf8(text))
      controller.close()
    },
    cancel() {
      clearInterval(timer)
      abort.abort()
    },
  })
  return json(body)
}
