/** `manage__remote_refresh`: reads a remote MCP server again (`surfaces.md` C14, D14). */
import { refreshServer } from '../../server-writes.ts'
import { deskOf, requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { requireRemote } from './require-remote.ts'
import { REMOTE_ROW, remoteRow, SERVER_ARGUMENT } from './server-rows.ts'

export const remoteRefresh: ManageTool = {
  operation: 'remote_refresh',
  definition: {
    name: 'manage__remote_refresh',
    description:
      'Reads the tools of a remote MCP server again now, rather than at its next time. Needs the permission connections:org.',
    inputSchema: {
      type: 'object',
      properties: { server: SERVER_ARGUMENT },
      required: ['server'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { remote: REMOTE_ROW },
      required: ['remote'],
    },
    annotations: {
      title: 'Refresh a remote server',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
  },
  async run(call) {
    requireAct(call, 'remote.write')
    const { id } = await requireRemote(call)
    return structuredResult({ remote: remoteRow(await refreshServer(deskOf(call), id)) })
  },
}
