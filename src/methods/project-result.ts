/** Results and content blocks as each revision may have them (`mcp-protocol.md` §6.2). */
import type { ContentBlock } from '../protocol/content.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { MODERN_REVISION, type Revision } from '../protocol/revisions.ts'
import type { CallToolResult } from '../protocol/tool.ts'

/**
 * A call's result for a client of `revision`: no `structuredContent` before 2025-06-18 and only
 * objects before 2026-07-28. What that revision adds to a result is never the stored one's to say.
 */
export function projectResult(result: CallToolResult, revision: Revision): CallToolResult {
  const { structuredContent, resultType, ttlMs, cacheScope, ...rest } = result
  const isFree = revision === MODERN_REVISION
  const isFit = isFree ? structuredContent !== undefined : isObject(structuredContent)
  const isKept = hasStructure(revision) && isFit
  const content = result.content.map((block) => projectBlock(block, revision))
  if (!isKept && structuredContent !== undefined && content.length === 0) {
    content.push({ type: 'text', text: JSON.stringify(structuredContent) }) // all there is to say
  }
  return { ...rest, content, ...(isKept && { structuredContent }) }
}

/**
 * A block for a client of `revision`: links as text and no `_meta` before 2025-06-18, audio as text
 * before 2025-03-26.
 */
export function projectBlock(block: ContentBlock, revision: Revision): ContentBlock {
  if (hasStructure(revision) || (block.type === 'text' && block['_meta'] === undefined))
    return block
  if (block.type === 'resource_link') return { type: 'text', text: `${block.name}: ${block.uri}` }
  if (block.type === 'audio' && revision === '2024-11-05') {
    return { type: 'text', text: `[audio ${block.mimeType}]` }
  }
  const { _meta, ...plain } = block
  if (plain.type !== 'resource') return plain
  const { _meta: inner, ...resource } = plain.resource
  return { ...plain, resource }
}

/** Whether a revision has what 2025-06-18 brought: structured content, links, `_meta` of blocks. */
function hasStructure(revision: Revision): boolean {
  return revision >= '2025-06-18'
}
