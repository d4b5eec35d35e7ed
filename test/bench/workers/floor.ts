/**
 * The floor: the least a Worker can do for a list. It reads the body, parses it, and answers bytes
 * it has had all along, with the request's id spliced in.
 */
import { env } from 'cloudflare:workers'

const ENCODER = new TextEncoder()
const REST = new Uint8Array((env as { REST: ArrayBuffer }).REST)

export default {
  async fetch(request) {
    if (request.method === 'GET') return new Response('up')
    const { id } = await request.json<{ id: unknown }>()
    const opening = ENCODER.encode(`{"jsonrpc":"2.0","id":${JSON.stringify(id)}`)
    const body = new Uint8Array(opening.length + REST.length)
    body.set(opening)
    body.set(REST, opening.length)
    return new Response(body, { headers: { 'content-type': 'application/json' } })
  },
} satisfies ExportedHandler
