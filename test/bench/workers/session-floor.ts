/**
 * The floor of a session: floor.ts with one object in between. The Worker makes the answer and hands
 * it to the session's object, which reads it and sends it on as one event; nothing is looked up. A
 * message without a session opens one.
 */
import { DurableObject } from 'cloudflare:workers'

type Env = { REST: ArrayBuffer; ECHO: DurableObjectNamespace }

const ENCODER = new TextEncoder()
const OPENING = ENCODER.encode('event: message\ndata: ')
const CLOSING = ENCODER.encode('\n\n')

let rest: Uint8Array | undefined

export class Echo extends DurableObject {
  override async fetch(request: Request): Promise<Response> {
    const answer = new Uint8Array(await request.arrayBuffer())
    const body = join([OPENING, answer, CLOSING])
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
}

export default {
  async fetch(request, { REST, ECHO }) {
    const { id } = await request.json<{ id: unknown }>()
    const session = request.headers.get('mcp-session-id')
    if (session === null) {
      return new Response('', { headers: { 'mcp-session-id': ECHO.newUniqueId().toString() } })
    }
    rest ??= new Uint8Array(REST)
    const body = join([ENCODER.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}`), rest])
    return ECHO.get(ECHO.idFromString(session)).fetch('https://session/', { method: 'POST', body })
  },
} satisfies ExportedHandler<Env>

function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
