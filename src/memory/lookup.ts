/**
 * Named values an isolate remembers for a while: memory first, then the published copy in KV, then
 * its origin, which is asked only where KV has nothing or fails. Absence is remembered too.
 *
 * Staleness (`design.md` §2): a value is checked again after `freshMs`. When KV fails, the last good
 * copy is given with its age where `keepsStale` allows it; otherwise the origin decides, and when
 * that fails too the caller gets `Unavailable`: never an absence by mistake.
 */
import { BoundedMap } from './bounded-map.ts'
import { SingleFlight, within, type WaitUntil } from './single-flight.ts'

const ABSENT_MS = 10_000
const ABSENT_BYTES = 100
const PUBLISHED_TIMEOUT_MS = 5000 // KV answers in milliseconds or not at all
const RETRY_MS = 1000 // while KV fails, one attempt a second and name

export type Sized<T> = { value: T; bytes: number }

export type Source<T> = {
  /** The copy in KV, `known` itself where it is still that; undefined when there is none. */
  published(name: string, known: T | undefined): Promise<Sized<T> | undefined>
  /** Throws unless this request may go past KV: misses cost, and are limited. */
  admitMiss(name: string): Promise<void>
  /** The value where it is decided; undefined when there is none. */
  origin(name: string): Promise<Sized<T> | undefined>
}

export type Found<T> = {
  value: T | undefined
  /** How old the answer is, where KV could not be asked; 0 when it is within its window. */
  staleMs: number
}

/** Neither KV nor the origin could be asked. */
export class Unavailable extends Error {}

type Entry<T> = { value: T | undefined; bytes: number; checkedAt: number; retryAt: number }

export type LookupOptions<T> = {
  memory: BoundedMap<Entry<T>>
  freshMs: number
  keepsStale: boolean
  /** Whether KV's copy is older than the known one: elsewhere it may lag. */
  isOlder?: (read: T, known: T) => boolean
  /** Whether an answer may still be given: false sends the next request to look again. */
  isCurrent?: (name: string, value: T | undefined) => boolean
  now?: () => number
  flights?: SingleFlight<Sized<T> | undefined>
}

export class Lookup<T> {
  readonly #options: LookupOptions<T>
  readonly #now: () => number
  readonly #flights: SingleFlight<Sized<T> | undefined>

  constructor(options: LookupOptions<T>) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#flights = options.flights ?? new SingleFlight()
  }

  /** The remembered answer where it is fresh, without a promise: the path of most requests. */
  fresh(name: string): Found<T> | undefined {
    const entry = this.#options.memory.get(name)
    if (entry === undefined) return undefined
    const age = this.#now() - entry.checkedAt
    const limit = entry.value === undefined ? ABSENT_MS : this.#options.freshMs
    if (age >= limit || this.#options.isCurrent?.(name, entry.value) === false) return undefined
    return { value: entry.value, staleMs: 0 }
  }

  /** The value of a name, or `Unavailable`. */
  async find(name: string, source: Source<T>, waitUntil: WaitUntil): Promise<Found<T>> {
    const fresh = this.fresh(name)
    if (fresh !== undefined) return fresh
    const entry = this.#options.memory.get(name)
    const stale = this.#staleCopy(entry)
    if (stale !== undefined && entry !== undefined && this.#now() < entry.retryAt) return stale
    try {
      const read = await this.#flights.run(
        `published ${name}`,
        () => inTime(source.published(name, entry?.value)),
        waitUntil,
      )
      if (read !== undefined) return this.#learn(name, read, entry)
    } catch (error) {
      console.error('KV could not be read', error)
      if (entry !== undefined && stale !== undefined) {
        entry.retryAt = this.#now() + RETRY_MS
        return stale
      }
    }
    await source.admitMiss(name)
    try {
      const origin = () => source.origin(name)
      const read = await this.#flights.run(`origin ${name}`, origin, waitUntil)
      return this.#learn(name, read, entry)
    } catch (error) {
      console.error('the origin could not be asked', error)
      if (stale !== undefined) return stale
      throw new Unavailable('neither KV nor the origin could be asked', { cause: error })
    }
  }

  /** Remembers a value that something here has just given to a name; KV follows in a moment. */
  remember(name: string, value: T, bytes: number): void {
    this.#set(name, value, bytes)
  }

  /** Drops what is remembered of a name: something here has just changed it. */
  forget(name: string): void {
    this.#options.memory.delete(name)
  }

  #staleCopy(entry: Entry<T> | undefined): Found<T> | undefined {
    if (!this.#options.keepsStale || entry?.value === undefined) return undefined
    return { value: entry.value, staleMs: this.#now() - entry.checkedAt }
  }

  #learn(name: string, read: Sized<T> | undefined, before: Entry<T> | undefined): Found<T> {
    const known = this.#options.memory.get(name) ?? before
    if (known?.value !== undefined && read && this.#options.isOlder?.(read.value, known.value)) {
      return this.#set(name, known.value, known.bytes)
    }
    return this.#set(name, read?.value, read?.bytes ?? ABSENT_BYTES)
  }

  #set(name: string, value: T | undefined, bytes: number): Found<T> {
    this.#options.memory.set(name, { value, bytes, checkedAt: this.#now(), retryAt: 0 }, bytes)
    return { value, staleMs: 0 }
  }
}

async function inTime<T>(read: Promise<T>): Promise<T> {
  const landed = await within(PUBLISHED_TIMEOUT_MS, read)
  if (landed === undefined) throw new Error(`KV did not answer in ${PUBLISHED_TIMEOUT_MS} ms`)
  return landed.value
}
