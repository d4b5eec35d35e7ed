/** Whether a call that was found may be made: its arguments, and what people have approved. */
import type { CallableTool } from '../catalog/catalog.ts'
import { checkArguments, findViolations, isCheckable } from '../upstream/arguments.ts'
import { failure, type Args, type FoundCall } from './found-call.ts'
import type { Prepared } from './prepared.ts'

/** The arguments with defaults, or the refusal of those that do not fit. */
export function checkCall(call: FoundCall, args: Args): { args: Args; refused?: Prepared } {
  const { subject, callable, key } = call
  const { tool } = callable
  const checked = filledArguments(key, callable, args)
  if (checked.violations.length > 0) {
    const lines = [`Invalid arguments for ${tool.name}:`, ...checked.violations]
    return { args, refused: failure(subject, lines.join('\n')) }
  }
  const refused = refusalByApproval(call, checked.args)
  return { args: checked.args, ...(refused && { refused }) }
}

/** The arguments with the defaults of a tool's schema, named by `key`, and what is wrong with them. */
export function filledArguments(
  key: string,
  { tool: { inputSchema }, binding: { handler } }: Pick<CallableTool, 'tool' | 'binding'>,
  args: Args,
): { args: Args; violations: string[] } {
  // Of a dialect that we do not know, the remote server is the one to say what is wrong.
  const isTheirs = handler.kind === 'mcp' && !isCheckable(inputSchema)
  return isTheirs ? { args, violations: [] } : checkArguments(key, inputSchema, args)
}

/** Why a call is not made of a tool that a person has to do with (`surfaces.md` D19). */
function refusalByApproval(
  { exchange: { isAllowed = false }, subject, callable, key }: FoundCall,
  args: Args,
): Prepared | undefined {
  const { asks, live } = callable.binding
  const { name } = callable.tool
  if (asks && !isAllowed) {
    const message = `A person must approve each call of ${name}, and nobody can be asked here.`
    return failure(subject, message, 'approval_required')
  }
  const violations =
    live !== undefined && isCheckable(live) ? findViolations(`${key} live`, live, args) : []
  if (violations.length === 0) return undefined
  const lines = [
    `${name} has changed since it was approved, and does not take these arguments any more:`,
    ...violations,
    'A person must approve what it is now.',
  ]
  return failure(subject, lines.join('\n'), 'tool_changed')
}
