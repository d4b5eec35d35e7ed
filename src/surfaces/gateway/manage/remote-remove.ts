/** `manage__remote_remove`: takes a remote MCP server away (`surfaces.md` C14, D14). */
import * as z from 'zod'
import { deleteServer } from '../../server-writes.ts'
import { manageTool, REPLACES } from './manage-tool.ts'
import { dropSecretsOf } from './remote-secret.ts'
import { requireRemote } from './require-remote.ts'
import { ServerArgument } from './server-rows.ts'

export const remoteRemove = manageTool({
  operation: 'remote_remove',
  act: 'remote.write',
  title: 'Remove a remote server',
  description:
    'Takes a remote MCP server out of the organization, for everybody, with its keys and the credential that it was added with. Needs the permission connections:org.',
  input: z.strictObject({ server: ServerArgument }),
  output: z.strictObject({ removed: z.string().meta({ description: 'Id of the server' }) }),
  hints: { ...REPLACES, openWorldHint: true },
  async run(call, { server }) {
    const record = await requireRemote(call, server)
    // As it was seen: one that has become a connector since is not removed so.
    await deleteServer(call, record.id, { ...call.write, expected: record.revision })
    await dropSecretsOf(call, record)
    return { removed: record.id }
  },
})
