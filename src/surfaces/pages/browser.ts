/**
 * Which browser it is, by a random cookie, and that a form was sent by it from a page of ours: its
 * Origin is our own, and it has the token that the page was given for this browser and purpose.
 */
import { mintNonce } from '../../catalog/names.ts'
import { readBytes } from '../../protocol/body.ts'
import { decodeUtf8 } from '../../protocol/bytes.ts'
import { essenceOf } from '../../protocol/headers.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { hmacOf, sha256Hex } from '../../sealing/digest.ts'
import { publicOrigin } from '../link.ts'
import type { Platform } from '../platform.ts'

const COOKIE = '__Host-rollcall-connect'
const COOKIE_SECONDS = 3600
const FORM = 'application/x-www-form-urlencoded'
const MAX_FORM_BYTES = 512 * 1024 // what an account's credential may be, encoded

/** A browser: its hash is what is stored. */
export type Browser = { id: string; hash: string }

/** The browser that asks; undefined for one that was not here before. */
export function browserOf(request: Request): Browser | undefined {
  const id = readCookie(request, COOKIE)
  return id !== undefined && /^[0-9a-f]{64}$/.test(id) ? { id, hash: sha256Hex(id) } : undefined
}

/** The browser that asks, with the cookie by which it is known from here on. */
export function meetBrowser(request: Request): { browser: Browser; cookie: string } {
  const known = browserOf(request)
  const id = known?.id ?? mintNonce()
  const browser = known ?? { id, hash: sha256Hex(id) }
  return { browser, cookie: formatCookie(COOKIE, id, COOKIE_SECONDS) }
}

/** What a form must have in its field `token`. */
export function formToken(
  { cursorKeys: [cursorKey] }: Platform,
  browser: Browser,
  purpose: string,
): string {
  return hmacOf(cursorKey, `form ${browser.id} ${purpose}`)
}

/** The fields of a form that was sent here: 403 from another page, 413, 415, 422. */
export async function readForm(platform: Platform, request: Request): Promise<URLSearchParams> {
  const origin = request.headers.get('origin')
  if (origin !== publicOrigin(platform, request)) throw foreign()
  if (essenceOf(request.headers.get('content-type')) !== FORM) {
    throw new HttpError(415, 'unsupported_media_type', 'This page takes its own form alone')
  }
  const text = decodeUtf8(await readBytes(request, MAX_FORM_BYTES))
  if (text === undefined) throw new HttpError(422, 'invalid', 'The form is not UTF-8')
  return new URLSearchParams(text)
}

/** The browser that sent a form, or 403 where it is none that was given the form. */
export function requireBrowser(
  platform: Platform,
  request: Request,
  form: URLSearchParams,
  purpose: string,
): Browser {
  const browser = browserOf(request)
  if (browser === undefined) {
    const message = 'This browser sent no cookie; allow cookies and open the link again'
    throw new HttpError(403, 'cookie_missing', message)
  }
  if (form.get('token') !== formToken(platform, browser, purpose)) throw foreign()
  return browser
}

/** A cookie of this request; undefined for none. */
export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** A cookie for this host alone; Lax, since people come back here from where they signed in. */
export function formatCookie(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`
}

function foreign(): HttpError {
  const message = 'This form was not sent from the page that was opened here; open the link again'
  return new HttpError(403, 'foreign_form', message)
}
