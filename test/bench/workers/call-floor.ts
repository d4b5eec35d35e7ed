/**
 * The floor of a call of an HTTP tool: the least a Worker can do for it. It reads the body, parses it,
 * fetches the API and answers the text it gets.
 */
import { env } from 'cloudflare:workers'

const { UPSTREAM } = env as { UPSTREAM: string }

type Call = { id: unknown; params: { arguments: { city: string } } }

export default {
  async fetch(request) {
    const { id, params } = await request.json<Call>()
    const response = await fetch(`${UPSTREAM}/${encodeURIComponent(params.arguments.city)}`)
    const result = { content: [{ type: 'text', text: await response.text() }] }
    return Response.json({ jsonrpc: '2.0', id, result })
  },
} satisfies ExportedHandler
