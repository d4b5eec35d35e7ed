/** A call of a `manage__*` tool: its arguments are checked as any tool's, and a refusal is a result. */
import { HttpError } from '../../../protocol/http-error.ts'
import type { CallToolResult } from '../../../protocol/tool.ts'
import { findViolations, withDefaults } from '../../../upstream/arguments.ts'
import { newestCaller } from '../principal.ts'
import type { Site } from '../site.ts'
import { refusalResult } from '../tool-refusal.ts'
import { MANAGE_TOOLS } from './definitions.ts'

const TOOLS = new Map(MANAGE_TOOLS.map((tool) => [tool.operation, tool]))

/** Runs a tool that is listed. */
export async function callOwnTool(
  site: Site,
  operation: string,
  args: Readonly<Record<string, unknown>>,
): Promise<CallToolResult> {
  const tool = TOOLS.get(operation)
  if (tool === undefined) throw new Error(`${operation} is listed and is not there`)
  const { name, inputSchema } = tool.definition
  const filled = withDefaults(inputSchema, args)
  const violations = findViolations(`own ${name}`, inputSchema, filled)
  if (violations.length > 0) {
    const text = `Invalid arguments for ${name}:\n${violations.join('\n')}`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const caller = await newestCaller(site) // what it may do now, not a minute ago
  const stub = site.platform.env.ORGANIZATION.getByName(caller.principal.organization)
  try {
    return await tool.run({ site: { ...site, caller }, args: filled, stub })
  } catch (error) {
    if (error instanceof HttpError) return refusalResult(error)
    throw error
  }
}
