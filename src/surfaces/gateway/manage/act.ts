/** What a `manage__*` tool is allowed to do: the table that the admin API asks too (`surfaces.md` D14). */
import { actorName, requireMay, type Act, type Actor } from '../../../callers/may.ts'
import type { Write } from '../../../objects/organization/context.ts'
import type { Desk } from '../../server-writes.ts'
import type { ManageCall } from './manage-tool.ts'

/** Who writes in the organization, or 403 with the code of the rule that the caller fails. */
export function requireAct({ site: { caller } }: ManageCall, act: Act): Write {
  const { principal, credential } = caller
  const actor: Actor = { principal, credentialKind: credential.kind }
  requireMay(actor, act)
  return { actor: actorName(actor) }
}

/** Where the caller's writes are made. */
export function deskOf({ site, stub }: ManageCall): Desk {
  const { platform, visit, caller } = site
  return { platform, visit, organization: caller.principal.organization, stub }
}
