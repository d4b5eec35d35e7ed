/** What deciding a held call has in common, whether that is on the admin API or on its page. */
import { logError } from '../protocol/log.ts'
import { actorName, type Actor } from '../callers/may.ts'
import type { HeldRecord } from '../objects/organization/held-records.ts'
import { surfaceChannelOf } from '../objects/resident.ts'
import { signInIssuers } from './connect-links.ts'
import { linkTo } from './link.ts'
import type { Platform, Visit } from './platform.ts'

const LINK_MS = 10 * 60_000

type Deciding = { platform: Platform; visit: Visit; organization: string }

/**
 * A page on which a person decides, who signs in there; or else whoever has the link, as the actor that
 * it is given to. Undefined where the deployment has no address for people, or nobody could decide.
 */
export async function approvalLink(
  { platform, visit, organization }: Deciding,
  id: string,
  actor: Actor | undefined,
): Promise<string | undefined> {
  const { PUBLIC_URL, DEVELOPMENT } = platform.settings
  if (PUBLIC_URL === undefined && !DEVELOPMENT) return undefined
  const isSignIn = signInIssuers(platform).length > 0
  if (!isSignIn && actor === undefined) return undefined
  const by = isSignIn || actor === undefined ? {} : { by: actorName(actor) }
  const ticket = { organization, id, expiresAtMs: Date.now() + LINK_MS, ...by }
  return linkTo(platform, visit.request, 'approve', ticket)
}

/** Wakes whoever waits for the call; who is not told finds out at the end of its wait. */
export function tellDecided(
  { platform, visit, organization }: Deciding,
  { principal }: Pick<HeldRecord, 'principal'>,
): void {
  const channel = surfaceChannelOf(platform.env, organization)
  visit.waitUntil(
    channel.nudgePrincipal(principal.id).catch((error: unknown) => {
      logError('who waits for a call could not be told of its decision', error)
    }),
  )
}
