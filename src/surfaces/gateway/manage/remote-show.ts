/** `manage__remote_show`: one remote MCP server, how it is, and the tools read from it (`surfaces.md` D13). */
import * as z from 'zod'
import { ApprovalState } from '../../../catalog/approval.ts'
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
  approval: ApprovalState.optional().meta({
    description:
      'Whether a person approved it, as the remote server offers it now; absent: it is not offered any more',
  }),
  asks: z.boolean().meta({ description: 'Whether each call waits for a person' }),
})

/** What is told of a tool as it is stored. */
const StoredTool = z.object({
  name: z.string(),
  title: z.string().optional(),
  description: z.string().optional(),
  status: Status,
  handler: McpHandler,
  asks: z.boolean().default(false),
})

export const remoteShow = manageTool({
  operation: 'remote_show',
  act: 'servers.read',
  title: 'Show a remote server',
  description:
    'Shows a remote MCP server of the organization: where it is, whether it answers, and its tools as they were read last, each with its name there, whether it is paused, and whether it is approved as it is now.',
  input: z.strictObject({ server: ServerArgument, ...PAGE }),
  output: z.strictObject({ remote: RemoteState, tools: z.array(RemoteTool), ...NEXT }),
  hints: READS,
  async run(call, { server, cursor, limit }) {
    const after = parsePlace(cursor)
    const record = await requireRemote(call, server)
    const { tools, next } = valueOf(await call.stub.listTools(server, after, limit))
    const stored = tools.map((text) => StoredTool.parse(JSON.parse(text)))
    const originals = stored.map(({ handler }) => handler.name)
    const states = valueOf(await call.stub.toolStates(server, originals))
    const stateOf = new Map(states.map(({ tool, state }) => [tool, state]))
    return {
      remote: remoteState(record),
      tools: stored.map(({ handler: { name: originalName }, ...tool }) => {
        const approval = stateOf.get(originalName)
        return { originalName, ...tool, ...(approval && { approval }) }
      }),
      ...(next && { nextCursor: formatPlace(next) }),
    }
  },
})
