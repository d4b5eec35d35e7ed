/** What deciding a held call has in common, whether that is on the admin API or on its page. */
import type { HeldRecord } from '../objects/organization/held-records.ts'
import { surfaceChannelOf } from '../objects/resident.ts'
import { linkTo } from './link.ts'
import type { Platform, Visit } from './platform.ts'

const LINK_MS = 10 * 60_000

type Deciding = { platform: Platform; visit: Visit; organization: string }

/** A page on which a person decides; undefined where the deployment has no address for people. */
export async function approvalLink(
  { platform, visit, organization }: Deciding,
  id: string,
): Promise<string | undefined> {
  const { PUBLIC_URL, DEVELOPMENT } = platform.settings
  if (PUBLIC_URL === undefined && !DEVELOPMENT) return undefined
  const ticket = { organization, id, expiresAtMs: Date.now() + LINK_MS }
  return linkTo(platform, visit.request, 'approve', ticket)
}

/** Wakes whoever waits for the call; who is not told finds out at the end of its wait. */
export function tellDecided(
  { platform, visit, organization }: Deciding,
  { principal }: Pick<HeldRecord, 'principal'>,
): void {
  const channel = surfaceChannelOf(platform.env.CHANNEL, organization)
  visit.waitUntil(
    channel.nudgePrincipal(principal.id).catch((error: unknown) => {
      console.error('who waits for a call could not be told of its decision', error)
    }),
  )
}
