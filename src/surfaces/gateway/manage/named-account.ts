/** An account as calls name one: by its connector and its alias there (`surfaces.md` C43, C44). */
import * as z from 'zod'
import type { AccountRecord } from '../../../objects/organization/account-rows.ts'
import { HttpError, valueOf } from '../../../protocol/http-error.ts'
import { ownerSeenBy } from '../../account-acts.ts'
import type { ManageCall } from './manage-tool.ts'

/** What names an account, as in a row of `accounts_list`. */
export const NAMED = {
  connector: z.string().max(100).meta({ description: 'Id of the connector, such as notion' }),
  alias: z.string().max(100).meta({ description: 'Alias of the account there' }),
}

/** An account that the caller sees; 404 for another's as for a made-up one. */
export async function requireNamedAccount(
  call: ManageCall,
  { connector, alias }: { connector: string; alias: string },
): Promise<AccountRecord> {
  const { site, stub } = call
  const { capabilities } = site.gateway.surface
  const server = capabilities.find(({ id }) => id === connector)?.server
  const filter = { server, alias }
  const [found] = server === undefined ? [] : valueOf(await stub.listAccounts(filter, '', 1))
  if (found === undefined || !(await isSeen(call, found))) {
    const message = `There is no account "${alias}" on "${connector}" that you see`
    throw new HttpError(404, 'account_not_found', message)
  }
  return found
}

/** Whether the caller sees an account: as on the admin API, or because it was shared with it. */
async function isSeen({ actor, site, stub }: ManageCall, account: AccountRecord): Promise<boolean> {
  const owner = ownerSeenBy(actor)
  if (owner === undefined || account.owner === owner) return true
  const { id, kind } = site.caller.principal
  return valueOf(await stub.accountsOf({ id, kind })).some((one) => one.id === account.id)
}
