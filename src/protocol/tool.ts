/**
 * MCP's tool shapes, all revisions together (`mcp-protocol.md` §5.1, §6.2). Open: members we do not
 * know pass through.
 */
import * as z from 'zod'

const Meta = z.record(z.string(), z.unknown())
const Schema = z.union([z.record(z.string(), z.unknown()), z.boolean()])

const Annotations = z.looseObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})

const Icon = z.looseObject({
  src: z.string(),
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
})

/** MCP's `Tool`, all revisions together (`mcp-protocol.md` §5.1). */
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

const Media = { data: z.base64(), mimeType: z.string() }
const Resource = z.union([
  z.looseObject({ uri: z.string(), text: z.string() }),
  z.looseObject({ uri: z.string(), blob: z.base64() }),
])

const ContentBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), ...Media }),
  z.looseObject({ type: z.literal('audio'), ...Media }),
  z.looseObject({ type: z.literal('resource'), resource: Resource }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
])
export type ContentBlock = z.infer<typeof ContentBlock>

/** MCP's `CallToolResult` (§6.2). */
export const CallToolResult = z.looseObject({
  content: z.array(ContentBlock),
  structuredContent: z.unknown().optional(),
  isError: z.boolean().optional(),
  _meta: Meta.optional(),
})
export type CallToolResult = z.infer<typeof CallToolResult>
