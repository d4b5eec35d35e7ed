/** How work learns that nobody waits for it any more. */

/** What an `AbortSignal` tells of this, so that one will do. */
export type Cancellation = {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The cancellation of a call that hardly ever is cancelled: lighter than an `AbortController`. */
export class Cancelling implements Cancellation {
  #aborted = false
  readonly #listeners = new Set<() => void>()

  get aborted(): boolean {
    return this.#aborted
  }

  /** Tells it, once. */
  abort(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (const listener of this.#listeners) listener()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }
}
