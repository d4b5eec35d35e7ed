/** `manage__accounts_rename`: another alias for an account (`surfaces.md` D14, C47). */
import * as z from 'zod'
import { AccountAlias, changeAccount, requireMayWrite } from '../../account-acts.ts'
import { manageTool, REPLACES } from './manage-tool.ts'
import { NAMED, requireNamedAccount } from './named-account.ts'

export const accountsRename = manageTool({
  operation: 'accounts_rename',
  act: 'accounts.write.own',
  title: 'Rename an account',
  description:
    "Gives an account another alias: one of your own, or, as an admin, one of the organization's, never another member's. Calls that name the old alias fail from then on.",
  input: z.strictObject({ ...NAMED, new_alias: AccountAlias }),
  output: z.strictObject({
    connector: z.string(),
    alias: z.string(),
    identity: z.string().nullable(),
    status: z.enum(['connected', 'needs_reauth']),
    member_scope: z.boolean().meta({ description: "Your own; false: the organization's" }),
  }),
  hints: REPLACES,
  async run(call, { connector, alias: named, new_alias }) {
    const found = await requireNamedAccount(call, { connector, alias: named })
    requireMayWrite(call.actor, found, 'accounts')
    const account = await changeAccount(call, found.id, { alias: new_alias }, call.write)
    const { alias, identity, state: status, owner } = account
    const member_scope = owner === call.site.caller.principal.id
    return { connector, alias, identity, status, member_scope }
  },
})
