/**
 * The page of an approval link (`surfaces.md` C48): it shows a held call, and takes the decision. Who
 * decides is who signs in here, where the deployment has a sign-in, and must be an admin of the
 * organization; elsewhere the link is given to who may decide alone, and decides as that one.
 */
import { organizationOf } from '../../objects/resident.ts'
import { actorName, may, type Actor } from '../../callers/may.ts'
import { externalHash } from '../../callers/principal.ts'
import type { Organization } from '../../objects/organization.ts'
import type { HeldRecord } from '../../objects/organization/held-records.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { tellDecided } from '../approval-link.ts'
import { signInIssuers } from '../connect-links.ts'
import { identify } from '../identify.ts'
import { openTicket, type Ticket } from '../link.ts'
import type { Platform, Visit } from '../platform.ts'
import { membershipsOf } from '../principals.ts'
import { formatDecided, formatHeld, formatSignIn, formatVerdicts } from './approve-page.ts'
import { formToken, meetBrowser, readForm, requireBrowser } from './browser.ts'
import { html } from './html.ts'
import { formatPage } from './page.ts'
import { signedInPerson, startSignIn } from './sign-in.ts'

type Opened = {
  platform: Platform
  visit: Visit
  link: string
  ticket: Ticket
  organization: string
  stub: DurableObjectStub<Organization>
}

/** Who decides: an actor who may; or nobody yet, or somebody who may not. */
type Decider = Actor | 'nobody' | 'another'

/** Shows the page of a link. */
export async function showApproval(platform: Platform, visit: Visit): Promise<Response> {
  const link = new URL(visit.request.url).searchParams.get('link')
  const opened = await openApproval(platform, visit, link)
  const decider = await deciderOf(opened)
  const { browser, cookie } = meetBrowser(visit.request)
  const secrets = { link: opened.link, token: formToken(platform, browser, purposeOf(opened)) }
  if (typeof decider === 'string' && decider !== 'operator') {
    // What was asked for is for those who may decide alone.
    const issuers = signInIssuers(platform).map(({ issuer }) => issuer)
    const body = formatSignIn(secrets, issuers, decider === 'another')
    const status = decider === 'another' ? 403 : 200
    return formatPage({ title: 'Approve a call', body, status, cookies: [cookie] })
  }
  const held = await requirePending(opened)
  const body = html`${formatHeld(held)}${formatVerdicts(secrets)}`
  return formatPage({ title: 'Approve a call?', body, cookies: [cookie] })
}

/** Takes the page's form: a sign-in, or the decision. */
export async function submitApproval(platform: Platform, visit: Visit): Promise<Response> {
  const { request } = visit
  const form = await readForm(platform, request)
  const opened = await openApproval(platform, visit, form.get('link'))
  const browser = requireBrowser(platform, request, form, purposeOf(opened))
  const act = form.get('act')
  const issuer = signInIssuers(platform).find((one) => act === `sign-in ${one.issuer}`)
  if (issuer !== undefined) {
    const back = { kind: 'approve', link: opened.link } as const
    return startSignIn(platform, request, browser, { issuer, back })
  }
  const decider = await deciderOf(opened)
  if (decider === 'nobody' || decider === 'another') {
    const message = 'Sign in as an admin of the organization first'
    throw new HttpError(403, 'not_signed_in', message)
  }
  if (act !== 'approve' && act !== 'deny') {
    throw new HttpError(422, 'invalid', 'The form has no decision')
  }
  const state = act === 'approve' ? 'approved' : 'denied'
  const { stub, ticket } = opened
  const held = valueOf(await stub.decideHeld(ticket.id, state, { actor: actorName(decider) }))
  tellDecided(opened, held)
  const title = state === 'approved' ? 'Approved' : 'Denied'
  return formatPage({ title, body: formatDecided(held) })
}

async function openApproval(
  platform: Platform,
  visit: Visit,
  sealed: string | null,
): Promise<Opened> {
  const ticket = await openTicket(platform, visit, 'approve', sealed)
  const { organization } = ticket
  const stub: Opened['stub'] = organizationOf(platform.env, organization)
  return { platform, visit, link: sealed ?? '', ticket, organization, stub }
}

/** Asked anew each time: who was an admin when the link was made may be none now. */
async function deciderOf({ platform, visit, ticket, organization }: Opened): Promise<Decider> {
  if (signInIssuers(platform).length === 0) {
    const { by } = ticket
    if (by === undefined) return 'another'
    return by === 'operator' ? by : memberWhoMay(platform, { organization, member: by })
  }
  const signedIn = await signedInPerson(platform, visit.request)
  if (signedIn === undefined) return 'nobody'
  const person = externalHash(signedIn)
  const memberships = await membershipsOf(platform, visit, person)
  const own = memberships.find(({ owner }) => owner === organization)
  return own === undefined
    ? 'another'
    : memberWhoMay(platform, { organization, member: own.target, person })
}

async function memberWhoMay(
  platform: Platform,
  { organization, member, person }: { organization: string; member: string; person?: string },
): Promise<Actor | 'another'> {
  const claimed = { organization, credential: member, principal: member, person }
  const actor = await identify(platform, { ...claimed, kind: 'session' })
  return actor === undefined || may(actor, 'approvals.decide') !== undefined ? 'another' : actor
}

async function requirePending({ stub, ticket }: Opened) {
  const held: HeldRecord = valueOf(await stub.describeHeld(ticket.id))
  // Nobody is shown less than what would run.
  if (held.state === 'pending' && held.arguments !== undefined) {
    return { ...held, arguments: held.arguments }
  }
  const why = held.state === 'pending' ? 'what it asks for cannot be read' : `it is ${held.state}`
  const message = `This call cannot be decided any more: ${why}`
  throw new HttpError(410, 'approval_decided', message)
}

const purposeOf = ({ ticket }: Opened) => `approve ${ticket.id}`
