/** A check of any answer of convai against the schema of its path and status (`convai-api.md` §10). */
import type { Schema } from '@cfworker/json-schema'
import assert from 'node:assert/strict'
import {
  assertSchema,
  ENVIRONMENT_VARIABLE,
  ERROR,
  LIST_TOOLS_RESPONSE,
  MCP_SERVER_RESPONSE,
  VALIDATION_ERROR,
} from './convai-schemas.ts'

/** What a list of configurations is, E3. */
const SERVERS: Schema = {
  type: 'object',
  required: ['mcp_servers'],
  properties: { mcp_servers: { type: 'array', items: MCP_SERVER_RESPONSE } },
  $defs: MCP_SERVER_RESPONSE.$defs ?? {},
}
/** A list of variables that is filtered by an environment has only that (§6). */
const VARIABLES: Schema = {
  type: 'object',
  required: ['environment_variables', 'has_more'],
  properties: {
    environment_variables: { type: 'array', items: { type: 'object' } },
    has_more: { type: 'boolean' },
    next_cursor: { type: ['string', 'null'] },
  },
}

/** What success is, by path; `*` is a segment. */
const SUCCESS: readonly (readonly [method: string, path: string, schema: Schema])[] = [
  ['GET', '/v1/convai/mcp-servers/*/tools', LIST_TOOLS_RESPONSE],
  ['POST', '/v1/convai/mcp-servers', MCP_SERVER_RESPONSE],
  ['GET', '/v1/convai/mcp-servers', SERVERS],
  ['GET', '/v1/convai/mcp-servers/*', MCP_SERVER_RESPONSE],
  ['PATCH', '/v1/convai/mcp-servers/*', MCP_SERVER_RESPONSE],
  ['PATCH', '/v1/convai/mcp-servers/*/approval-policy', MCP_SERVER_RESPONSE],
  ['POST', '/v1/convai/mcp-servers/*/tool-approvals', MCP_SERVER_RESPONSE],
  ['DELETE', '/v1/convai/mcp-servers/*/tool-approvals/*', MCP_SERVER_RESPONSE],
  ['POST', '/v1/convai/mcp-servers/*/tool-configs', MCP_SERVER_RESPONSE],
  ['PATCH', '/v1/convai/mcp-servers/*/tool-configs/*', MCP_SERVER_RESPONSE],
  ['DELETE', '/v1/convai/mcp-servers/*/tool-configs/*', MCP_SERVER_RESPONSE],
  ['GET', '/v1/convai/environment-variables', VARIABLES],
  ['POST', '/v1/convai/environment-variables', ENVIRONMENT_VARIABLE],
  ['GET', '/v1/convai/environment-variables/*', ENVIRONMENT_VARIABLE],
  ['PATCH', '/v1/convai/environment-variables/*', ENVIRONMENT_VARIABLE],
]

/** Fails unless an answer has an id, and a body as documented for its path and status. */
export function assertDocumented(
  { method, path }: { method: string; path: string },
  { status, headers, json }: { status: number; headers: Headers; json: unknown },
): void {
  const id = headers.get('x-request-id') ?? ''
  assert.match(id, /^[0-9a-f-]{36}$/)
  if (status === 422) return assertSchema(VALIDATION_ERROR, json)
  if (status >= 400) {
    assertSchema(ERROR, json)
    assert.equal((json as { detail: { request_id: string } }).detail.request_id, id)
    return
  }
  const [pathname = ''] = path.split('?')
  const found = SUCCESS.find(([of, pattern]) => of === method && isOf(pathname, pattern))
  if (found !== undefined) assertSchema(found[2], json)
}

function isOf(path: string, pattern: string): boolean {
  const segments = path.split('/')
  const parts = pattern.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part === '*' || part === segments[index])
  )
}
