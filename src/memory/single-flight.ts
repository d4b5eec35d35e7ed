/**
 * One piece of work for many requests of an isolate. A promise started by one request dies with it,
 * so the starter hands it to `waitUntil`, those who wait do so for a bounded time and then start the
 * work anew, and a dead flight is cleared by whoever finds it dead.
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
      if (this.#flights.get(key) === flight) this.#flights.delete(key)
      return this.run(key, work, waitUntil)
    }
    const started = work()
    this.#flights.set(key, started)
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
