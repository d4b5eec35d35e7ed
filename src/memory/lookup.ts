/**
 * Named values an isolate remembers for a while: memory first, then the published copy in KV, then
 * its origin, which is asked only where KV has nothing or fails. Absence is remembered too.
 *
 * Staleness (`design.md` §2): a value is checked again after `freshMs`. When KV fails, the last good
 * copy is given with its age where `keepsStale` allows it and it is current; otherwise the origin
 * decides. When that fails too, any copy will do, and without one the caller gets `Unavailable`:
 * never an absence by mistake. What the origin refuses is no failure, and is thrown as it is.
 */
import { logError } from '../protocol/log.ts'
import { BoundedMap } from './bounded-map.ts'
import { SingleFlight, within, type WaitUntil } from './single-flight.ts'

const ABSENT_MS = 10_000
const ABSENT_BYTES = 100
const PUBLISHED_TIMEOUT_MS = 1500 // under the wait of a flight: all who wait learn that KV hangs
const RETRY_MS = 1000 // while KV fails, one attempt a second and name

export type Sized<T> = { value: T; bytes: number }

/** A copy that stands in KV and does not open: its name is a real one, and its origin is asked. */
export type Shut = 'shut'

export type Source<T> = {
  /** The copy in KV, `known` itself where it is still that; undefined when there is none. */
  published(name: string, known: T | undefined): Promise<Sized<T> | Shut | undefined>
  /** Throws unless this request may go past KV, which has nothing: misses cost, and are limited. */
  admitMiss(name: string): Promise<void>
  /** The value where it is decided; undefined when there is none. It may mend a copy that is shut. */
  origin(name: string, isShut: boolean): Promise<Sized<T> | undefined>
}

export type Found<T> = {
  value: T | undefined
  /** How old the answer is, where KV could not be asked; 0 when it is within its window. */
  staleMs: number
}

/** Neither KV nor the origin could be asked. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

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
  flights?: SingleFlight<Sized<T> | Shut | undefined>
}

export class Lookup<T> {
  readonly #options: LookupOptions<T>
  readonly #now: () => number
  readonly #flights: SingleFlight<Sized<T> | Shut | undefined>

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
    if (age >= limit || !this.#isCurrent(name, entry.value)) return undefined
    return { value: entry.value, staleMs: 0 }
  }

  /** The value of a name, or `Unavailable`. */
  async find(name: string, source: Source<T>, waitUntil: WaitUntil): Promise<Found<T>> {
    const fresh = this.fresh(name)
    if (fresh !== undefined) return fresh
    const entry = this.#options.memory.get(name)
    const published = await this.#findPublished(name, source, waitUntil, entry)
    if (published !== undefined && published !== 'shut') return published
    const isShut = published === 'shut'
    if (!isShut) await source.admitMiss(name) // nobody can make up a name that KV has
    // Another request may have learned it while this one asked KV and was admitted.
    return this.fresh(name) ?? this.#findOrigin(name, source, waitUntil, { entry, isShut })
  }

  /** Remembers a value that something here has just given to a name; KV follows in a moment. */
  remember(name: string, value: T, bytes: number): void {
    this.#set(name, value, bytes)
  }

  /** Drops what is remembered of a name: something here has just changed it. */
  forget(name: string): void {
    this.#options.memory.delete(name)
  }

  /** What KV has, or the copy to give while it fails; undefined sends the request to the origin. */
  async #findPublished(
    name: string,
    source: Source<T>,
    waitUntil: WaitUntil,
    entry: Entry<T> | undefined,
  ): Promise<Found<T> | Shut | undefined> {
    if (this.#now() < (entry?.retryAt ?? 0)) return this.#currentCopy(name, entry)
    try {
      const read = await this.#flights.run(
        `published ${name}`,
        () => inTime(source.published(name, entry?.value)),
        waitUntil,
      )
      return read === undefined || read === 'shut' ? read : this.#learn(name, read, entry)
    } catch (error) {
      logError('KV could not be read', error)
      if (entry !== undefined && this.#staleCopy(entry)) entry.retryAt = this.#now() + RETRY_MS
      return this.#currentCopy(name, entry)
    }
  }

  async #findOrigin(
    name: string,
    source: Source<T>,
    waitUntil: WaitUntil,
    { entry, isShut }: { entry: Entry<T> | undefined; isShut: boolean },
  ): Promise<Found<T>> {
    try {
      const origin = () => source.origin(name, isShut)
      const read = await this.#flights.run(`origin ${name}`, origin, waitUntil)
      return this.#learn(name, read === 'shut' ? undefined : read, entry)
    } catch (error) {
      if (isRefusal(error)) throw error
      logError('the origin could not be asked', error)
      const stale = this.#staleCopy(entry)
      if (stale !== undefined) return stale
      throw new Unavailable('neither KV nor the origin could be asked', { cause: error })
    }
  }

  #isCurrent(name: string, value: T | undefined): boolean {
    return this.#options.isCurrent?.(name, value) !== false
  }

  #currentCopy(name: string, entry: Entry<T> | undefined): Found<T> | undefined {
    return this.#isCurrent(name, entry?.value) ? this.#staleCopy(entry) : undefined
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

/** Whether an error is an answer with its own status; its class belongs to a floor above. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'status' in error && typeof error.status === 'number'
}

async function inTime<T>(read: Promise<T>): Promise<T> {
  const landed = await within(PUBLISHED_TIMEOUT_MS, read)
  if (landed === undefined) throw new Error(`KV did not answer in ${PUBLISHED_TIMEOUT_MS} ms`)
  return landed.value
}
