/** What a client is told, as a test waits for it: each thing once, in order, and not for ever. */

const PATIENCE_MS = 10_000

export type Inbox<T> = {
  put(item: T): void
  /** The next one, which is then gone; throws when it does not come. */
  next(): Promise<T>
}

/** An empty one. */
export function createInbox<T>(): Inbox<T> {
  const items: T[] = []
  const waiting: ((item: T) => void)[] = []
  return {
    put(item) {
      const take = waiting.shift()
      if (take === undefined) items.push(item)
      else take(item)
    },
    next() {
      const [item] = items.splice(0, 1)
      if (item !== undefined) return Promise.resolve(item)
      return new Promise((resolve, reject) => {
        const take = (late: T) => {
          clearTimeout(timer)
          resolve(late)
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(take), 1)
          reject(new Error(`nothing came in ${PATIENCE_MS} ms`))
        }, PATIENCE_MS)
        waiting.push(take)
      })
    },
  }
}
