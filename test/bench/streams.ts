/**
 * A thousand clients that have a session and hold its stream open: how soon all hear of a change, and
 * what they take while nothing happens. All streams are of one isolate here, so that it alone asks
 * every session what it was told; at the edge the listeners of a server are spread over many.
 *
 * The changes that count come when all has been idle: no object is in memory any more, and each
 * session is made anew from its storage before its client is told.
 */
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuMsOf, residentBytesOf } from './cpu.ts'
import { openIdleStream, type IdleStream } from './idle-stream.ts'
import { countDurableObjects, heapUsage } from './inspector.ts'
import { withWorker, type Launched } from './launch.ts'
import { benchServer, describeTool, pathOf, putServer, rollcall } from './rollcall.ts'
import { inBatches, openSessions, SETTINGS } from './sessions.ts'
import { median } from './statistics.ts'
import type { FigureRow, Row } from './table.ts'
import { benchTools } from './tools.ts'

const STREAMS = 1000
const IDLE_MS = 11_500 // the platform lets an object go after ten seconds
const IDLE_CHANGES = 3
const PUBLISHING_MS = 1500 // KV takes one write a second
const MAX_MS = 2000
const KIBIBYTE = 1024

/** From the write's answer to the stream that hears last, and the CPU of workerd for all. */
type Change = { lastMs: number; cpuMs: number }

type Weight = { residentBytes: number; heapBytes: number }

type Found = { before: Weight; after: Weight; idle: Change[]; awake: Change; objects: Objects }

type Objects = { awake: number; idle: number }

export async function measureStreams(): Promise<Row[]> {
  const { before, after, idle, awake, objects } = await measure()
  const each = (part: keyof Weight): string =>
    `${((after[part] - before[part]) / STREAMS / KIBIBYTE).toFixed(1)} KiB`
  const lastMs = median(idle.map((one) => one.lastMs))
  const cpuMs = median(idle.map((one) => one.cpuMs))
  const isForgotten = objects.awake >= STREAMS && objects.idle === 0
  return [
    {
      ...figure(
        'change, all idle',
        `${lastMs.toFixed(0)} ms`,
        `the write’s answer to the last stream, median of ${IDLE_CHANGES}; databases in ${tmpdir()}`,
      ),
      bar: `< ${MAX_MS} ms`,
      verdict: lastMs < MAX_MS ? 'pass' : 'fail',
    },
    figure('… its CPU', `${cpuMs.toFixed(0)} ms`, 'of workerd, median of the same changes'),
    figure('change, all awake', `${awake.lastMs.toFixed(0)} ms`, 'one that follows at once'),
    figure('… its CPU', `${awake.cpuMs.toFixed(0)} ms`, 'of workerd'),
    {
      ...figure('objects, all idle', String(objects.idle), 'DurableObjectBase in a heap snapshot'),
      bar: '0',
      verdict: isForgotten ? 'pass' : 'fail',
    },
    figure('objects, all awake', String(objects.awake), 'the same just after a change'),
    figure('resident, a stream', each('residentBytes'), 'VmRSS over that of the idle sessions'),
    figure('heap, a stream', each('heapBytes'), 'the same of Runtime.getHeapUsage, collected'),
  ]
}

async function measure(): Promise<Found> {
  const tools = benchTools(50)
  const server = benchServer(tools)
  const build = await rollcall(SETTINGS)
  return withWorker(build, { inspect: true }, async (worker) => {
    await putServer(worker.url, server)
    const place = { url: worker.url, path: pathOf(server) }
    const sessions = await openSessions(place, STREAMS)
    const before = await idleWeight(worker)
    const streams = await inBatches(sessions, (session) => openIdleStream(place, session))
    const after = await idleWeight(worker)
    let number = 0
    const write = (): Promise<void> =>
      describeTool(worker.url, server, tools[0]?.name ?? '', `Description ${number++}`)
    const idle = [await change(worker, streams, write)]
    await wait(PUBLISHING_MS)
    const awake = await change(worker, streams, write)
    const awakeObjects = await countDurableObjects(worker)
    await wait(IDLE_MS)
    const objects = { awake: awakeObjects, idle: await countDurableObjects(worker) }
    idle.push(await change(worker, streams, write))
    while (idle.length < IDLE_CHANGES) {
      await wait(IDLE_MS)
      idle.push(await change(worker, streams, write))
    }
    for (const stream of streams) stream.close()
    return { before, after, idle, awake, objects }
  })
}

async function change(
  { pid }: Launched,
  streams: readonly IdleStream[],
  write: () => Promise<void>,
): Promise<Change> {
  const heard = Promise.all(streams.map((stream) => stream.nextChange()))
  const cpuMs = cpuMsOf(pid)
  await write()
  const written = performance.now()
  const lastMs = Math.max(...(await heard)) - written
  return { lastMs, cpuMs: cpuMsOf(pid) - cpuMs }
}

async function idleWeight(worker: Launched): Promise<Weight> {
  await wait(IDLE_MS)
  const residentBytes = residentBytesOf(worker.pid)
  const { usedSize, backingStorageSize } = await heapUsage(worker)
  return { residentBytes, heapBytes: usedSize + backingStorageSize }
}

function figure(name: string, value: string, how: string): FigureRow {
  const scenario = `${STREAMS} idle streams`
  return { kind: 'figure', scenario, figure: name, value, bar: '', verdict: 'reported', how }
}
