/** `manage__remote_refresh`: reads a remote MCP server again (`surfaces.md` C14, D14). */
import * as z from 'zod'
import { refreshServer } from '../../server-writes.ts'
import { manageTool, SETS } from './manage-tool.ts'
import { requireRemote } from './require-remote.ts'
import { RemoteState, remoteState, ServerArgument } from './server-rows.ts'

export const remoteRefresh = manageTool({
  operation: 'remote_refresh',
  act: 'remote.write',
  title: 'Refresh a remote server',
  description:
    'Reads the tools of a remote MCP server again now, rather than at its next time. Needs the permission connections:org.',
  input: z.strictObject({ server: ServerArgument }),
  output: z.strictObject({ remote: RemoteState }),
  hints: { ...SETS, openWorldHint: true },
  async run(call, { server }) {
    const { id } = await requireRemote(call, server)
    return { remote: remoteState(await refreshServer(call, id)) }
  },
})
