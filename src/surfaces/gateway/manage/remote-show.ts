/** `manage__remote_show`: one remote MCP server, how it is, and the tools read from it (`surfaces.md` D13). */
import * as z from 'zod'
import { Status } from '../../../catalog/item.ts'
import { McpHandler } from '../../../handlers/remote.ts'
import { valueOf } from '../../../protocol/http-error.ts'
import { formatPlace, parsePlace } from '../../tool-place.ts'
import { manageTool, READS } from './manage-tool.ts'
import { NEXT, PAGE } from './pages.ts'
import { requireRemote } from './require-remote.ts'
import { RemoteState, remoteState, ServerArgument } from './server-rows.ts'

const RemoteTool = z.strictObject({
  name: z.string(),
  originalName: z.string().meta({ description: 'Its name at the remote server' }),
  title: z.string().optional(),
  description: z.string().optional(),
  status: Status,
})

/** What is told of a tool as it is stored. */
const StoredTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  status: Status,
  handler: McpHandler,
})

export const remoteShow = manageTool({
  operation: 'remote_show',
  act: 'servers.read',
  title: 'Show a remote server',
  description:
    'Shows a remote MCP server of the organization: where it is, whether it answers, and its tools as they were read last, each with its name there and whether it is paused.',
  input: z.strictObject({ server: ServerArgument, ...PAGE }),
  output: z.strictObject({ remote: RemoteState, tools: z.array(RemoteTool), ...NEXT }),
  hints: READS,
  async run(call, { server, cursor, limit }) {
    const after = parsePlace(cursor)
    const record = await requireRemote(call, server)
    const { tools, next } = valueOf(await call.stub.listTools(server, after, limit))
    return {
      remote: remoteState(record),
      tools: tools.map((text) => {
        const { handler, ...tool } = StoredTool.parse(JSON.parse(text))
        return { originalName: handler.name, ...tool }
      }),
      ...(next && { nextCursor: formatPlace(next) }),
    }
  },
})
