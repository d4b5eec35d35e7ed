/** `manage__servers_list`: every server of the caller's organization (`surfaces.md` D13). */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { manageTool, READS } from './manage-tool.ts'
import { cutPage, NEXT, PAGE } from './pages.ts'
import { ServerRow, serverRow } from './server-rows.ts'

export const serversList = manageTool({
  operation: 'servers_list',
  act: 'servers.read',
  title: 'List servers',
  description:
    'Lists the servers of the organization, hosted and remote, also those that are not shown on this endpoint, with the ids that tools_pause, tools_resume and tools_reorder take.',
  input: z.strictObject(PAGE),
  output: z.strictObject({ servers: z.array(ServerRow), ...NEXT }),
  hints: READS,
  async run({ stub }, { cursor, limit }) {
    const found = valueOf(await stub.listServers(cursor, limit + 1))
    const { page, next } = cutPage(found, limit, ({ id }) => id)
    return { servers: page.map(serverRow), ...next }
  },
})
