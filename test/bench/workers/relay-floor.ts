/**
 * The floor of a call that is relayed to an MCP server: the least a Worker can do for it. It reads the
 * body, parses it, POSTs the call under another id and answers the result it gets.
 */
import { env } from 'cloudflare:workers'

const { UPSTREAM } = env as { UPSTREAM: string }

type Call = { id: unknown; method: string; params: object }

export default {
  async fetch(request) {
    const { id, method, params } = await request.json<Call>()
    const response = await fetch(UPSTREAM, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result } = await response.json<{ result: unknown }>()
    return Response.json({ jsonrpc: '2.0', id, result })
  },
} satisfies ExportedHandler
