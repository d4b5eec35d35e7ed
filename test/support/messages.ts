/** MCP messages and their headers, as clients of each era send them. */
import { CLAIM } from '../../src/protocol/envelope.ts'
import { MODERN_REVISION } from '../../src/protocol/revisions.ts'

export const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

/** A request of the session era. */
export function legacy(method: string, params: object = {}, id: string | number = 1) {
  return { jsonrpc: '2.0', id, method, params }
}

/** A request of the stateless era with its envelope. */
export function modern(
  method: string,
  params: object = {},
  meta: object = {},
  id: string | number = 1,
) {
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: { ...envelope(), ...meta } },
  }
}

/** The reserved keys every stateless request has. */
export function envelope(): Record<string, unknown> {
  return { [CLAIM]: MODERN_REVISION, 'io.modelcontextprotocol/clientCapabilities': {} }
}

/** The headers of a stateless request. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  return {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': MODERN_REVISION,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
  }
}
