/**
 * What makes a server remote: where the MCP server behind it is and how it is spoken to, and what
 * binds one of its tools. What an operator changed of those stands in catalog/overrides.ts.
 */
import * as z from 'zod'
import { Auth } from './auth.ts'
import { ConstantHeaders } from './headers.ts'
import { MAX_TIMEOUT_SECONDS } from './http.ts'
import { OpenUrl } from './open-url.ts'

export const DEFAULT_REMOTE_TIMEOUT_SECONDS = 60
export const DEFAULT_REFRESH_SECONDS = 600

/** A tool of a remote server, called there by the name it has there. */
export const McpHandler = z.strictObject({
  kind: z.literal('mcp').meta({ description: 'A tool of a remote MCP server' }),
  name: z.string().min(1).max(1000).meta({ description: 'Its name there' }),
})
export type McpHandler = z.infer<typeof McpHandler>

export const Remote = z.strictObject({
  url: OpenUrl.meta({ description: 'Its MCP endpoint' }),
  transport: z.enum(['auto', 'sse']).default('auto').meta({
    description:
      'auto: Streamable HTTP, of whichever era; sse: HTTP+SSE of 2024-11-05 where it answers nothing newer',
  }),
  headers: ConstantHeaders.optional(),
  auth: Auth.default({ type: 'none' }),
  timeoutSeconds: z
    .number()
    .min(0.1)
    .max(MAX_TIMEOUT_SECONDS)
    .default(DEFAULT_REMOTE_TIMEOUT_SECONDS),
  refreshSeconds: z.int().min(30).max(86_400).default(DEFAULT_REFRESH_SECONDS).meta({
    description: 'How often its lists are read again, at the latest',
  }),
  watchLists: z.boolean().default(false).meta({
    description:
      'Hold a stream to it while clients listen, so that changes of its lists are told at once',
  }),
})
export type Remote = z.infer<typeof Remote>
