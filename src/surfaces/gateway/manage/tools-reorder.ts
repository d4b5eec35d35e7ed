/** `manage__tools_reorder`: the order in which a server's tools are listed (`surfaces.md` D14). */
import * as z from 'zod'
import { MAX_TOOLS } from '../../../catalog/server-file.ts'
import { reorderTools } from '../../server-writes.ts'
import { manageTool, REPLACES } from './manage-tool.ts'
import { ServerArgument } from './server-rows.ts'
import { ToolArgument } from './tool-status.ts'

export const toolsReorder = manageTool({
  operation: 'tools_reorder',
  act: 'tools.write',
  title: 'Reorder tools',
  description:
    'Puts the named tools of a server first, in this order; the rest follow as before. Answers all names in their new order, paused tools included. Only for admins.',
  input: z.strictObject({
    server: ServerArgument,
    names: z.array(ToolArgument).max(MAX_TOOLS).meta({
      description: 'Names of tools on their server, without what stands before them here',
    }),
  }),
  output: z.strictObject({ server: z.string(), names: z.array(z.string()) }),
  hints: REPLACES, // the order that was is gone
  async run(call, { server, names }) {
    const order = await reorderTools(call, server, names, call.write)
    return { server, names: order.names }
  },
})
