/**
 * What makes a server remote: where the MCP server behind it is, how it is spoken to, and what the
 * operator changed of what it offers. All of it is kept with the settings, so it survives refreshes.
 */
import * as z from 'zod'
import { Auth } from './auth.ts'
import { ConstantHeaders } from './headers.ts'
import { MAX_TIMEOUT_SECONDS } from './http.ts'

export const DEFAULT_REMOTE_TIMEOUT_SECONDS = 60
const DEFAULT_REFRESH_SECONDS = 600
const MAX_OVERRIDES = 20_000

/** A tool of a remote server, called there by the name it has there. */
export const McpHandler = z.strictObject({
  kind: z.literal('mcp').meta({ description: 'A tool of a remote MCP server' }),
  name: z.string().min(1).max(1000).meta({ description: 'Its name there' }),
})
export type McpHandler = z.infer<typeof McpHandler>

export const Remote = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(4096)
    .meta({ description: 'Its MCP endpoint' }),
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
})
export type Remote = z.infer<typeof Remote>

/** What an operator changed of a remote tool; what is absent stays the remote server's. */
export const ToolOverride = z.strictObject({
  name: z.string().optional(),
  title: z.string().max(1000).optional(),
  description: z.string().max(20_000).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  status: z.enum(['active', 'paused']).optional(),
  sortOrder: z.int().min(0).max(1_000_000_000).optional(),
})
export type ToolOverride = z.infer<typeof ToolOverride>

/** Overrides by the name a tool has at the remote server. */
export const Overrides = z
  .record(z.string().min(1).max(1000), ToolOverride)
  .refine((all) => Object.keys(all).length <= MAX_OVERRIDES, `may have ${MAX_OVERRIDES} members`)
