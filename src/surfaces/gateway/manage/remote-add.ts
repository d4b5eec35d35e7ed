/** `manage__remote_add`: a remote MCP server for everybody in the organization (`surfaces.md` C14, D14). */
import * as z from 'zod'
import { parseServerFile } from '../../../catalog/server-file.ts'
import { ApprovalPolicy, ServerSettings } from '../../../catalog/server.ts'
import { HeaderName, isHeaderValue } from '../../../handlers/headers.ts'
import { OpenUrl } from '../../../handlers/open-url.ts'
import { HttpError } from '../../../protocol/http-error.ts'
import { createServer } from '../../server-writes.ts'
import { ADDS, manageTool } from './manage-tool.ts'
import { sealHeader } from './remote-secret.ts'
import { RemoteState, remoteState } from './server-rows.ts'

const MAX_VALUE_LENGTH = 64 * 1024
const MAX_NAME_LENGTH = 200

const Header = z.strictObject({
  name: HeaderName,
  value: z
    .string()
    .min(1)
    .max(MAX_VALUE_LENGTH)
    .refine(isHeaderValue, 'must be printable, without line ends'),
})

export const remoteAdd = manageTool({
  operation: 'remote_add',
  act: 'remote.write',
  title: 'Add a remote server',
  description:
    'Adds a remote MCP server to the organization. Its tools are shown on this endpoint to everybody in it as org__<slug>__<tool>, and run without asking unless approvalPolicy says otherwise. Needs the permission connections:org.',
  input: z.strictObject({
    url: OpenUrl.meta({ description: 'Its MCP endpoint' }),
    name: ServerSettings.shape.name.optional().meta({
      description: 'Shown to people; absent: the host of the URL',
    }),
    slug: ServerSettings.shape.slug.optional().meta({
      description:
        'What its tools begin with after org__; unique in the organization. Absent: made from the name',
    }),
    approvalPolicy: ApprovalPolicy.default('auto_approve_all').meta({
      description:
        'auto_approve_all: no asking; require_approval_all: each call waits for a person; require_approval_per_tool: only approved tools are shown',
    }),
    header: Header.optional().meta({
      description:
        'A static credential, sent as this header with every request and never shown again',
    }),
  }),
  output: z.strictObject({ remote: RemoteState }),
  hints: { ...ADDS, openWorldHint: true },
  async run(call, { url, name = hostOf(url), slug, approvalPolicy, header }) {
    const file = (auth: object) =>
      parseServerFile({
        name,
        ...(slug !== undefined && { slug }),
        kind: 'remote',
        gateway: true,
        approvalPolicy,
        remote: { url, auth },
      })
    if (header === undefined) {
      const record = await createServer(call, file({ type: 'none' }), call.write)
      return { remote: remoteState(record) }
    }
    const auth = await sealHeader(call, header)
    try {
      return { remote: remoteState(await createServer(call, file(auth), call.write)) }
    } catch (error) {
      // What is refused leaves nothing behind; of any other fault it is not known what was made.
      if (error instanceof HttpError) await call.stub.deleteSecret(auth.value.secret, call.write)
      throw error
    }
  },
})

function hostOf(url: string): string {
  return new URL(url).host.slice(0, MAX_NAME_LENGTH)
}
