/**
 * Content of a remote server, which may be anything: what a client could not read is told in a text
 * block, so that one bad block spoils no answer. Unknown members pass.
 */
import { ContentBlock } from '../protocol/content.ts'
import { isObject } from '../protocol/json-rpc.ts'
import type { CallToolResult } from '../protocol/tool.ts'

/** A block as it is, or a text that says which one could not be read. */
export function relayedBlock(value: unknown): ContentBlock {
  const block = ContentBlock.safeParse(value)
  if (block.success) return block.data
  const type = isObject(value) && typeof value['type'] === 'string' ? value['type'] : 'unknown'
  return { type: 'text', text: `[unreadable content: ${type.slice(0, 50)}]` }
}

/** A call's result, whatever the remote server made of it. */
export function relayedCallResult(result: Readonly<Record<string, unknown>>): CallToolResult {
  const { content, structuredContent, isError, _meta, ...rest } = result
  return {
    ...rest,
    content: Array.isArray(content) ? content.map(relayedBlock) : [],
    ...(structuredContent !== undefined && { structuredContent }),
    ...(typeof isError === 'boolean' && { isError }),
    ...(isObject(_meta) && { _meta }),
  }
}
