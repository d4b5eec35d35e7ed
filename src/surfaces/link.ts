/**
 * Links for people to what waits for one: a sealed ticket that names it, on the address that people
 * reach us at. Nobody can make one up, or learn from it what it is for.
 */
import * as z from 'zod'
import { HttpError } from '../protocol/http-error.ts'
import { CannotOpen, type Place } from '../sealing/seal.ts'
import { countFailedCredential } from './limits.ts'
import type { Platform, Visit } from './platform.ts'

const MAX_TICKET_LENGTH = 2048

/** What is sealed: each opens as its own kind alone. */
export type TicketKind = 'connect' | 'approve' | 'state'

/** What a ticket names: something of an organization, by its id, until then. */
export const Ticket = z.strictObject({
  organization: z.string(),
  id: z.string(),
  expiresAtMs: z.number(),
  /** Of a state alone: which of its tries it is. */
  nonce: z.string().optional(),
  /** Whose link to an approval it is, who decides by it where nobody signs in: `operator`, or a member. */
  by: z.string().optional(),
})
export type Ticket = z.infer<typeof Ticket>

/** A ticket of another region is none of ours, whatever the keys are. */
const placeOf = ({ settings }: Platform, kind: TicketKind): Place => ({
  purpose: 'links',
  path: [kind, settings.REGION],
})

/** A ticket, sealed. */
export async function sealTicket(
  platform: Platform,
  kind: TicketKind,
  ticket: Ticket,
): Promise<string> {
  return platform.world.seal(placeOf(platform, kind), JSON.stringify(ticket))
}

/** What a ticket names: 404 for what is none of ours, which counts against its address, 410 when it is over. */
export async function openTicket(
  platform: Platform,
  visit: Visit,
  kind: TicketKind,
  sealed: string | null,
): Promise<Ticket> {
  try {
    if (sealed === null || sealed.length > MAX_TICKET_LENGTH) throw new CannotOpen('no ticket')
    const text = await platform.world.unseal(placeOf(platform, kind), sealed)
    const ticket = Ticket.parse(JSON.parse(text))
    if (ticket.expiresAtMs > Date.now()) return ticket
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error
    await countFailedCredential(platform, visit)
    throw new HttpError(404, 'link_not_found', 'This link is not one that was made here')
  }
  throw new HttpError(410, 'link_expired', 'This link has expired; ask for a new one')
}

/** The address of a page for a ticket. */
export async function linkTo(
  platform: Platform,
  request: Request,
  kind: 'connect' | 'approve',
  ticket: Ticket,
): Promise<string> {
  const url = new URL(`${publicOrigin(platform, request)}/${kind}`)
  url.searchParams.set('link', await sealTicket(platform, kind, ticket))
  return url.href
}

/** The origin that people reach us at: 501 where the deployment does not say; in development the Host. */
export function publicOrigin({ settings }: Platform, { headers }: Request): string {
  const { PUBLIC_URL, DEVELOPMENT } = settings
  if (PUBLIC_URL !== undefined) return PUBLIC_URL
  // In development the roof lets through a loopback Host alone.
  if (DEVELOPMENT) return `http://${headers.get('host') ?? 'localhost'}`
  const message = 'This deployment has no PUBLIC_URL, and so no links for people'
  throw new HttpError(501, 'public_url_missing', message)
}
