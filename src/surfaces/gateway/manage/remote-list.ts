/** `manage__remote_list`: the remote MCP servers of the caller's organization (`surfaces.md` D13). */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { manageTool, READS } from './manage-tool.ts'
import { cutPage, NEXT, PAGE } from './pages.ts'
import { RemoteRow, remoteRow } from './server-rows.ts'

export const remoteList = manageTool({
  operation: 'remote_list',
  act: 'servers.read',
  title: 'List remote servers',
  description:
    'Lists the remote MCP servers that the organization has added. remote_show tells more of one.',
  input: z.strictObject(PAGE),
  output: z.strictObject({ remotes: z.array(RemoteRow), ...NEXT }),
  hints: READS,
  async run({ stub }, { cursor, limit }) {
    const found = valueOf(await stub.listServers(cursor, limit + 1, 'remote'))
    const { page, next } = cutPage(found, limit, ({ id }) => id)
    return { remotes: page.map(remoteRow), ...next }
  },
})
