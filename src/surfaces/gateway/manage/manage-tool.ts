/** A `manage__*` tool: its MCP object, and what it does with the caller's rights (`surfaces.md` D13). */
import * as z from 'zod'
import { requireMay, type Act } from '../../../callers/may.ts'
import type { OwnTool } from '../../../catalog/gateway.ts'
import { requireValid } from '../../../catalog/issues.ts'
import type { Write } from '../../../objects/organization/context.ts'
import type { CallToolResult } from '../../../protocol/tool.ts'
import type { Acting } from '../../acting.ts'
import { schemaOf } from '../../json-schema.ts'
import type { Site } from '../site.ts'

/** A call whose arguments fit the tool's input schema, by the caller as it stands now. */
export type ManageCall = Acting & {
  site: Site
  args: Readonly<Record<string, unknown>>
  /** Who writes, for the audit log. */
  write: Write
  /** Runs a held call of the caller's own that was approved; undefined where it is not, or runs already. */
  runHeld: (site: Site, id: string) => Promise<CallToolResult | undefined>
}

export type ManageTool = OwnTool & { run: (call: ManageCall) => Promise<CallToolResult> }

type Hints = {
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
  /** Whether it deals with what is outside of Rollcall; absent: it does not. */
  openWorldHint?: boolean
}

/** What only looks. */
export const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
/** What adds something each time it is called. */
export const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
/** What puts something as it is to be, and takes nothing away. */
export const SETS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }
/** What something is replaced or taken away by, once. */
export const REPLACES: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

type Form<I, O> = {
  operation: string
  /** What a caller has to be allowed at least; a tool may ask for more. */
  act: Act
  title: string
  description: string
  input: z.ZodType<I>
  output: z.ZodType<O>
  hints: Hints
  run: (call: ManageCall, args: I) => Promise<O>
}

/** A tool whose schemas are those of the forms that it reads and answers. */
export function manageTool<I, O extends object>(form: Form<I, O>): ManageTool {
  const { operation, act, title, description, input, output, hints } = form
  return {
    operation,
    definition: {
      name: `manage__${operation}`,
      description,
      inputSchema: { ...schemaOf(input, 'input'), type: 'object' },
      outputSchema: schemaOf(output, 'output'),
      annotations: { title, openWorldHint: false, ...hints },
    },
    async run(call) {
      requireMay(call.actor, act)
      return structuredResult(await form.run(call, requireValid(input, call.args)))
    },
  }
}

/** A result that is an object: as structure, and as text for whoever reads that alone. */
export function structuredResult(
  structuredContent: object,
  text: unknown = structuredContent,
): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(text) }], structuredContent }
}
