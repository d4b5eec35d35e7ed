/** Tokens from a token endpoint: for a code, and for a refresh token (RFC 6749 §4.1.3, §6). */
import { isHeaderValue } from '../../handlers/headers.ts'
import { encodeBase64, encodeUtf8 } from '../../protocol/bytes.ts'
import type { Outbound } from '../outbound.ts'
import type { Client } from './client.ts'
import { OAuthFault } from './fault.ts'
import { postTo } from './post.ts'

const MAX_TOKEN_LENGTH = 16 * 1024 // a field of an account's credential
const MAX_LIFE_SECONDS = 10 * 365 * 24 * 3600

export type Tokens = {
  token: string
  refreshToken: string | undefined
  /** When the token ends; undefined where that was not said. */
  endsAtMs: number | undefined
  idToken: string | undefined
}

/** Where tokens are had, and as whom; the client's secret has been opened. */
export type TokenEndpoint = {
  tokenUrl: string
  client: Client
  /** What the tokens are for (RFC 8707). */
  resource?: string | undefined
}

/** The tokens that a code stands for, or `OAuthFault`. */
export async function exchangeCode(
  outbound: Outbound,
  endpoint: TokenEndpoint,
  { code, redirectUri, verifier }: { code: string; redirectUri: string; verifier: string },
  now: number,
): Promise<Tokens> {
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
  return askFor(outbound, endpoint, grant, now)
}

/** Newer tokens, or `OAuthFault`; a refresh token that is not given anew goes on as it was. */
export async function refreshTokens(
  outbound: Outbound,
  endpoint: TokenEndpoint,
  refreshToken: string,
  now: number,
): Promise<Tokens> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken }
  const tokens = await askFor(outbound, endpoint, grant, now)
  return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken }
}

async function askFor(
  outbound: Outbound,
  { tokenUrl, client, resource }: TokenEndpoint,
  grant: Readonly<Record<string, string>>,
  now: number,
): Promise<Tokens> {
  const form = new URLSearchParams(grant)
  if (resource !== undefined) form.set('resource', resource)
  const { id, auth, secret = '' } = client
  if (auth !== 'basic') form.set('client_id', id)
  if (auth === 'body') form.set('client_secret', secret)
  const answer = await postTo(outbound, {
    url: tokenUrl,
    contentType: 'application/x-www-form-urlencoded',
    body: form.toString(),
    ...(auth === 'basic' && { authorization: basic(id, secret) }),
  })
  return readTokens(answer, new URL(tokenUrl).host, now)
}

function readTokens(answer: Readonly<Record<string, unknown>>, host: string, now: number): Tokens {
  const { access_token: token, token_type: type, expires_in: life } = answer
  // Some answer 200 with an error in it.
  if (!isToken(token) || !isHeaderValue(token)) {
    throw new OAuthFault('unfit', `${host} gave no access token`)
  }
  const isBearer = typeof type === 'string' && type.toLowerCase() === 'bearer'
  if (type !== undefined && !isBearer) {
    throw new OAuthFault('unfit', `${host} gave a token that is no bearer token`)
  }
  const seconds = life === undefined || life === null ? NaN : Number(life)
  const isSaid = seconds >= 0 && seconds <= MAX_LIFE_SECONDS
  return {
    token,
    refreshToken: optionalToken(answer['refresh_token']),
    endsAtMs: isSaid ? now + seconds * 1000 : undefined,
    idToken: optionalToken(answer['id_token']),
  }
}

function optionalToken(value: unknown): string | undefined {
  return isToken(value) ? value : undefined
}

function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TOKEN_LENGTH
}

function basic(id: string, secret: string): string {
  return `Basic ${encodeBase64(encodeUtf8(`${formEncoded(id)}:${formEncoded(secret)}`))}`
}

/** A text as it stands in the pair of Basic (RFC 6749 §2.3.1). */
export function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}
