/**
 * The page of a connect link (`surfaces.md` C49): it tells who will hold the account and asks for a
 * click. Whoever opens it has got the link from somebody; that it is the holder is proven by a sign-in
 * where the deployment has one, and from the first click on everything is of that one browser.
 */
import { organizationOf, upstreamOf } from '../../objects/resident.ts'
import { mintNonce } from '../../catalog/names.ts'
import { AccountCredential } from '../../handlers/account-credential.ts'
import type { DescribedConnect } from '../../objects/organization/connect-commands.ts'
import { HttpError, valueOf } from '../../protocol/http-error.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { requireSignIn } from '../connect-links.ts'
import { openTicket, publicOrigin, sealTicket, type Ticket } from '../link.ts'
import type { Platform, Visit } from '../platform.ts'
import type { FormSecrets } from './form.ts'
import {
  browserOf,
  formToken,
  meetBrowser,
  readForm,
  requireBrowser,
  type Browser,
} from './browser.ts'
import { beginFlow, endFlow, Flow, flowPlace, type Connecting } from './connect-flow.ts'
import { FIELD_PREFIX, formatConnect, formatFacts, formatSignIn, holderOf } from './connect-page.ts'
import { html } from './html.ts'
import { formatGoingOn, formatPage } from './page.ts'
import { signedInPerson, startSignIn } from './sign-in.ts'
import { telling } from './telling.ts'

type Opened = Connecting & { ticket: Ticket; visit: Visit; described: DescribedConnect }

/** Shows the page of a link. */
export async function showConnect(platform: Platform, visit: Visit): Promise<Response> {
  const link = new URL(visit.request.url).searchParams.get('link')
  const opened = await openConnect(
    platform,
    visit,
    await openTicket(platform, visit, 'connect', link),
  )
  const { described } = opened
  const { browser, cookie } = meetBrowser(visit.request)
  const secrets: FormSecrets = { link: link ?? '', token: tokenOf(opened, browser) }
  const signIn = await signInOf(opened)
  const wayOn =
    signIn === undefined || signIn.who === 'the person'
      ? formatConnect(secrets, described)
      : formatSignIn(secrets, described.person?.name ?? '', signIn.who === 'another')
  const title = `Connect ${described.serverName}`
  const body = html`${formatFacts(described)}${wayOn}`
  const status = signIn?.who === 'another' ? 403 : 200
  return formatPage({ title, body, status, cookies: [cookie] })
}

/** Takes the page's form: a sign-in, the way to the service, or the fields. */
export async function submitConnect(platform: Platform, visit: Visit): Promise<Response> {
  const form = await readForm(platform, visit.request)
  const link = form.get('link')
  const opened = await openConnect(
    platform,
    visit,
    await openTicket(platform, visit, 'connect', link),
  )
  const browser = requireBrowser(platform, visit.request, form, purposeOf(opened.ticket))
  const signIn = await signInOf(opened)
  if (form.get('act') === 'sign-in' && signIn !== undefined) {
    const back = { kind: 'connect', link: link ?? '' } as const
    return startSignIn(platform, visit.request, browser, { issuer: signIn.issuer, back })
  }
  if (signIn !== undefined && signIn.who !== 'the person') {
    const message = 'Sign in as the one who will hold the account first'
    throw new HttpError(403, 'not_signed_in', message)
  }
  const { asks } = opened.described
  if (asks.type === 'oauth') return beginOAuth(opened, browser, asks)
  const { stub, ticket } = opened
  const credential = readFields(
    form,
    asks.fields.map(({ name }) => name),
  )
  valueOf(await stub.startConnect(ticket.id, { browser: browser.hash, nonce: null, sealed: null }))
  return finish(opened, browser, credential)
}

/** Takes the answer of an authorization server. */
export async function returnConnect(platform: Platform, visit: Visit): Promise<Response> {
  const answer = new URL(visit.request.url).searchParams
  const ticket = await openTicket(platform, visit, 'state', answer.get('state'))
  const browser = browserOf(visit.request)
  if (browser === undefined) {
    const message = 'This was not begun in this browser; open the link again'
    throw new HttpError(403, 'other_browser', message)
  }
  const connecting = connectingOf(platform, visit, ticket)
  const { stub, organization } = connecting
  const back = { browser: browser.hash, nonce: sha256Hex(ticket.nonce ?? '') }
  const { sealed, described } = valueOf(await stub.takeConnect(ticket.id, back))
  const opened = { ...connecting, ticket, visit, described }
  const place = flowPlace(organization, ticket.id)
  const flow = Flow.parse(JSON.parse(await platform.world.unseal(place, sealed)))
  return failing(opened, browser, async () =>
    finish(opened, browser, await telling(endFlow(connecting, flow, answer))),
  )
}

async function openConnect(platform: Platform, visit: Visit, ticket: Ticket): Promise<Opened> {
  const connecting = connectingOf(platform, visit, ticket)
  const described = valueOf(await connecting.stub.describeConnect(ticket.id))
  if (described.state === 'pending' || described.state === 'started') {
    return { ...connecting, ticket, visit, described }
  }
  const isDone = described.state === 'connected'
  const message = isDone
    ? 'The account is connected already'
    : 'This link is over; ask for a new one'
  throw new HttpError(410, `connect_${described.state}`, message)
}

function connectingOf(
  platform: Platform,
  { request }: Visit,
  { organization }: Ticket,
): Connecting {
  const stub = organizationOf(platform.env, organization)
  return { platform, organization, stub, origin: publicOrigin(platform, request) }
}

/** Where the person of a connect signs in, and who has; undefined where nobody has to. */
async function signInOf({ platform, visit, described: { person } }: Opened) {
  const issuer = person === null ? undefined : requireSignIn(platform, person.externalId)
  if (issuer === undefined) return undefined
  const signed = await signedInPerson(platform, visit.request)
  if (signed === undefined) return { issuer, who: 'nobody' as const }
  const { externalId } = person ?? {}
  const isPerson = signed.issuer === externalId?.issuer && signed.subject === externalId.subject
  return { issuer, who: isPerson ? ('the person' as const) : ('another' as const) }
}

async function beginOAuth(
  opened: Opened,
  browser: Browser,
  asks: Extract<DescribedConnect['asks'], { type: 'oauth' }>,
): Promise<Response> {
  const { platform, organization, stub, ticket, described } = opened
  const { flow, urlWith } = await telling(beginFlow(opened, described, asks))
  const nonce = mintNonce()
  const url = await telling(urlWith(await sealTicket(platform, 'state', { ...ticket, nonce })))
  const sealed = await platform.world.seal(flowPlace(organization, ticket.id), JSON.stringify(flow))
  const begun = { browser: browser.hash, nonce: sha256Hex(nonce), sealed }
  valueOf(await stub.startConnect(ticket.id, begun))
  return formatGoingOn(url, url.host)
}

/** Ends a connect as failed where the work of its one answer fails. */
async function failing(
  { stub, ticket }: Opened,
  { hash: browser }: Browser,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    const problem = error instanceof HttpError ? error.message : 'Something went wrong here'
    await stub.failConnect(ticket.id, { browser, problem })
    throw error
  }
}

async function finish(
  { platform, organization, stub, ticket, visit, described }: Opened,
  { hash: browser }: Browser,
  credential: AccountCredential,
): Promise<Response> {
  const written = valueOf(await stub.finishConnect(ticket.id, { browser, credential }))
  const { server } = written.account
  if (written.readsLists) {
    const upstream = upstreamOf(platform.env, server)
    visit.waitUntil(upstream.refreshSoon({ organization, server }))
  }
  const body = html`<p>
      <b>${described.serverName}</b> is connected for ${holderOf(described)}, as
      <b>${written.account.alias}</b>.
    </p>
    <p><small>You can close this page.</small></p>`
  return formatPage({ title: 'Connected', body })
}

function readFields(form: URLSearchParams, names: readonly string[]): AccountCredential {
  const fields = names.map((name) => [name, form.get(FIELD_PREFIX + name) ?? ''])
  const read = AccountCredential.safeParse(Object.fromEntries(fields))
  if (read.success) return read.data
  throw new HttpError(422, 'invalid', 'Every field is needed, each of at most 16,384 characters')
}

const purposeOf = ({ id }: Ticket) => `connect ${id}`

function tokenOf({ platform, ticket }: Opened, browser: Browser): string {
  return formToken(platform, browser, purposeOf(ticket))
}
