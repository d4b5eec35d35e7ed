/** Pausing and resuming one tool of a server: two tools with one schema. */
import { patchTool } from '../../server-writes.ts'
import { deskOf, requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { SERVER_ARGUMENT } from './server-rows.ts'

const text = { type: 'string' }

/** The tool that gives a server's tool a status. */
export function toolStatusTool(
  operation: string,
  status: 'active' | 'paused',
  words: { title: string; description: string },
): ManageTool {
  return {
    operation,
    definition: {
      name: `manage__${operation}`,
      description: words.description,
      inputSchema: {
        type: 'object',
        properties: {
          server: SERVER_ARGUMENT,
          tool: {
            type: 'string',
            minLength: 1,
            maxLength: 64,
            description: 'Name of the tool on its server, without what stands before it here',
          },
        },
        required: ['server', 'tool'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { server: text, tool: text, status: { enum: ['active', 'paused'] } },
        required: ['server', 'tool', 'status'],
      },
      annotations: {
        title: words.title,
        readOnlyHint: false,
        destructiveHint: status === 'paused', // who uses the tool is without it
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    async run(call) {
      const write = requireAct(call, 'tools.write')
      const { server, tool } = call.args as { server: string; tool: string }
      await patchTool(deskOf(call), { server, name: tool }, { status }, write)
      return structuredResult({ server, tool, status })
    },
  }
}
