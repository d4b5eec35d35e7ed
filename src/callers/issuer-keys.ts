/**
 * The public keys of OAuth issuers, remembered in the isolate. They are read again after ten minutes, and
 * for a key that is not among them, which it may have been given since: at most once a minute, so that
 * made-up key ids cost an issuer nothing. While an issuer cannot be asked, the last good keys serve a day.
 */
import { logError } from '../protocol/log.ts'
import { createLocalJWKSet, type JSONWebKeySet } from 'jose'
import * as z from 'zod'
import { SingleFlight, type WaitUntil } from '../memory/single-flight.ts'
import { discoveryUrls } from '../protocol/well-known.ts'
import type { OAuthIssuer } from './oauth-issuer.ts'

const FRESH_MS = 10 * 60 * 1000
const KEPT_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 60_000
const FAILED_MS = 5000 // in which an issuer that did not answer is left alone
const MAX_KEYS = 100
const KEY_TYPES: ReadonlySet<string> = new Set(['RSA', 'EC', 'OKP'])

/** Reads JSON over HTTP, bounded in size and time; throws for anything else. */
export type FetchJson = (url: string) => Promise<unknown>

export type KeySet = { resolve: ReturnType<typeof createLocalJWKSet>; fetchedAt: number }

/** An issuer's keys cannot be had now: nothing can be said of a token. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable'
}

const Jwks = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(MAX_KEYS) })
const Metadata = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })

export class IssuerKeys {
  readonly #fetchJson: FetchJson
  readonly #now: () => number
  readonly #sets = new Map<string, KeySet>()
  readonly #triedAt = new Map<string, number>()
  readonly #failedAt = new Map<string, number>()
  readonly #flights = new SingleFlight<KeySet>()

  constructor(fetchJson: FetchJson, now: () => number = Date.now) {
    this.#fetchJson = fetchJson
    this.#now = now
  }

  /** The keys of an issuer, no older than they may be, or `KeysUnavailable`. */
  async find(issuer: OAuthIssuer, waitUntil: WaitUntil): Promise<KeySet> {
    const known = this.#sets.get(issuer.issuer)
    if (known !== undefined && this.#now() - known.fetchedAt < FRESH_MS) return known
    return this.renew(issuer, known, waitUntil)
  }

  /** The keys of an issuer, read anew unless that was done a moment ago. */
  async renew(
    issuer: OAuthIssuer,
    known: KeySet | undefined,
    waitUntil: WaitUntil,
  ): Promise<KeySet> {
    const current = this.#sets.get(issuer.issuer)
    if (current !== undefined && current !== known) return current
    const isKept = known !== undefined && this.#now() - known.fetchedAt < KEPT_MS
    if (isKept && this.#isSince(this.#triedAt, issuer, RETRY_MS)) return known
    if (this.#isSince(this.#failedAt, issuer, FAILED_MS)) throw unavailable(issuer, undefined)
    try {
      return await this.#flights.run(issuer.issuer, () => this.#read(issuer), waitUntil)
    } catch (error) {
      logError(`the keys of ${issuer.issuer} could not be read`, error)
      this.#failedAt.set(issuer.issuer, this.#now())
      if (isKept) return known
      throw unavailable(issuer, error)
    }
  }

  #isSince(times: ReadonlyMap<string, number>, { issuer }: OAuthIssuer, ms: number): boolean {
    return this.#now() - (times.get(issuer) ?? -Infinity) < ms
  }

  async #read(issuer: OAuthIssuer): Promise<KeySet> {
    this.#triedAt.set(issuer.issuer, this.#now())
    const uri = issuer.jwksUri ?? (await this.#discover(issuer.issuer))
    const { keys } = Jwks.parse(await this.#fetchJson(uri))
    const jwks = { keys: keys.filter(({ kty }) => KEY_TYPES.has(kty)) } as JSONWebKeySet
    const set: KeySet = { resolve: createLocalJWKSet(jwks), fetchedAt: this.#now() }
    this.#sets.set(issuer.issuer, set)
    return set
  }

  /** Where an issuer says that its keys are; its metadata must name the very issuer. */
  async #discover(issuer: string): Promise<string> {
    const failures: unknown[] = []
    for (const url of discoveryUrls(issuer)) {
      try {
        const metadata = Metadata.parse(await this.#fetchJson(url))
        if (metadata.issuer === issuer) return metadata.jwks_uri
        failures.push(new Error(`${url} is of another issuer`))
      } catch (error) {
        failures.push(error) // the next form of the address may be the right one
      }
    }
    throw failures[0]
  }
}

function unavailable({ issuer }: OAuthIssuer, cause: unknown): KeysUnavailable {
  return new KeysUnavailable(`the keys of ${issuer} could not be read`, { cause })
}
