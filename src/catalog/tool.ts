/** Tools as an operator writes them, and the handlers that serve their calls. */
import * as z from 'zod'
import { isObject } from '../protocol/json-rpc.ts'
import { findParamHeaders } from '../protocol/param-headers.ts'
import { httpProblems } from '../handlers/http-problems.ts'
import { HttpHandler } from '../handlers/http.ts'
import { McpHandler } from '../handlers/remote.ts'
import { accountFieldsOf, secretsOf, usesAccount } from '../handlers/secret.ts'
import { Steps } from '../handlers/steps.ts'
import type { Detail } from '../protocol/http-error.ts'
import { CallToolResult, Tool } from '../protocol/tool.ts'
import { invalid } from './issues.ts'
import type { InputOverrides } from './overrides.ts'
import { Placement, readItem, tooLong, type Form, type ItemRecord } from './item.ts'
import { ToolName } from './names.ts'
import { MAX_RATE_LIMIT } from './server.ts'

/** What stands in the text of every binding that refers to a secret, or to the account. */
export const SECRET_MARK = '{"secret":"'
export const ACCOUNT_MARK = '{"account":"'

export const MAX_INPUT_SCHEMA_BYTES = 256 * 1024

const StaticHandler = z.strictObject({
  kind: z
    .literal('static')
    .meta({ description: 'A literal result, {argument} filled in its texts' }),
  result: CallToolResult,
  steps: Steps.optional().meta({ description: 'Sent before the result: progress, logs, waits' }),
})

const Handler = z.discriminatedUnion('kind', [StaticHandler, HttpHandler, McpHandler])

/** What a call needs: the handler, the client capabilities it cannot do without, and its limit. */
export const Binding = z.strictObject({
  handler: Handler,
  requires: z.record(z.string(), z.unknown()).optional(),
  rateLimit: z.int().min(1).max(MAX_RATE_LIMIT).optional().meta({
    description: 'Calls a minute for each key, or for each address where there is none',
  }),
})
/** What binds a tool of a remote server beside its handler, made of overrides and approvals. */
export type RemoteBinding = {
  /** Each call is for a person to allow (`surfaces.md` D19). */
  asks?: true
  /** The input schema it has at the remote server now, where another one was approved. */
  live?: Tool['inputSchema']
  timeoutSeconds?: number
  inputs?: InputOverrides
}

/** As it is stored: defaults are filled in where it runs. */
export type Binding = z.input<typeof Binding> & RemoteBinding

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
  serving: ['handler', 'requires', 'rateLimit'],
  problems: ({ inputSchema }, binding) => [
    ...tooLong('inputSchema', JSON.stringify(inputSchema), MAX_INPUT_SCHEMA_BYTES),
    ...findParamHeaders(inputSchema).problems,
    ...handlerProblems(binding as Binding, inputSchema),
  ],
}

/** Reads one tool, or throws 422 naming each wrong field below `at`. */
export function parseTool(value: unknown, at = ''): ItemRecord {
  const { record, details } = readItem(TOOL_FORM, value, at)
  if (record === undefined) throw invalid(details)
  return record
}

/** What is wrong with a handler that only the rest of its tool tells. */
function handlerProblems({ handler }: Binding, inputSchema: unknown): Detail[] {
  if (handler.kind === 'http') return httpProblems(handler, inputSchema)
  if (handler.kind === 'static') return []
  return [{ path: 'handler.kind', message: 'is "mcp" for the tools of a remote server alone' }]
}

/** Whether a tool, by its binding's text, uses a secret of the organization. */
export function usesSecret(binding: string): boolean {
  if (!binding.includes(SECRET_MARK)) return false
  const { handler } = JSON.parse(binding) as Binding
  return handler.kind === 'http' && secretsOf(handler).length > 0
}

/** Whether a tool, by its binding's text, uses the credential of an account. */
export function needsCredential(binding: string): boolean {
  if (!binding.includes(ACCOUNT_MARK)) return false
  const { handler } = JSON.parse(binding) as Binding
  return handler.kind === 'http' && usesAccount(handler)
}

/** The fields of an account's credential that a tool uses, by its binding's text. */
export function credentialFieldsOf(binding: string): string[] {
  if (!needsCredential(binding)) return []
  const { handler } = JSON.parse(binding) as Binding
  return handler.kind === 'http' ? accountFieldsOf(handler) : []
}

/** Whether a tool's binding has a step that logs: the server then offers log levels. */
export function isLogging(binding: Binding): boolean {
  const { handler } = binding
  if (handler.kind !== 'static') return false
  return handler.steps?.some((step) => isObject(step) && 'log' in step) ?? false
}
