/** The heap of one Worker, asked of workerd's inspector. */

export type HeapUsage = {
  /** V8's own heap in use, and what it has reserved, in bytes. */
  usedSize: number
  totalSize: number
  /** What the embedder's C++ objects hold. */
  embedderHeapUsedSize: number
  /** The bytes of ArrayBuffers, which stand outside the heap. */
  backingStorageSize: number
}

const WAKES = 20

type Session = { ask(method: string): Promise<unknown>; close(): void }

/**
 * Heap usage of the Worker called `name`, after a full collection. workerd collects only when a
 * request comes in, so `wake` sends it some.
 */
export async function heapUsage(
  inspector: URL,
  name: string,
  wake: () => Promise<unknown>,
): Promise<HeapUsage> {
  const session = await openInspector(inspector, name)
  try {
    await session.ask('HeapProfiler.enable')
    // Twice: what the first one finalizes is free after the second.
    for (let i = 0; i < 2; i++) {
      const collected = session.ask('HeapProfiler.collectGarbage')
      for (let n = 0; n < WAKES; n++) await wake()
      await collected
    }
    return (await session.ask('Runtime.getHeapUsage')) as HeapUsage
  } finally {
    session.close()
  }
}

async function openInspector(inspector: URL, name: string): Promise<Session> {
  const socket = new WebSocket(new URL(`/core:user:${name}`, inspector).href)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the inspector cannot be reached')))
  })
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data))
    if (error) waiting.get(id)?.reject(new Error(error.message))
    else waiting.get(id)?.resolve(result)
  })
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector has gone'))
  })
  return {
    ask(method) {
      const id = waiting.size
      const answer = Promise.withResolvers<unknown>()
      waiting.set(id, answer)
      socket.send(JSON.stringify({ id, method }))
      return answer.promise
    },
    close: () => socket.close(),
  }
}
