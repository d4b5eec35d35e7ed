/** A refusal of a tool: a result whose code a client branches on (`surfaces.md` C40, D15). */
import type { CallToolResult } from '../../protocol/tool.ts'

export type ToolRefusal = {
  code: string
  message: string
  /** Of the accounts to choose from (C43). */
  aliases?: readonly string[] | undefined
}

/** Codes whose envelope stands in the text, too, where clients look for it (C40). */
const IN_TEXT: ReadonlySet<string> = new Set(['session_required'])

/** The result that a refusal is. */
export function refusalResult({ code, message, aliases }: ToolRefusal): CallToolResult {
  const envelope = { error: { code, message, ...(aliases && { aliases }) } }
  const text = IN_TEXT.has(code) ? JSON.stringify(envelope) : message
  return { content: [{ type: 'text', text }], isError: true, structuredContent: envelope }
}
