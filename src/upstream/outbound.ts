/**
 * The one function for every request that leaves this deployment. It decides where a request may go,
 * at first and after each redirect, and what of it may go there: credentials stay with the origin
 * they are for. Time-outs, retries and reading the answer are the caller's.
 */
import { ROLLCALL_VERSION } from '../protocol/implementation.ts'
import { BoundedMap } from '../memory/bounded-map.ts'
import { isPrivateHost } from './private-address.ts'

const MAX_REDIRECTS = 5
const MAX_URL_LENGTH = 16 * 1024 // what the platform takes
const SHORT_URL_LENGTH = MAX_URL_LENGTH / 9 // a character is at most three bytes, each written %XX
const AFTER_SCHEME = 'https://'.length
const ORIGINS_BYTES = 64 * 1024
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ALWAYS_CREDENTIALS = ['authorization', 'cookie']

/** How many deployments of ours a request came through, so that a circle of them ends. */
export const HOPS_HEADER = 'rollcall-hops'

/** What a deployment allows. */
export type OutboundPolicy = {
  /** Whether plain http may be used: in development alone. */
  allowsHttp: boolean
  /** Whether private addresses may be reached: in development, where it is asked for. */
  allowsPrivate: boolean
}

export type OutboundRequest = {
  url: string
  method: string
  /** Its own by name in lower case, names and values clean; what is ours is added to them. */
  headers: Map<string, string>
  body?: string | undefined
  signal: AbortSignal
  /** How many deployments of ours the request came through before this one; default 0. */
  hops?: number | undefined
  /** How many redirects to follow; 0 gives the first one back. Default 5. */
  maxRedirects?: number
  /** Names of what must not go to another origin, beside Authorization and Cookie. */
  credentials?: { headers: readonly string[]; query: readonly string[] } | undefined
  /** Whether the answer to a GET hangs on the URL alone, so that a cache may keep it; default no. */
  isPublic?: boolean
}

export type Outbound = (request: OutboundRequest) => Promise<Response>

/** A request that may not be made; the message names the host and holds no secret. */
export class OutboundRefused extends Error {
  override readonly name = 'OutboundRefused'
}

/** The outbound function under a policy. */
export function createOutbound(policy: OutboundPolicy): Outbound {
  const origins = new BoundedMap<true>(ORIGINS_BYTES)
  return async (request) => {
    const { url, method, body, signal, hops = 0, credentials, isPublic = false } = request
    const { maxRedirects = MAX_REDIRECTS } = request
    let { headers } = request
    headers.set(HOPS_HEADER, String(hops + 1))
    if (!headers.has('user-agent')) headers.set('user-agent', `Rollcall/${ROLLCALL_VERSION}`)
    let target = url
    if (!isAtKnownOrigin(url, origins)) {
      const { href, origin } = requireTarget(url, policy)
      target = href
      origins.set(origin, true, 2 * origin.length)
    }
    let init = { method, body }
    for (let redirects = 0; ; redirects++) {
      const { body: content = null } = init
      const response = await fetch(target, {
        method: init.method,
        headers: Object.fromEntries(headers),
        body: content,
        signal,
        redirect: 'manual',
        // What one caller may see is not kept for another; what is sent is never kept.
        ...(!isPublic && init.body === undefined && { cache: 'no-store' }),
      })
      if (maxRedirects === 0 || !REDIRECTS.has(response.status)) return response
      const location = response.headers.get('location')
      if (location === null) return response
      await response.body?.cancel()
      const from = new URL(target)
      if (redirects === maxRedirects) {
        throw new OutboundRefused(`${from.hostname} redirects more than ${maxRedirects} times`)
      }
      const next = requireRedirect(location, from, policy)
      if (next.origin !== from.origin) {
        headers = new Map(headers)
        for (const name of ALWAYS_CREDENTIALS) headers.delete(name)
        for (const name of credentials?.headers ?? []) headers.delete(name.toLowerCase())
        for (const name of credentials?.query ?? []) next.searchParams.delete(name)
      }
      target = next.href
      init = redirected(response.status, init)
      if (init.body === undefined) headers.delete('content-type')
    }
  }
}

/**
 * Whether a URL is at an origin that was let through before: to read it again costs a call a fortieth.
 * What is known is as `URL` writes it, with no user name, so before a slash it means nothing else; and
 * a short URL is not too long, however it is encoded.
 */
function isAtKnownOrigin(url: string, origins: BoundedMap<true>): boolean {
  const end = url.indexOf('/', AFTER_SCHEME)
  return end > 0 && url.length < SHORT_URL_LENGTH && origins.get(url.slice(0, end)) === true
}

function requireTarget(url: string, { allowsHttp, allowsPrivate }: OutboundPolicy): URL {
  const target = URL.parse(url)
  if (target === null) throw new OutboundRefused('The URL of a request cannot be read')
  const { protocol, hostname, username, password, href } = target
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw new OutboundRefused(`Requests are made over https, not ${protocol.slice(0, -1)}`)
  }
  if (protocol === 'http:' && !allowsHttp) {
    throw new OutboundRefused(`Requests to ${hostname} must be made over https`)
  }
  if (username !== '' || password !== '') {
    throw new OutboundRefused(`The URL at ${hostname} must have no user name or password in it`)
  }
  if (!allowsPrivate && isPrivateHost(hostname)) {
    const hint = allowsHttp ? '; set ALLOW_PRIVATE_UPSTREAMS=1 to do so in development' : ''
    const what = `${hostname} is a private address or name, which is not asked${hint}`
    throw new OutboundRefused(what)
  }
  if (href.length > MAX_URL_LENGTH) {
    throw new OutboundRefused(`The URL at ${hostname} is over ${MAX_URL_LENGTH / 1024} KiB`)
  }
  return target
}

function requireRedirect(location: string, from: URL, policy: OutboundPolicy): URL {
  const to = URL.parse(location, from.href)
  if (to === null) throw new OutboundRefused(`${from.hostname} redirects to what is no URL`)
  const next = requireTarget(to.href, policy)
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw new OutboundRefused(`${from.hostname} redirects from https to http`)
  }
  return next
}

/** What is sent after a redirect (RFC 9110 §15.4): its body only where the method stays. */
function redirected(status: number, init: { method: string; body: string | undefined }) {
  const becomesGet =
    (status === 303 && init.method !== 'HEAD') || (status < 303 && init.method === 'POST')
  return becomesGet ? { method: 'GET', body: undefined } : init
}
