/**
 * The floor of a call of an HTTP tool: the least a Worker can do for it. It reads the body, parses it,
 * fetches the API and answers the text it gets. What it gets with a token is for no cache.
 */
import { env } from 'cloudflare:workers'

const { UPSTREAM, TOKEN } = env as { UPSTREAM: string; TOKEN?: string }

type Call = { id: unknown; params: { arguments: { city: string } } }

export default {
  async fetch(request) {
    const { id, params } = await request.json<Call>()
    const url = `${UPSTREAM}/${encodeURIComponent(params.arguments.city)}`
    const response = await (TOKEN === undefined
      ? fetch(url)
      : fetch(url, { headers: { authorization: `Bearer ${TOKEN}` }, cache: 'no-store' }))
    const result = { content: [{ type: 'text', text: await response.text() }] }
    return Response.json({ jsonrpc: '2.0', id, result })
  },
} satisfies ExportedHandler
