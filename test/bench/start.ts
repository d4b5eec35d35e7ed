/**
 * What a new process takes until it answers `/health`, against a bare Worker with the same KV and
 * limiter bindings. The runtime itself and Miniflare's simulators are in both; the difference is
 * the Worker's compilation, its top level and its first request.
 */
import { readBindings } from './bindings.ts'
import { buildContender } from './build.ts'
import { cpuMsOf } from './cpu.ts'
import { withWorker, type Build } from './launch.ts'
import { rollcall } from './rollcall.ts'
import { median } from './statistics.ts'
import type { FigureRow, Row } from './table.ts'

const STARTS = 5

type Start = { cpuMs: number; wallMs: number }

export async function measureStart(): Promise<Row[]> {
  const ours = await rollcall()
  const { kv, limiters } = readBindings()
  const bare: Build = {
    name: 'bare',
    script: await buildContender('floor'),
    env: { ...kv, ...limiters },
    data: { REST: new Uint8Array(1) },
  }
  const starts: { ours: Start; bare: Start }[] = []
  for (let i = 0; i < STARTS; i++) starts.push({ ours: await start(ours), bare: await start(bare) })
  const ms = (pick: (both: { ours: Start; bare: Start }) => number): string =>
    `${median(starts.map(pick)).toFixed(0)} ms`
  return [
    figure(
      'CPU',
      ms(({ ours: { cpuMs } }) => cpuMs),
      'of workerd, spawn to first /health',
    ),
    figure(
      'CPU, bare Worker',
      ms(({ bare: { cpuMs } }) => cpuMs),
      'the same',
    ),
    figure(
      'CPU, difference',
      ms((both) => both.ours.cpuMs - both.bare.cpuMs),
      'start by start',
    ),
    figure(
      'time',
      ms(({ ours: { wallMs } }) => wallMs),
      'Miniflare’s own work included',
    ),
    figure(
      'time, bare Worker',
      ms(({ bare: { wallMs } }) => wallMs),
      'the same',
    ),
  ]
}

async function start(build: Build): Promise<Start> {
  const began = performance.now()
  return withWorker(build, {}, async ({ url, pid }) => {
    const response = await fetch(new URL('/health', url))
    await response.text()
    return { cpuMs: cpuMsOf(pid), wallMs: performance.now() - began }
  })
}

function figure(name: string, value: string, how: string): FigureRow {
  const scenario = `start, median of ${STARTS}`
  return { kind: 'figure', scenario, figure: name, value, bar: '', verdict: 'reported', how }
}
