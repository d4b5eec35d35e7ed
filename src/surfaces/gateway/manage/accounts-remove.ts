/** `manage__accounts_remove`: takes an account away for good (`surfaces.md` D14, C47). */
import * as z from 'zod'
import { endAccount } from '../../account-acts.ts'
import { manageTool, REPLACES } from './manage-tool.ts'
import { NAMED, requireNamedAccount } from './named-account.ts'

export const accountsRemove = manageTool({
  operation: 'accounts_remove',
  act: 'accounts.write.own',
  title: 'Remove an account',
  description:
    "Deletes an account for good, with what it was shared with: one of your own, or, as an admin, any of the organization's. A connector without any account has no tools.",
  input: z.strictObject(NAMED),
  output: z.strictObject({
    removed: z.strictObject({ connector: z.string(), alias: z.string() }),
  }),
  hints: REPLACES,
  async run(call, named) {
    const { id } = await requireNamedAccount(call, named)
    await endAccount(call, id, call.write)
    return { removed: named }
  },
})
