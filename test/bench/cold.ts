/**
 * The first list of a server of 1,000 tools in an isolate that has just started, and its parts. The
 * server is in KV from an earlier process. Locally KV is a file beside the runtime, so that part
 * says nothing of KV at the edge.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { Catalog } from '../../src/catalog/catalog.ts'
import { serverKey } from '../../src/catalog/kv.ts'
import { createEnvelopes } from '../../src/sealing/envelope.ts'
import { SealKeys } from '../../src/sealing/seal-keys.ts'
import { parsePublished } from '../../src/catalog/published.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { LIST } from '../support/messages.ts'
import { readBindings } from './bindings.ts'
import { buildContender } from './build.ts'
import { withWorker, type Build } from './launch.ts'
import { benchServer, pathOf, putServer, rollcall, SEAL_KEYS, STRICT } from './rollcall.ts'
import { median } from './statistics.ts'
import type { FigureRow, Row } from './table.ts'
import { benchTools } from './tools.ts'

const TOOLS = 1000
const STARTS = 5
const RENDERING_BYTES = 16 * 1024 * 1024

type Cold = { startMs: number; firstMs: number; secondMs: number; kvMs: number; strictMs: number }

export async function measureCold(): Promise<Row[]> {
  const server = benchServer(benchTools(TOOLS))
  const ours = await rollcall()
  const strict = await rollcall(STRICT)
  const probe: Build = {
    name: 'kv-probe',
    script: await buildContender('kv-probe'),
    env: readBindings().kv,
  }
  const persist = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  const persistStrict = await mkdtemp(join(tmpdir(), 'rollcall-bench-'))
  try {
    await withWorker(ours, { persist }, ({ url }) => putServer(url, server))
    await withWorker(strict, { persist: persistStrict }, ({ url }) => putServer(url, server))
    const runs: Cold[] = []
    let value = new Uint8Array()
    for (let i = 0; i < STARTS; i++) {
      const lists = await firstLists(ours, persist, pathOf(server))
      const read = await firstRead(probe, persist, serverKey(server.id))
      value = read.value
      const sealed = await firstLists(strict, persistStrict, pathOf(server))
      runs.push({ ...lists, kvMs: read.ms, strictMs: sealed.firstMs })
    }
    const of = (part: keyof Cold): number => median(runs.map((run) => run[part]))
    const openMs = await openOnce(value)
    const inNode = parseAndRender(value)
    return [
      figure('start', of('startMs'), 'new Miniflare to first /health, its own work included'),
      figure('first list', of('firstMs'), 'one request after that, on a connection that is open'),
      figure('second list', of('secondMs'), 'the same, from memory'),
      figure('first list, strict', of('strictMs'), 'the same where KV is sealed'),
      figure(
        'opening',
        openMs,
        'of the envelope, first call in the bench’s own Node, its key included',
      ),
      figure('KV read', of('kvMs'), 'first read by a probe Worker in a process of its own'),
      figure('parse', inNode.parseMs, 'parsePublished, first call in the bench’s own Node'),
      figure('render', inNode.renderMs, 'Catalog and its list, first call in the bench’s own Node'),
      figure(
        'the rest',
        of('firstMs') - of('secondMs') - of('kvMs') - inNode.parseMs - inNode.renderMs,
        'first − second − KV − parse − render: code that has not run before',
      ),
    ]
  } finally {
    for (const each of [persist, persistStrict]) await rm(each, { recursive: true })
  }
}

async function firstLists(
  build: Build,
  persist: string,
  path: string,
): Promise<Omit<Cold, 'kvMs' | 'strictMs'>> {
  const began = performance.now()
  return withWorker(build, { persist }, async ({ url }) => {
    await timed(new URL('/health', url))
    const startMs = performance.now() - began
    const first = await timed(new URL(path, url), LIST)
    const second = await timed(new URL(path, url), LIST)
    return { startMs, firstMs: first.ms, secondMs: second.ms }
  })
}

/** The first read of a key, less what a request takes that reads nothing. */
async function firstRead(
  build: Build,
  persist: string,
  key: string,
): Promise<{ ms: number; value: Uint8Array<ArrayBuffer> }> {
  return withWorker(build, { persist }, async ({ url }) => {
    await timed(url)
    const idle = await timed(url)
    const query = `/?key=${encodeURIComponent(key)}`
    const read = await timed(new URL(query, url))
    const whole = await timed(new URL(`${query}&whole`, url))
    return { ms: read.ms - idle.ms, value: whole.bytes }
  })
}

async function timed(
  url: URL,
  message?: object,
): Promise<{ ms: number; bytes: Uint8Array<ArrayBuffer> }> {
  const began = performance.now()
  const response = await fetch(
    url,
    message && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    },
  )
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (!response.ok) throw new Error(`${url.href}: ${response.status}`)
  return { ms: performance.now() - began, bytes }
}

/** How long a value takes to open that was sealed; the key is derived anew. */
async function openOnce(value: Uint8Array<ArrayBuffer>): Promise<number> {
  const keys = SealKeys.parse(SEAL_KEYS)
  const sealed = await createEnvelopes(keys, 'kv').seal(['bench'], value)
  const began = performance.now()
  await createEnvelopes(keys, 'kv').open(['bench'], sealed)
  return performance.now() - began
}

/** Without zod's compiled checks, which a Worker may not make either. */
function parseAndRender(value: Uint8Array<ArrayBuffer>): { parseMs: number; renderMs: number } {
  z.config({ jitless: true })
  const began = performance.now()
  const published = parsePublished(value)
  const parsed = performance.now()
  if ('deleted' in published) throw new Error('the server is gone')
  new Catalog(published, new BoundedMap(RENDERING_BYTES)).list('tools', '2025-11-25')
  return { parseMs: parsed - began, renderMs: performance.now() - parsed }
}

function figure(name: string, ms: number, how: string): FigureRow {
  return {
    kind: 'figure',
    scenario: `cold, ${TOOLS} tools, median of ${STARTS}`,
    figure: name,
    value: `${ms.toFixed(1)} ms`,
    bar: '',
    verdict: 'reported',
    how,
  }
}
