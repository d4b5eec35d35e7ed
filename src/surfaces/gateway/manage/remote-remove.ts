/** `manage__remote_remove`: takes a remote MCP server away (`surfaces.md` C14, D14). */
import { deleteServer } from '../../server-writes.ts'
import { deskOf, requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { dropSecretsOf } from './remote-secret.ts'
import { requireRemote } from './require-remote.ts'
import { SERVER_ARGUMENT } from './server-rows.ts'

export const remoteRemove: ManageTool = {
  operation: 'remote_remove',
  definition: {
    name: 'manage__remote_remove',
    description:
      'Takes a remote MCP server out of the organization, for everybody, with its keys and the credential that it was added with. Needs the permission connections:org.',
    inputSchema: {
      type: 'object',
      properties: { server: SERVER_ARGUMENT },
      required: ['server'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { removed: { type: 'string', description: 'Id of the server that was' } },
      required: ['removed'],
    },
    annotations: {
      title: 'Remove a remote server',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    },
  },
  async run(call) {
    const write = requireAct(call, 'remote.write')
    const record = await requireRemote(call)
    // As it was seen: one that has become a connector since is not removed so.
    await deleteServer(deskOf(call), record.id, { ...write, expected: record.revision })
    await dropSecretsOf(call, record, write)
    return structuredResult({ removed: record.id })
  },
}
