/**
 * Memory of an isolate that ten servers of 10,000 tools take turns in: 70 MB of values where it may
 * remember 48. One process puts them and another lists them, so that what writing leaves behind is
 * not counted.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIST } from '../support/messages.ts'
import { heapUsage } from './inspector.ts'
import { withWorker } from './launch.ts'
import { benchServer, pathOf, putServer, rollcall } from './rollcall.ts'
import type { FigureRow, Row } from './table.ts'
import { benchTools } from './tools.ts'

const SERVERS = 10
const TOOLS = 10_000
const LAPS = 3
const MEGABYTE = 1024 * 1024
const MAX_USED_MB = 96 // of the 128 an isolate has

export async function measureMemory(): Promise<Row[]> {
  const tools = benchTools(TOOLS)
  const servers = Array.from({ length: SERVERS }, (_, number) => benchServer(tools, { number }))
  const build = await rollcall()
  const persist = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  try {
    await withWorker(build, { persist }, async ({ url }) => {
      for (const server of servers) await putServer(url, server)
    })
    const usage = await withWorker(build, { persist, inspect: true }, async (worker) => {
      for (let lap = 0; lap < LAPS; lap++) {
        for (const server of servers) await list(new URL(pathOf(server), worker.url))
      }
      return heapUsage(worker)
    })
    const { usedSize, backingStorageSize, totalSize, embedderHeapUsedSize } = usage
    return [
      bounded('heap used', usedSize, 'Runtime.getHeapUsage after collectGarbage'),
      bounded('heap used and ArrayBuffers', usedSize + backingStorageSize, 'the sum'),
      figure('ArrayBuffers', backingStorageSize, 'outside the heap: the catalogs themselves'),
      figure('heap total', totalSize, 'reserved by V8'),
      figure('embedder', embedderHeapUsedSize, 'objects of the runtime'),
    ]
  } finally {
    await rm(persist, { recursive: true })
  }
}

async function list(url: URL): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(LIST),
  })
  if (!response.ok) throw new Error(`list: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function figure(name: string, bytes: number, how: string): FigureRow {
  return {
    kind: 'figure',
    scenario: `memory, ${SERVERS} × ${TOOLS} tools`,
    figure: name,
    value: `${(bytes / MEGABYTE).toFixed(1)} MB`,
    bar: '',
    verdict: 'reported',
    how,
  }
}

function bounded(name: string, bytes: number, how: string): FigureRow {
  const verdict = bytes <= MAX_USED_MB * MEGABYTE ? 'pass' : 'fail'
  return { ...figure(name, bytes, how), bar: `≤ ${MAX_USED_MB} MB`, verdict }
}
