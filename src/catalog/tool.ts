/**
 * A tool as an operator writes it: MCP's members, kept untouched with unknown ones included, beside
 * ours (`status`, `sortOrder`, `handler`, `requires`). Reading one checks it and splits it into the
 * two texts that are stored: the definition clients are shown, and the binding that serves a call.
 */
import * as z from 'zod'
import { encodeUtf8 } from '../protocol/bytes.ts'
import type { Detail } from '../protocol/http-error.ts'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { findParamHeaders } from '../protocol/param-headers.ts'
import { Steps } from '../protocol/steps.ts'
import { CallToolResult, Tool } from '../protocol/tool.ts'
import { detailsOf, invalid } from './issues.ts'
import { ToolName } from './names.ts'

const MAX_DEFINITION_BYTES = 1024 * 1024 // a row of the database holds 2 MB
const MAX_INPUT_SCHEMA_BYTES = 256 * 1024
const MAX_BINDING_BYTES = 1024 * 1024

export const ToolStatus = z.enum(['active', 'paused'])
export type ToolStatus = z.infer<typeof ToolStatus>

export const Handler = z.strictObject({
  kind: z
    .literal('static')
    .meta({ description: 'A literal result, {argument} filled in its texts' }),
  result: CallToolResult,
  steps: Steps.optional().meta({ description: 'Sent before the result: progress, logs, waits' }),
})

/** What a call needs: the handler, and the client capabilities the tool cannot do without. */
export const Binding = z.strictObject({
  handler: Handler,
  requires: z.record(z.string(), z.unknown()).optional(),
})
export type Binding = z.infer<typeof Binding>

export const ToolInput = z.looseObject({
  ...Tool.shape,
  name: ToolName,
  ...Binding.shape,
  status: ToolStatus.default('active'),
  sortOrder: z.int().min(0).max(1_000_000_000).optional(),
})

export type ToolRecord = {
  name: string
  status: ToolStatus
  sortOrder: number | undefined
  /** JSON text of the MCP tool object. */
  definition: string
  /** JSON text of the `Binding`. */
  binding: string
}

/** Reads one tool, or throws 422 naming each wrong field below `at`. */
export function parseTool(value: unknown, at = ''): ToolRecord {
  const { record, details } = readTool(value, at)
  if (record === undefined) throw invalid(details)
  return record
}

/** Reads one tool, or says what is wrong with it; for a file, whose tools are all told of at once. */
export function readTool(
  value: unknown,
  at: string,
): { record: ToolRecord | undefined; details: Detail[] } {
  // Depth first: what follows may walk by recursion.
  if (isDeeperThan(value, MAX_DEPTH + 1)) {
    return {
      record: undefined,
      details: [{ path: at, message: `nests deeper than ${MAX_DEPTH} levels` }],
    }
  }
  const checked = ToolInput.safeParse(value)
  if (!checked.success || !isObject(value)) {
    return { record: undefined, details: checked.success ? [] : detailsOf(checked.error, at) }
  }
  const { status, sortOrder, handler, requires, ...definition } = value
  const { name } = checked.data
  const record: ToolRecord = {
    name,
    status: checked.data.status,
    sortOrder: checked.data.sortOrder,
    definition: JSON.stringify(definition),
    binding: JSON.stringify({ handler, requires }),
  }
  const inside = (path: string) => (at === '' ? path : `${at}.${path}`)
  const tooLong = (path: string, text: string, limit: number): Detail[] =>
    exceeds(text, limit) ? [{ path: inside(path), message: `is over ${limit / 1024} KiB` }] : []
  const details = [
    ...(exceeds(record.definition, MAX_DEFINITION_BYTES)
      ? [{ path: at === '' ? name : at, message: `is over ${MAX_DEFINITION_BYTES / 1024} KiB` }]
      : []),
    ...tooLong('inputSchema', JSON.stringify(definition['inputSchema']), MAX_INPUT_SCHEMA_BYTES),
    ...tooLong('handler', record.binding, MAX_BINDING_BYTES),
    ...findParamHeaders(definition['inputSchema']).problems.map(({ path, message }) => ({
      path: inside(path),
      message,
    })),
  ]
  return { record: details.length > 0 ? undefined : record, details }
}

function exceeds(text: string, bytes: number): boolean {
  if (text.length * 3 <= bytes) return false // UTF-8 takes at most three bytes a UTF-16 unit
  return text.length > bytes || encodeUtf8(text).length > bytes
}
