/** The nearest peer: mcp-lite with the same tools, stateless, answering JSON. */
import { env } from 'cloudflare:workers'
import { McpServer, StreamableHttpTransport } from 'mcp-lite'

type Tool = { name: string; description: string; inputSchema: unknown }

const server = new McpServer({ name: 'bench', version: '1.0.0' })
for (const { name, description, inputSchema } of (env as { TOOLS: Tool[] }).TOOLS) {
  server.tool(name, { description, inputSchema, handler: () => ({ content: [] }) })
}
const answer = new StreamableHttpTransport().bind(server)

export default {
  fetch: (request) => answer(request),
} satisfies ExportedHandler
