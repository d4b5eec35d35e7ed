/** A map bounded in bytes that lets the least recently used go first: what an isolate remembers. */

type Entry<V> = { value: V; bytes: number }

export class BoundedMap<V> {
  readonly #limitBytes: number
  readonly #entries = new Map<string, Entry<V>>()
  #bytes = 0
  /** The one at the end, as far as it is known. */
  #newest: Entry<V> | undefined

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** Bytes held, as their owners counted them. */
  get bytes(): number {
    return this.#bytes
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#entries.delete(key) // to the end: a Map keeps the order of insertion
      this.#entries.set(key, entry)
      this.#newest = entry
    }
    return entry.value
  }

  /** Remembers a value of this size; one over the whole bound is not kept. */
  set(key: string, value: V, bytes: number): void {
    this.delete(key)
    if (bytes > this.#limitBytes) return
    this.#newest = { value, bytes }
    this.#entries.set(key, this.#newest)
    this.#bytes += bytes
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limitBytes) break
      this.delete(oldest)
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#bytes -= entry.bytes
  }
}
