/** `manage__tools_reorder`: the order in which a server's tools are listed (`surfaces.md` D14). */
import { reorderTools } from '../../server-writes.ts'
import { deskOf, requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { SERVER_ARGUMENT } from './server-rows.ts'

export const toolsReorder: ManageTool = {
  operation: 'tools_reorder',
  definition: {
    name: 'manage__tools_reorder',
    description:
      'Puts the named tools of a server first, in this order; the rest follow as before. Answers all names in their new order, paused tools included. Only for admins.',
    inputSchema: {
      type: 'object',
      properties: {
        server: SERVER_ARGUMENT,
        names: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 64 },
          maxItems: 20_000,
          description: 'Names of tools on their server, without what stands before them here',
        },
      },
      required: ['server', 'names'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        server: { type: 'string' },
        names: { type: 'array', items: { type: 'string' } },
      },
      required: ['server', 'names'],
    },
    annotations: {
      title: 'Reorder tools',
      readOnlyHint: false,
      destructiveHint: true, // the order that was is gone
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run(call) {
    const write = requireAct(call, 'tools.write')
    const { server, names } = call.args as { server: string; names: string[] }
    const order = await reorderTools(deskOf(call), server, names, write)
    return structuredResult({ server, names: order.names })
  },
}
