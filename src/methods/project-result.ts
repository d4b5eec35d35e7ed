/** A call's result as each revision may have it (`mcp-protocol.md` §6.2). */
import { isObject } from '../protocol/json-rpc.ts'
import { familyOf, MODERN_REVISION, type Revision } from '../protocol/revisions.ts'
import type { CallToolResult, ContentBlock } from '../protocol/tool.ts'

/**
 * The result for a client of `revision`: no `structuredContent` before 2025-06-18 and only objects
 * before 2026-07-28, links as text and no `_meta` for 2025-03-26, whose shapes lack them.
 */
export function projectResult(result: CallToolResult, revision: Revision): CallToolResult {
  if (revision === MODERN_REVISION) return result
  const oldest = familyOf(revision) === '2025-03-26'
  const { structuredContent, ...rest } = result
  const content = oldest ? result.content.map(linkAsText) : result.content
  return {
    ...rest,
    content,
    ...(!oldest && isObject(structuredContent) && { structuredContent }),
  }
}

function linkAsText(block: ContentBlock): ContentBlock {
  return block.type === 'resource_link'
    ? { type: 'text', text: `${block.name}: ${block.uri}` }
    : block
}
