/** `manage__remote_add`: a remote MCP server for everybody in the organization (`surfaces.md` C14, D14). */
import { requireValid } from '../../../catalog/issues.ts'
import { parseServerFile } from '../../../catalog/server-file.ts'
import { OpenUrl } from '../../../handlers/open-url.ts'
import { HttpError } from '../../../protocol/http-error.ts'
import { createServer } from '../../server-writes.ts'
import { deskOf, requireAct } from './act.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'
import { requireHeader, sealHeader, type Header } from './remote-secret.ts'
import { REMOTE_ROW, remoteRow } from './server-rows.ts'

const MAX_NAME_LENGTH = 200

type Arguments = { url: string; name?: string; slug?: string; header?: Header }

export const remoteAdd: ManageTool = {
  operation: 'remote_add',
  definition: {
    name: 'manage__remote_add',
    description:
      'Adds a remote MCP server to the organization. Its tools are shown on this endpoint to everybody in it as org__<slug>__<tool>, and run without asking. Needs the permission connections:org.',
    inputSchema: {
      type: 'object',
      properties: {
        url: { type: 'string', minLength: 1, maxLength: 4096, description: 'Its MCP endpoint' },
        name: {
          type: 'string',
          minLength: 1,
          maxLength: MAX_NAME_LENGTH,
          description: 'Shown to people; absent: the host of the URL',
        },
        slug: {
          type: 'string',
          minLength: 1,
          maxLength: 64,
          description:
            'What its tools begin with after org__; unique in the organization. Absent: made from the name',
        },
        header: {
          type: 'object',
          description:
            'A static credential, sent as this header with every request and never shown again',
          properties: {
            name: { type: 'string', minLength: 1, maxLength: 100 },
            value: { type: 'string', minLength: 1, maxLength: 65_536 },
          },
          required: ['name', 'value'],
          additionalProperties: false,
        },
      },
      required: ['url'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: { remote: REMOTE_ROW },
      required: ['remote'],
    },
    annotations: {
      title: 'Add a remote server',
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
  },
  async run(call) {
    const write = requireAct(call, 'remote.write')
    const { header, slug, ...args } = call.args as Arguments
    const url = requireValid(OpenUrl, args.url, 'url')
    const name = args.name ?? new URL(url).host.slice(0, MAX_NAME_LENGTH)
    if (header !== undefined) requireHeader(header)
    const file = (auth: object) =>
      parseServerFile({
        name,
        ...(slug !== undefined && { slug }),
        kind: 'remote',
        gateway: true,
        remote: { url, auth },
      })
    const open = file({ type: 'none' }) // all is checked before a secret is stored
    if (header === undefined) {
      return structuredResult({ remote: remoteRow(await createServer(deskOf(call), open, write)) })
    }
    const auth = await sealHeader(call, header, write)
    try {
      const record = await createServer(deskOf(call), file(auth), write)
      return structuredResult({ remote: remoteRow(record) })
    } catch (error) {
      // One that is refused leaves nothing behind; of any other fault it is not known what was made.
      if (error instanceof HttpError) await call.stub.deleteSecret(auth.value.secret, write)
      throw error
    }
  },
}
