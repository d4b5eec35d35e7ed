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

/** An account that the caller sees, its own before others; 404 for another's as for a made-up one. */
export async function requireNamedAccount(
  call: ManageCall,
  { connector, alias }: { connector: string; alias: string },
): Promise<AccountRecord> {
  const { capabilities } = call.site.gateway.surface
  const server = capabilities.find(({ id }) => id === connector)?.server
  const [found, other] = server === undefined ? [] : await accountsNamed(call, server, alias)
  const named = `"${alias}" on "${connector}"`
  if (found === undefined) {
    throw new HttpError(404, 'account_not_found', `There is no account ${named} that you see`)
  }
  if (other === undefined) return found
  throw new HttpError(409, 'ambiguous_account', `There are several accounts ${named}`)
}

/** Up to two accounts of an alias: the caller's own, or else what it sees as an admin or by a grant. */
async function accountsNamed(
  { actor, site, stub }: ManageCall,
  server: string,
  alias: string,
): Promise<AccountRecord[]> {
  const { id, kind } = site.caller.principal
  const own = valueOf(await stub.listAccounts({ server, alias, owner: id }, '', 2))
  if (own.length > 0) return own
  if (ownerSeenBy(actor) === undefined) {
    return valueOf(await stub.listAccounts({ server, alias }, '', 2))
  }
  const shared = valueOf(await stub.accountsOf({ id, kind }))
    .filter((one) => one.server === server && one.alias === alias)
    .slice(0, 2)
  return Promise.all(shared.map(async (one) => valueOf(await stub.getAccount(one.id))))
}
