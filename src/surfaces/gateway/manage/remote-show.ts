/** `manage__remote_show`: one remote MCP server, how it is, and the tools read from it (`surfaces.md` D13). */
import type { McpHandler } from '../../../handlers/remote.ts'
import { valueOf } from '../../../protocol/http-error.ts'
import { formatPlace, parsePlace } from '../../tool-place.ts'
import { requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { requireRemote } from './require-remote.ts'
import { CURSOR_ARGUMENT, REMOTE_ROW, remoteRow, SERVER_ARGUMENT } from './server-rows.ts'

const PAGE_LIMIT = 100

const text = { type: 'string' }

/** A tool as the organization has it, all that is told of one. */
type Tool = {
  name: string
  title?: string
  description?: string
  status: 'active' | 'paused'
  handler: McpHandler
}

export const remoteShow: ManageTool = {
  operation: 'remote_show',
  definition: {
    name: 'manage__remote_show',
    description:
      'Shows a remote MCP server of the organization: where it is, whether it answers, and its tools as they were read last, each with its name there and whether it is paused.',
    inputSchema: {
      type: 'object',
      properties: { server: SERVER_ARGUMENT, cursor: CURSOR_ARGUMENT },
      required: ['server'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        remote: REMOTE_ROW,
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: text,
              original_name: { type: 'string', description: 'Its name at the remote server' },
              title: text,
              description: text,
              status: { enum: ['active', 'paused'] },
            },
            required: ['name', 'original_name', 'status'],
            additionalProperties: false,
          },
        },
        next_cursor: { type: 'string', description: 'Of more tools; absent on the last page' },
      },
      required: ['remote', 'tools'],
    },
    annotations: {
      title: 'Show a remote server',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run(call) {
    requireAct(call, 'servers.read')
    const { cursor = '' } = call.args as { cursor?: string }
    const record = await requireRemote(call)
    const page = valueOf(await call.stub.listTools(record.id, parsePlace(cursor), PAGE_LIMIT))
    const tools = page.tools.map((each) => {
      const { name, title, description, status, handler } = JSON.parse(each) as Tool
      return { name, original_name: handler.name, title, description, status }
    })
    const next = page.next && { next_cursor: formatPlace(page.next) }
    return structuredResult({ remote: remoteRow(record), tools, ...next })
  },
}
