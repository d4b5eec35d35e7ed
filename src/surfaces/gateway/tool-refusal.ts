/** A refusal of a tool: a result whose code a client branches on (`surfaces.md` C40, D15). */
import type { CallToolResult } from '../../protocol/tool.ts'

export type ToolRefusal = {
  code: string
  message: string
  /** Of the accounts to choose from (C43). */
  aliases?: readonly string[] | undefined
}

/** The result that a refusal is. */
export function refusalResult({ code, message, aliases }: ToolRefusal): CallToolResult {
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    structuredContent: { error: { code, message, ...(aliases && { aliases }) } },
  }
}
