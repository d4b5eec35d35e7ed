/**
 * Rate limits, all on one binding of 6,000 a minute: a limit of n counts 6000 / n for each message.
 * Approximate and by location; against floods, not for quotas.
 */
import { MAX_RATE_LIMIT } from '../catalog/server.ts'
import { HttpError } from '../protocol/http-error.ts'
import type { Platform, Visit } from './platform.ts'

export const PERIOD_SECONDS = 60
const MISSES_A_MINUTE = 120 // names that neither memory nor KV knows, by address; or of a person
const FAILED_CREDENTIALS_A_MINUTE = 60 // by address

/** Takes `slots` of a limit, or throws 429 with `Retry-After`. */
export async function requireSlots(
  platform: Platform,
  key: string,
  perMinute: number,
  slots = 1,
): Promise<void> {
  for (let taken = 0; taken < slots; taken++) {
    if (!(await takeSlot(platform, key, perMinute))) throw tooMany(perMinute)
  }
}

/** Takes one slot of a limit; false where there is none left. */
export async function takeSlot(
  { env }: Platform,
  key: string,
  perMinute: number,
): Promise<boolean> {
  const delta = Math.ceil(MAX_RATE_LIMIT / perMinute)
  const { success } = await env.LIMITER.limit({ key, delta })
  return success
}

/** Lets a request ask past KV, or throws 429: each such question wakes an object. */
export async function admitMiss(platform: Platform, { address }: Visit): Promise<void> {
  await requireSlots(platform, `miss ${address}`, MISSES_A_MINUTE)
}

/** Lets a person who has proven to be it, by the hash of its external id, ask for its memberships. */
export async function admitPerson(platform: Platform, person: string): Promise<void> {
  await requireSlots(platform, `person ${person}`, MISSES_A_MINUTE)
}

/** Counts a credential that was refused against the address it came from; too many are 429. */
export async function countFailedCredential(platform: Platform, { address }: Visit): Promise<void> {
  await requireSlots(platform, `credential ${address}`, FAILED_CREDENTIALS_A_MINUTE)
}

function tooMany(perMinute: number): HttpError {
  return new HttpError(
    429,
    'rate_limit_exceeded',
    `More than ${perMinute} in a minute; retry later`,
    {
      headers: { 'Retry-After': String(PERIOD_SECONDS) },
    },
  )
}
