/** Tools as an operator writes them, and the handlers that serve their calls. */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'
import { findParamHeaders } from '../protocol/param-headers.ts'
import { Steps } from '../handlers/steps.ts'
import { CallToolResult, Tool } from '../protocol/tool.ts'
import { invalid } from './issues.ts'
import { Placement, readItem, tooLong, type Form, type ItemRecord } from './item.ts'
import { ToolName } from './names.ts'

export const MAX_INPUT_SCHEMA_BYTES = 256 * 1024

const Handler = z.strictObject({
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
  ...Placement,
})

export const TOOL_FORM: Form = {
  kind: 'tools',
  schema: ToolInput,
  name: 'name',
  serving: ['handler', 'requires'],
  problems: ({ inputSchema }) => [
    ...tooLong('inputSchema', JSON.stringify(inputSchema), MAX_INPUT_SCHEMA_BYTES),
    ...findParamHeaders(inputSchema).problems,
  ],
}

/** Reads one tool, or throws 422 naming each wrong field below `at`. */
export function parseTool(value: unknown, at = ''): ItemRecord {
  const { record, details } = readItem(TOOL_FORM, value, at)
  if (record === undefined) throw invalid(details)
  return record
}

/** Whether a tool's binding has a step that logs: the server then offers log levels. */
export function isLogging(binding: Binding): boolean {
  return binding.handler.steps?.some((step) => isObject(step) && 'log' in step) ?? false
}
