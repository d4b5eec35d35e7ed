/** Between a recorded request of `node:http` and what answers a fetch `Request`. */
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { SeenRequest } from './recording.ts'

/** The request, aborted when its client leaves. */
export function requestOf(seen: SeenRequest): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(seen.headers)) headers.set(name, String(value))
  const hasBody = seen.method !== 'GET' && seen.method !== 'HEAD' && seen.text !== ''
  return new Request(new URL(seen.path, `http://${seen.headers.host}`), {
    method: seen.method,
    headers,
    signal: seen.signal,
    ...(hasBody && { body: seen.text }),
  })
}

/** Sends an answer as it comes, and cancels it when the client leaves. */
export async function sendAnswer(
  seen: SeenRequest,
  response: ServerResponse,
  answer: Response,
): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.flushHeaders()
  const reader = answer.body?.getReader()
  seen.signal.addEventListener('abort', () => void reader?.cancel().catch(() => {})) // it may be over
  for (;;) {
    const part = await reader?.read()
    if (part === undefined || part.done || seen.isAborted) break
    if (!response.write(part.value)) await Promise.race([once(response, 'drain'), seen.aborted])
  }
  response.end()
}
