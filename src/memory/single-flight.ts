/**
 * One piece of work for many requests of an isolate. A promise started by one request dies with it,
 * so the starter hands it to `waitUntil`, and those who wait do so once, for a bounded time, and then
 * do the work themselves: a second wait could be for another dead one, and slow work would let
 * callers through one at a time. A flight is cleared by its end or by whoever gives it up.
 */

export const FLIGHT_WAIT_MS = 2000

export type WaitUntil = (work: Promise<unknown>) => void

export class SingleFlight<T> {
  readonly #flights = new Map<string, Promise<T>>()
  readonly #waitMs: number

  constructor(waitMs = FLIGHT_WAIT_MS) {
    this.#waitMs = waitMs
  }

  /** The result of the work under way for `key`, or of `work`, started now. */
  async run(key: string, work: () => Promise<T>, waitUntil: WaitUntil): Promise<T> {
    const flight = this.#flights.get(key)
    if (flight !== undefined) {
      const landed = await within(this.#waitMs, flight)
      if (landed !== undefined) return landed.value
    }
    const started = work()
    // In place of one given up, but not of what another has begun since.
    if (this.#flights.get(key) === flight) this.#flights.set(key, started)
    const clear = () => {
      if (this.#flights.get(key) === started) this.#flights.delete(key)
    }
    waitUntil(started.then(clear, clear))
    return started
  }
}

/** The value of a promise that settles in time; undefined when it does not. Rejections are thrown. */
export async function within<T>(
  ms: number,
  promise: Promise<T>,
): Promise<{ value: T } | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  try {
    return await Promise.race([promise.then((value) => ({ value })), late])
  } finally {
    if (timer !== undefined) clearTimeout(timer)
  }
}
