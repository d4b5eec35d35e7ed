/** `manage__accounts_list`: the accounts that the caller sees (`surfaces.md` C44, D16). */
import { valueOf } from '../../../protocol/http-error.ts'
import { structuredResult, type ManageTool } from './manage-tool.ts'

export const accountsList: ManageTool = {
  operation: 'accounts_list',
  definition: {
    name: 'manage__accounts_list',
    description:
      "Lists the accounts you can use, one row for each: its connector, the alias to pass as `account` in a call, and whether it is your own (member_scope) or the organization's.",
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    outputSchema: {
      type: 'object',
      properties: {
        accounts: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              connector: { type: 'string' },
              alias: { type: 'string' },
              identity: { type: ['string', 'null'] },
              status: { enum: ['connected', 'needs_reauth'] },
              member_scope: { type: 'boolean' },
            },
            required: ['connector', 'alias', 'identity', 'status', 'member_scope'],
          },
        },
      },
      required: ['accounts'],
    },
    annotations: {
      title: 'List accounts',
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
  async run({ site, stub }) {
    const { id, kind } = site.caller.principal
    const connectors = valueOf(await stub.describeConnectors({ id, kind }, site.environment))
    const accounts = connectors.flatMap(({ id: connector, accounts: ofConnector }) =>
      ofConnector.map(({ alias, identity, status, member_scope }) => {
        return { connector, alias, identity, status, member_scope }
      }),
    )
    return structuredResult({ accounts }, accounts)
  },
}
