/**
 * Access tokens by OAuth 2 client credentials (RFC 6749 §4.4), remembered in this isolate until
 * shortly before their end. The client's secret is part of the name they are remembered by, as a
 * digest, so that a changed one gets a new token.
 */
import type { OAuth2 } from '../../handlers/auth.ts'
import { isHeaderValue } from '../../handlers/headers.ts'
import { BoundedMap } from '../../memory/bounded-map.ts'
import { isObject } from '../../protocol/json-rpc.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { readText } from '../bounded-body.ts'
import { basicCredentials, type OpenedSecrets } from '../opened-secrets.ts'
import { OutboundRefused, type Outbound } from '../outbound.ts'
import { CallFailed } from './call.ts'

const REMEMBERED_BYTES = 1024 * 1024
const MAX_ANSWER_BYTES = 64 * 1024
const DEFAULT_LIFE_MS = 300_000 // where the answer does not say
const MAX_LIFE_MS = 24 * 3_600_000
const MARGIN_MS = 30_000

type Grant = { token: string; endsAt: number }

const remembered = new BoundedMap<Grant>(REMEMBERED_BYTES)

export type TokenRequest = {
  organization: string
  auth: Omit<OAuth2, 'clientAuth'> & { clientAuth?: OAuth2['clientAuth'] | undefined }
  secrets: OpenedSecrets
  outbound: Outbound
  signal: AbortSignal
  hops: number
  /** A token that was refused: another one is asked for. */
  refused?: string | undefined
}

/** A token, remembered or new; `CallFailed` where none is given. */
export async function tokenFor(request: TokenRequest, now = Date.now()): Promise<string> {
  const { organization, auth, secrets, refused } = request
  const parts = [auth.tokenUrl, auth.scope, auth.audience, auth.resource, auth.clientAuth]
  const client = [secrets.reveal(auth.clientId), secrets.reveal(auth.clientSecret)]
  const key = sha256Hex(JSON.stringify([organization, ...parts, ...client]))
  const known = remembered.get(key)
  const isGood = known !== undefined && known.endsAt > now && known.token !== refused
  const grant = isGood ? known : await requestToken(request, now)
  if (!isGood) remembered.set(key, grant, 2 * (key.length + grant.token.length))
  secrets.hide(grant.token)
  return grant.token
}

async function requestToken(request: TokenRequest, now: number): Promise<Grant> {
  const { auth, secrets, outbound, signal, hops } = request
  const { scope, audience, resource } = auth
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  const optional = Object.entries({ scope, audience, resource })
  for (const [name, value] of optional) if (value !== undefined) form.set(name, value)
  const headers = new Map([
    ['accept', 'application/json'],
    ['content-type', 'application/x-www-form-urlencoded'],
  ])
  if (auth.clientAuth === 'body') {
    form.set('client_id', secrets.reveal(auth.clientId))
    form.set('client_secret', secrets.reveal(auth.clientSecret))
  } else {
    const pair = [auth.clientId, auth.clientSecret].map((value) =>
      formEncoded(secrets.reveal(value)),
    )
    headers.set('authorization', basicCredentials(secrets, pair[0] ?? '', pair[1] ?? ''))
  }
  const body = form.toString()
  // What it is sent is for nobody else: redirects are not followed.
  const sent = { url: auth.tokenUrl, method: 'POST', headers, body, signal, hops, maxRedirects: 0 }
  const response = await outbound(sent).catch((error: unknown) => {
    if (error instanceof OutboundRefused) throw error
    throw new CallFailed(`${endpointOf(auth.tokenUrl)} could not be reached`)
  })
  const { text } = await readText(response, MAX_ANSWER_BYTES)
  const answer = parseObject(text)
  return readGrant(auth.tokenUrl, response.status, answer, now)
}

/** The pair of Basic is form-encoded first (RFC 6749 §2.3.1). */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function endpointOf(tokenUrl: string): string {
  return `The token endpoint at ${new URL(tokenUrl).host}`
}

function readGrant(
  tokenUrl: string,
  status: number,
  answer: Readonly<Record<string, unknown>>,
  now: number,
): Grant {
  const { access_token: token, token_type: type = 'Bearer', expires_in: life, error } = answer
  const at = endpointOf(tokenUrl)
  if (status !== 200) {
    const code = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? ` (${error})` : ''
    throw new CallFailed(`${at} answered ${status}${code}`)
  }
  if (typeof token !== 'string' || token === '' || !isHeaderValue(token)) {
    throw new CallFailed(`${at} gave no access_token`)
  }
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer') {
    throw new CallFailed(`${at} gave a token that is no bearer token`)
  }
  const seconds = Number(life ?? NaN)
  const lifeMs = seconds >= 0 ? Math.min(seconds * 1000, MAX_LIFE_MS) : DEFAULT_LIFE_MS
  return { token, endsAt: now + lifeMs - Math.min(MARGIN_MS, lifeMs / 10) }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {} // no JSON: the status says the rest
  }
}
