/**
 * A call's stream as it comes from the Session object, mended where the object is reset under it. A
 * client that was given an event id comes back for the rest, so its stream ends cleanly; one of an
 * earlier revision would wait for ever, and gets an error in place of the answer (`platform.md` §4).
 */
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { formatError, INTERNAL_ERROR, RpcError, type RequestId } from '../../protocol/json-rpc.ts'
import type { LegacyRevision } from '../../protocol/revisions.ts'
import { formatEvent } from '../../protocol/sse.ts'
import { logError } from '../../protocol/log.ts'

/** The response with a body that ends well whatever becomes of the object. */
export function mendStream(response: Response, id: RequestId, revision: LegacyRevision): Response {
  const { body } = response
  if (body === null || response.headers.get('content-type') !== 'text/event-stream') return response
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  const mended = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (error) {
        logError('a session was reset under a call', error)
        if (revision !== '2025-11-25') {
          const lost = new RpcError(INTERNAL_ERROR, 'The answer was lost; the call may have run')
          controller.enqueue(encodeUtf8(formatEvent({ data: formatError(lost, id) })))
        }
        controller.close()
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(mended, response)
}
