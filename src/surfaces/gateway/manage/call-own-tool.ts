/**
 * A call of a `manage__*` tool: its caller is asked of the organization anew, as on the admin API, it
 * has to be there still, its arguments are checked as any tool's, and a refusal is a result.
 */
import { writerOf } from '../../../callers/may.ts'
import { organizationOf } from '../../../objects/resident.ts'
import { HttpError } from '../../../protocol/http-error.ts'
import type { CallToolResult } from '../../../protocol/tool.ts'
import { findViolations, withDefaults } from '../../../upstream/arguments.ts'
import { newestSite } from '../principal.ts'
import type { Site } from '../site.ts'
import { refusalResult } from '../tool-refusal.ts'
import { MANAGE_TOOLS } from './definitions.ts'
import type { ManageCall } from './manage-tool.ts'

const TOOLS = new Map(MANAGE_TOOLS.map((tool) => [tool.operation, tool]))

type OwnCall = Pick<ManageCall, 'args'> & { operation: string }

/** Runs a tool that was listed a moment ago. */
export async function callOwnTool(
  listed: Site,
  { operation, args }: OwnCall,
  runHeld: ManageCall['runHeld'],
): Promise<CallToolResult | 'not found'> {
  const tool = TOOLS.get(operation)
  if (tool === undefined) throw new Error(`${operation} is listed and is not there`)
  const { name, inputSchema } = tool.definition
  const site = await newestSite(listed)
  if (!site.shown.tools.names.has(name)) return 'not found'
  const filled = withDefaults(inputSchema, args)
  const violations = findViolations(`own ${name}`, inputSchema, filled)
  if (violations.length > 0) {
    const text = `Invalid arguments for ${name}:\n${violations.join('\n')}`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const { platform, visit, caller } = site
  const { organization } = caller.principal
  const actor = { principal: caller.principal, credentialKind: caller.credential.kind }
  const stub = organizationOf(platform.env, organization)
  try {
    return await tool.run({
      site,
      args: filled,
      platform,
      visit,
      actor,
      organization,
      stub,
      write: writerOf(actor),
      runHeld,
    })
  } catch (error) {
    if (error instanceof HttpError) return refusalResult(error)
    throw error
  }
}
