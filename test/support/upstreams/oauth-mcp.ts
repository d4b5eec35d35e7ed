/** The smallest MCP server (2025-06-18, no sessions): one tool, which says who calls. */
import type { ServerResponse } from 'node:http'

const TOOL = { name: 'whoami', description: 'Who calls', inputSchema: { type: 'object' } }

/** Answers one message of a user. */
export function mcpAnswer(response: ServerResponse, text: string, user: string): void {
  const message = text === '' ? {} : JSON.parse(text)
  const results = new Map<string, object>([
    [
      'initialize',
      {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'Guarded', version: '1' },
      },
    ],
    ['ping', {}],
    ['tools/list', { tools: [TOOL] }],
    ['tools/call', { content: [{ type: 'text', text: `You are ${user}` }] }],
  ])
  if (message.id === undefined) return void response.writeHead(202).end()
  const result = results.get(message.method)
  const error = { code: -32601, message: 'Method not found' }
  const answer = { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}
