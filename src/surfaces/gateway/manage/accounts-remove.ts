/** `manage__accounts_remove`: takes an account away for good (`surfaces.md` D14, C47). */
import * as z from 'zod'
import { endAccount, requireMayEnd } from '../../account-acts.ts'
import { manageTool, REPLACES } from './manage-tool.ts'
import { NAMED, requireNamedAccount } from './named-account.ts'

export const accountsRemove = manageTool({
  operation: 'accounts_remove',
  act: 'accounts.write.own',
  title: 'Remove an account',
  description:
    'Deletes an account for good, with what it was shared with: one of your own, or, as an admin, any in the organization. A connector without any account has no tools.',
  input: z.strictObject(NAMED),
  output: z.strictObject({
    removed: z.strictObject({ connector: z.string(), alias: z.string() }),
  }),
  hints: REPLACES,
  async run(call, named) {
    const found = await requireNamedAccount(call, named)
    requireMayEnd(call.actor, found, 'accounts')
    await endAccount(call, found.id, call.write)
    return { removed: named }
  },
})
