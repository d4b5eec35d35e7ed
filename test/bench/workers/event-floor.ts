/** The floor of an answer that is one event: as the floor of a list, between the lines of an event. */
import { env } from 'cloudflare:workers'

const ENCODER = new TextEncoder()
const REST = new Uint8Array((env as { REST: ArrayBuffer }).REST)

export default {
  async fetch(request) {
    if (request.method === 'GET') return new Response('up')
    const { id } = await request.json<{ id: unknown }>()
    const opening = ENCODER.encode(
      `event: message\ndata: {"jsonrpc":"2.0","id":${JSON.stringify(id)}`,
    )
    const body = new Uint8Array(opening.length + REST.length)
    body.set(opening)
    body.set(REST, opening.length)
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  },
} satisfies ExportedHandler
