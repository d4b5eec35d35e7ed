/** MCP's tool shapes, all revisions together (`mcp-protocol.md` §5.1, §6.2). Open. */
import * as z from 'zod'
import { ContentBlock, Icon, Meta } from './content.ts'

const Schema = z.union([z.record(z.string(), z.unknown()), z.boolean()])

const Annotations = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})

export const Tool = z.looseObject({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({
    type: z.literal('object'),
    properties: z.record(z.string(), Schema).optional(),
    required: z.array(z.string()).optional(),
  }),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: Annotations.optional(),
  icons: z.array(Icon).optional(),
  execution: z
    .looseObject({ taskSupport: z.enum(['forbidden', 'optional', 'required']).optional() })
    .optional(),
  _meta: Meta.optional(),
})
export type Tool = z.infer<typeof Tool>

export const CallToolResult = z.looseObject({
  content: z.array(ContentBlock),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: Meta.optional(),
})
export type CallToolResult = z.infer<typeof CallToolResult>
