/** The result of a tool in text for people: texts as they are, everything else in a line each. */
import { escapeControls, oneLine } from './plain-text.ts'

type Block = Readonly<Record<string, unknown>>

/** What a `CallToolResult` says; its structured content where it has no text. */
export function describeResult(result: unknown): string {
  const { content, structuredContent } = (result ?? {}) as Record<string, unknown>
  if (!Array.isArray(content)) return escapeControls(JSON.stringify(result, null, 2))
  const hasText = content.some((block: Block) => block['type'] === 'text')
  const lines = content.map(describeBlock)
  if (!hasText && structuredContent !== undefined) {
    lines.push(escapeControls(JSON.stringify(structuredContent, null, 2)))
  }
  return lines.length === 0 ? '[no content]' : lines.join('\n')
}

function describeBlock(block: Block): string {
  const { type, text, data, mimeType, uri } = block
  if (type === 'text') return escapeControls(typeof text === 'string' ? text : '')
  const resource = (block['resource'] ?? {}) as Block
  const bytes = bytesOf(data ?? resource['blob'], resource['text'])
  const facts = [type, uri ?? resource['uri'], mimeType ?? resource['mimeType'], bytes]
  const words = facts.filter((fact): fact is string => typeof fact === 'string')
  return `[${words.map(oneLine).join(' ')}]`
}

function bytesOf(base64: unknown, text: unknown): string | undefined {
  if (typeof base64 === 'string') return formatBytes(Buffer.byteLength(base64, 'base64'))
  return typeof text === 'string' ? formatBytes(Buffer.byteLength(text)) : undefined
}

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}
