/** `manage__connectors_list`: the connectors a caller has or could have (`surfaces.md` C18, D11). */
import * as z from 'zod'
import { valueOf } from '../../../protocol/http-error.ts'
import { manageTool, READS } from './manage-tool.ts'

const Account = z.strictObject({
  alias: z.string(),
  identity: z.string().nullable(),
  status: z.enum(['connected', 'needs_reauth']),
  member_scope: z.boolean().meta({ description: "Your own; false: the organization's" }),
  tools: z.array(z.string()).nullable().meta({ description: 'What it is shared for; null: all' }),
})

export const connectorsList = manageTool({
  operation: 'connectors_list',
  act: 'servers.read',
  title: 'List connectors',
  description:
    'Lists the connectors of the organization, also those you have no account for: how each is for you, how many tools it has, and your accounts.',
  input: z.strictObject({}),
  output: z.strictObject({
    connectors: z.array(
      z.strictObject({
        id: z.string().meta({ description: 'What stands before __ in the names of its tools' }),
        name: z.string(),
        status: z.enum(['connected', 'needs_reauth', 'not_connected']),
        tool_count: z.int(),
        accounts: z.array(Account),
      }),
    ),
  }),
  hints: READS,
  async run({ site, stub }) {
    const { id, kind } = site.caller.principal
    const described = valueOf(await stub.describeConnectors({ id, kind }, site.environment))
    return { connectors: described.map(({ server: _, ...connector }) => connector) }
  },
})
