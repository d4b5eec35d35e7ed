/**
 * Signing in on our pages, where the deployment has a client at an issuer: OpenID Connect by code and
 * PKCE. What belongs to a try is in a sealed cookie that goes with its browser and is used once; who has
 * signed in is in another, for ten minutes. No session is made, and nothing else can be done with it.
 */
import * as z from 'zod'
import { verifyIdToken } from '../../callers/id-token.ts'
import { KeysUnavailable } from '../../callers/issuer-keys.ts'
import type { OAuthIssuer } from '../../callers/oauth-issuer.ts'
import type { ExternalId } from '../../callers/principal.ts'
import { mintNonce } from '../../catalog/names.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { CannotOpen, type Place } from '../../sealing/seal.ts'
import { createFetchJson } from '../../upstream/fetch-json.ts'
import { formatAuthorizationUrl } from '../../upstream/oauth/authorization-url.ts'
import {
  AuthorizationServer,
  discoverServer,
  requireIssuer,
} from '../../upstream/oauth/authorization-server.ts'
import { challengeOf } from '../../upstream/oauth/pkce.ts'
import { exchangeCode } from '../../upstream/oauth/tokens.ts'
import { signInIssuers } from '../connect-links.ts'
import { publicOrigin } from '../link.ts'
import type { Platform, Visit } from '../platform.ts'
import { browserOf, formatCookie, readCookie, type Browser } from './browser.ts'
import { formatGoingOn } from './page.ts'
import { redirectUriOf } from './redirect-uri.ts'
import { telling } from './telling.ts'

const TRY_COOKIE = '__Host-rollcall-sign-in'
const PERSON_COOKIE = '__Host-rollcall-person'
const SIGNED_IN_SECONDS = 600
const STATE_PREFIX = 'sign-in.'

const Try = z.strictObject({
  state: z.string(),
  verifier: z.string(),
  nonce: z.string(),
  server: AuthorizationServer,
  /** The page it was asked for on, by its path here. */
  back: z.string().regex(/^\/(?:connect|approve)\?/),
  endsAtMs: z.number(),
})
const Person = z.strictObject({ issuer: z.string(), subject: z.string(), endsAtMs: z.number() })

/** Who has signed in here with this browser; undefined for nobody, or no longer. */
export async function signedInPerson(
  platform: Platform,
  request: Request,
): Promise<ExternalId | undefined> {
  const opened = await openCookie(platform, request, PERSON_COOKIE, Person)
  return opened && { issuer: opened.issuer, subject: opened.subject }
}

/** Sends a browser to sign in at an issuer, and back to the page of a link. */
export async function startSignIn(
  platform: Platform,
  request: Request,
  browser: Browser,
  { issuer, back }: { issuer: OAuthIssuer; back: { kind: 'connect' | 'approve'; link: string } },
): Promise<Response> {
  const { world, settings } = platform
  const fetchJson = createFetchJson(world.outbound)
  const server = await telling(discoverServer(fetchJson, issuer.issuer, 'sign-in'))
  const [state, verifier, nonce] = [STATE_PREFIX + mintNonce(), mintNonce(), mintNonce()]
  const url = await telling(async () =>
    formatAuthorizationUrl(
      {
        authorizationUrl: server.authorizationUrl,
        clientId: issuer.clientId ?? '',
        redirectUri: redirectUriOf(publicOrigin(platform, request)),
        state,
        challenge: await challengeOf(verifier),
        scopes: ['openid'],
        nonce,
      },
      settings.DEVELOPMENT,
    ),
  )
  const to = `/${back.kind}?${new URLSearchParams({ link: back.link }).toString()}`
  const tried: z.infer<typeof Try> = { state, verifier, nonce, server, back: to, endsAtMs: endOf() }
  return formatGoingOn(url, url.host, [await sealCookie(platform, browser, TRY_COOKIE, tried)])
}

/** Whether what came back is of a sign-in. */
export function isOfSignIn(state: string | null): boolean {
  return state?.startsWith(STATE_PREFIX) === true
}

/** Takes what came back of a sign-in, and sends the browser to the page it began on. */
export async function finishSignIn(platform: Platform, visit: Visit): Promise<Response> {
  const { request, waitUntil } = visit
  const { world, settings, issuerKeys: keys } = platform
  const query = new URL(request.url).searchParams
  const browser = browserOf(request)
  const tried = await openCookie(platform, request, TRY_COOKIE, Try)
  const issuer = signInIssuers(platform).find((one) => one.issuer === tried?.server.issuer)
  if (!browser || !tried || !issuer || query.get('state') !== tried.state) {
    const message = 'This sign-in was not begun in this browser, or is over; open the link again'
    throw new HttpError(403, 'foreign_sign_in', message)
  }
  const { server, verifier, nonce } = tried
  await telling(async () => requireIssuer(server, query.get('iss')))
  const code = query.get('code')
  if (code === null) throw notSignedIn()
  const secret = settings.OAUTH_CLIENT_SECRETS[issuer.issuer]
  const audience = issuer.clientId ?? ''
  const client = {
    id: audience,
    auth: 'none' as const,
    ...(secret && { auth: 'basic' as const, secret }),
  }
  const redirectUri = redirectUriOf(publicOrigin(platform, request))
  const grant = { code, redirectUri, verifier }
  const endpoint = { tokenUrl: server.tokenUrl, client }
  const now = Date.now()
  const { idToken = '' } = await telling(exchangeCode(world.outbound, endpoint, grant, now))
  const signed = { issuer, keys, audience, nonce, now, waitUntil }
  const person = await verifyIdToken(idToken, signed).catch((error: unknown) => {
    if (!(error instanceof KeysUnavailable)) throw error
    throw new HttpError(503, 'unavailable', 'Who you are cannot be checked just now; try again')
  })
  if (person === undefined) throw notSignedIn()
  const headers = new Headers({ Location: tried.back, 'Cache-Control': 'no-store' })
  const kept = { ...person, endsAtMs: endOf() }
  headers.append('Set-Cookie', await sealCookie(platform, browser, PERSON_COOKIE, kept))
  headers.append('Set-Cookie', formatCookie(TRY_COOKIE, '', 0))
  return new Response(null, { status: 303, headers })
}

function notSignedIn(): HttpError {
  return new HttpError(403, 'not_signed_in', 'You were not signed in; open the link again')
}

/** What is sealed for a cookie opens in its own browser alone. */
const placeOf = (name: string, { hash }: Browser): Place => ({
  purpose: 'links',
  path: [name, hash],
})

async function sealCookie(platform: Platform, browser: Browser, name: string, value: object) {
  const sealed = await platform.world.seal(placeOf(name, browser), JSON.stringify(value))
  return formatCookie(name, sealed, SIGNED_IN_SECONDS)
}

async function openCookie<T extends { endsAtMs: number }>(
  { world }: Platform,
  request: Request,
  name: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  const [browser, sealed] = [browserOf(request), readCookie(request, name)]
  if (browser === undefined || sealed === undefined) return undefined
  try {
    const value = schema.parse(JSON.parse(await world.unseal(placeOf(name, browser), sealed)))
    return value.endsAtMs > Date.now() ? value : undefined
  } catch (error) {
    if (error instanceof CannotOpen) return undefined
    throw error
  }
}

function endOf(): number {
  return Date.now() + SIGNED_IN_SECONDS * 1000
}
