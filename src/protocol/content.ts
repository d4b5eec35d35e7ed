/** MCP's content blocks, all revisions together (`mcp-protocol.md` §6.2). Open, as MCP's objects are. */
import * as z from 'zod'

export const Meta = z.record(z.string(), z.unknown())

export const Icon = z.looseObject({
  src: z.string(),
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
})

const Media = { data: z.base64(), mimeType: z.string() }

const EmbeddedResource = z.union([
  z.looseObject({ uri: z.string(), text: z.string() }),
  z.looseObject({ uri: z.string(), blob: z.base64() }),
])

export const ContentBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), ...Media }),
  z.looseObject({ type: z.literal('audio'), ...Media }),
  z.looseObject({ type: z.literal('resource'), resource: EmbeddedResource }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
])
export type ContentBlock = z.infer<typeof ContentBlock>
