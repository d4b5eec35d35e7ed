/** `manage__servers_list`: every server of the caller's organization (`surfaces.md` D13). */
import { requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { CURSOR_ARGUMENT, readServers, SERVER_ROW, serverRow } from './server-rows.ts'

export const serversList: ManageTool = {
  operation: 'servers_list',
  definition: {
    name: 'manage__servers_list',
    description:
      'Lists the servers of the organization, hosted and remote, also those that are not shown on this endpoint. To learn the ids that tools_pause, tools_resume and tools_reorder take.',
    inputSchema: {
      type: 'object',
      properties: { cursor: CURSOR_ARGUMENT },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        servers: { type: 'array', items: SERVER_ROW },
        next_cursor: { type: 'string', description: 'Absent on the last page' },
      },
      required: ['servers'],
    },
    annotations: {
      title: 'List servers',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run(call) {
    requireAct(call, 'servers.read')
    const { records, ...next } = await readServers(call, 'all')
    return structuredResult({ servers: records.map(serverRow), ...next })
  },
}
