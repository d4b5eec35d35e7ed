/**
 * Who asks convai: a member by its key in `xi-api-key`, in its own organization alone (`surfaces.md`
 * B12, D10, X17). Any other credential is 401, and so is what a member may not do (`convai-api.md` §7).
 */
import { may, messageOf, type Act, type Actor } from '../../callers/may.ts'
import { presentedSecret } from '../../callers/presented.ts'
import { keyKindOf } from '../../callers/secret.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { claimOfKey, identify } from '../identify.ts'
import { countFailedCredential, requireSlots } from '../limits.ts'
import type { Platform, Visit } from '../platform.ts'

export type Caller = { actor: Actor; organization: string }

/** Who a request is from: 401, 403 for who is suspended, or 429 beyond the limit of its key. */
export async function requireCaller(platform: Platform, visit: Visit): Promise<Caller> {
  const { headers } = visit.request
  const key = headers.get('xi-api-key')
  if (key === null)
    throw new HttpError(401, 'needs_authorization', 'The header xi-api-key is needed')
  const other = presentedSecret(headers, {})
  if (other !== undefined && other !== key) {
    throw new HttpError(401, 'two_credentials', 'Two different credentials were sent; send one')
  }
  const claimed = keyKindOf(key) === 'member' ? await claimOfKey(platform, visit, key) : undefined
  const actor = claimed && (await identify(platform, claimed))
  if (claimed === undefined || actor === undefined) {
    await countFailedCredential(platform, visit)
    const message = 'This is no key of a member, or it was revoked or has expired'
    throw new HttpError(401, 'invalid_api_key', message)
  }
  const { CONVAI_LIMIT } = platform.settings
  if (CONVAI_LIMIT !== undefined) {
    await requireSlots(platform, `convai ${claimed.credential}`, CONVAI_LIMIT)
  }
  return { actor, organization: claimed.organization }
}

/** Throws 401 unless an actor may do something. */
export function requireMay(actor: Actor, act: Act): void {
  const refused = may(actor, act)
  if (refused !== undefined) throw new HttpError(401, 'unauthorized', messageOf(refused))
}
