/** The heap of a Worker that was launched to be inspected, asked of workerd's inspector. */
import type { Launched } from './launch.ts'

export type HeapUsage = {
  /** V8's own heap in use, and what it has reserved, in bytes. */
  usedSize: number
  totalSize: number
  /** What the embedder's C++ objects hold. */
  embedderHeapUsedSize: number
  /** The bytes of ArrayBuffers, which stand outside the heap. */
  backingStorageSize: number
}

/** The part of V8's heap snapshots that is read: nodes are rows of numbers, one after the other. */
type Snapshot = {
  snapshot: { meta: { node_fields: string[] } }
  nodes: number[]
  strings: string[]
}

const WAKES = 20
const DURABLE_OBJECT = 'workerd / DurableObjectBase' // as workerd names each of them in a snapshot

type Session = { ask(method: string): Promise<unknown>; close(): void }

/** Heap usage of a Worker, after a full collection. */
export async function heapUsage(worker: Launched): Promise<HeapUsage> {
  return within(worker, async (session) => {
    await collect(session, worker)
    return (await session.ask('Runtime.getHeapUsage')) as HeapUsage
  })
}

/** How many Durable Objects of any class are in memory, after a full collection. */
export async function countDurableObjects(worker: Launched): Promise<number> {
  const chunks: string[] = []
  await within(
    worker,
    async (session) => {
      await collect(session, worker)
      await session.ask('HeapProfiler.takeHeapSnapshot')
    },
    (chunk) => chunks.push(chunk),
  )
  const { snapshot, nodes, strings } = JSON.parse(chunks.join('')) as Snapshot
  const fields = snapshot.meta.node_fields
  const name = fields.indexOf('name')
  let count = 0
  for (let at = name; at < nodes.length; at += fields.length) {
    if (strings[nodes[at] ?? -1] === DURABLE_OBJECT) count += 1
  }
  return count
}

/** workerd collects only when a request comes in, so some are sent meanwhile. */
async function collect(session: Session, { url }: Launched): Promise<void> {
  await session.ask('HeapProfiler.enable')
  // Twice: what the first one finalizes is free after the second.
  for (let i = 0; i < 2; i++) {
    const collected = session.ask('HeapProfiler.collectGarbage')
    for (let n = 0; n < WAKES; n++) await (await fetch(new URL('/health', url))).text()
    await collected
  }
}

async function within<T>(
  { inspector, name }: Launched,
  work: (session: Session) => Promise<T>,
  onSnapshotChunk: (chunk: string) => void = () => {},
): Promise<T> {
  if (inspector === undefined) throw new Error('there is no inspector')
  const session = await openInspector(inspector, name, onSnapshotChunk)
  try {
    return await work(session)
  } finally {
    session.close()
  }
}

async function openInspector(
  inspector: URL,
  name: string,
  onSnapshotChunk: (chunk: string) => void,
): Promise<Session> {
  const socket = new WebSocket(new URL(`/core:user:${name}`, inspector).href)
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', () => reject(new Error('the inspector cannot be reached')))
  })
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data))
    if (method === 'HeapProfiler.addHeapSnapshotChunk') onSnapshotChunk(params.chunk)
    else if (error) waiting.get(id)?.reject(new Error(error.message))
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
