/** `manage__remote_list`: the remote MCP servers of the caller's organization (`surfaces.md` D13). */
import { requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { CURSOR_ARGUMENT, readServers, SERVER_ROW, serverRow } from './server-rows.ts'

const url = { type: 'string', description: 'Its MCP endpoint' }

export const remoteList: ManageTool = {
  operation: 'remote_list',
  definition: {
    name: 'manage__remote_list',
    description:
      'Lists the remote MCP servers that the organization has added. remote_show tells more of one.',
    inputSchema: {
      type: 'object',
      properties: { cursor: CURSOR_ARGUMENT },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        remotes: {
          type: 'array',
          items: {
            ...SERVER_ROW,
            properties: { ...SERVER_ROW.properties, url },
            required: [...SERVER_ROW.required, 'url'],
          },
        },
        next_cursor: { type: 'string', description: 'Absent on the last page' },
      },
      required: ['remotes'],
    },
    annotations: {
      title: 'List remote servers',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run(call) {
    requireAct(call, 'servers.read')
    const { records, ...next } = await readServers(call, 'remote')
    const remotes = records.map((record) => {
      return { ...serverRow(record), url: record.settings.remote?.url ?? '' }
    })
    return structuredResult({ remotes, ...next })
  },
}
