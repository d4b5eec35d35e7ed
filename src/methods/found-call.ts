/** A call whose tool was found, and what it is found with (tools-call.ts). */
import type { CallableTool, Catalog } from '../catalog/catalog.ts'
import type { CallToolResult } from '../protocol/tool.ts'
import type { Exchange } from './exchange.ts'
import type { Prepared, Subject } from './prepared.ts'

/** What a call is prepared from; `headers` are undefined where it did not come over MCP. */
export type CallExchange = Omit<Exchange, 'headers' | 'cursorKeys' | 'talk' | 'catalogAt'> & {
  headers: Headers | undefined
  /** Whether a person allows just this call. */
  isAllowed?: boolean
}

/** A call whose tool was found; `key` names the tool for as long as it does not change. */
export type FoundCall = {
  exchange: CallExchange
  catalog: Catalog
  subject: Subject
  callable: CallableTool
  key: string
}

export type Args = Readonly<Record<string, unknown>>

/** What is said of a call where the organization could not be asked: it did not run. */
export const UNCHECKED = 'The tool could not be checked just now. Retry in a few seconds.'

/** A call that does not run, and says why. */
export function failure(subject: Subject, text: string, code?: string): Prepared {
  const result: CallToolResult = {
    content: [{ type: 'text', text }],
    isError: true,
    ...(code !== undefined && { structuredContent: { error: { code, message: text } } }),
  }
  return { subject, work: { kind: 'static', steps: [], result } }
}
