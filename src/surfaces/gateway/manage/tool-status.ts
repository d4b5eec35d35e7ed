/** Pausing and resuming one tool of a server: two tools of one form. */
import * as z from 'zod'
import { patchTool } from '../../server-writes.ts'
import { manageTool, REPLACES, SETS, type ManageTool } from './manage-tool.ts'
import { ServerArgument } from './server-rows.ts'

const MAX_NAME_LENGTH = 64

/** A name of a tool as its server has it. */
export const ToolArgument = z.string().min(1).max(MAX_NAME_LENGTH)

/** The tool that gives a server's tool a status. */
export function toolStatusTool(
  status: 'active' | 'paused',
  words: { operation: string; title: string; description: string },
): ManageTool {
  return manageTool({
    ...words,
    act: 'tools.write',
    input: z.strictObject({
      server: ServerArgument,
      tool: ToolArgument.meta({
        description: 'Name of the tool on its server, without what stands before it here',
      }),
    }),
    output: z.strictObject({
      server: z.string(),
      tool: z.string(),
      status: z.enum(['active', 'paused']),
    }),
    hints: status === 'paused' ? REPLACES : SETS, // who uses a paused tool is without it
    async run(call, { server, tool }) {
      await patchTool(call, { server, name: tool }, { status }, call.write)
      return { server, tool, status }
    },
  })
}
