/**
 * Compares contenders by the CPU time of their processes, as a multiple of the floor's beside them.
 *
 * All get the same warm-up and the same requests, in short slices taken in turn: floor-a, a
 * contender, floor-b, a contender, and the next round the other way about. A ratio is taken within
 * a round, and the median of the rounds counts. The two floors are one Worker in two processes:
 * where their medians differ too much, nothing can be said of the others either.
 */
import type { Contender, ContenderName } from './contenders.ts'
import { cpuMsOf } from './cpu.ts'
import { openCrowd } from './load.ts'
import { median, percentile } from './statistics.ts'

const ROUNDS = 9
/** As many as wrk opens by default. With fewer, wake-ups weigh more and ratios look better. */
export const CONNECTIONS = 10
const WARM_UP_SLICES = 2
const CONNECTION_WARM_UP = 2 // requests on each new connection before the clock starts
const MAX_FLOOR_DIFFERENCE = 0.15

export type Measured = {
  name: ContenderName
  /** CPU as a multiple of the floor's. */
  ratio: number
  cpuUs: number
  perSecond: number
  p50Ms: number
  p99Ms: number
}

export type Comparison = { measured: Measured[]; floorsAgree: boolean }

/** CPU and time of one request, and the latency of each. */
type Slice = { cpuMs: number; wallMs: number; latenciesMs: number[] }

/** Measures all contenders against the floors among them. */
export async function compare(
  contenders: readonly Contender[],
  requests: number,
): Promise<Comparison> {
  const order = inTurn(contenders)
  for (let i = 0; i < WARM_UP_SLICES; i++) for (const one of order) await runSlice(one, requests)
  const rounds: Map<ContenderName, Slice>[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const round = new Map<ContenderName, Slice>()
    for (const one of i % 2 === 0 ? order : order.toReversed()) {
      round.set(one.name, await runSlice(one, requests))
    }
    rounds.push(round)
  }
  const measured = order.map(({ name }) => summarize(name, rounds))
  return { measured, floorsAgree: floorsAgree(measured) }
}

/** Floors first and third, so that each contender has one on either side. */
function inTurn(contenders: readonly Contender[]): Contender[] {
  const floors = contenders.filter(({ name }) => isFloor(name))
  const others = contenders.filter(({ name }) => !isFloor(name))
  return floors.flatMap((floor, index) => {
    const other = others[index]
    return other === undefined ? [floor] : [floor, other]
  })
}

export function isFloor(name: ContenderName): boolean {
  return name.startsWith('floor')
}

async function runSlice({ launched, target, ...own }: Contender, common: number): Promise<Slice> {
  const requests = own.requests ?? common
  const crowd = await openCrowd(target, CONNECTIONS)
  try {
    await crowd.send(CONNECTIONS * CONNECTION_WARM_UP)
    const before = cpuMsOf(launched.pid)
    const { wallMs, latenciesMs } = await crowd.send(requests)
    const cpuMs = cpuMsOf(launched.pid) - before
    return { cpuMs: cpuMs / requests, wallMs: wallMs / requests, latenciesMs }
  } finally {
    crowd.close()
  }
}

function summarize(name: ContenderName, rounds: readonly Map<ContenderName, Slice>[]): Measured {
  const slices = rounds.flatMap((round) => round.get(name) ?? [])
  const latencies = slices.flatMap((slice) => slice.latenciesMs)
  return {
    name,
    ratio: median(rounds.map((round) => ratioIn(round, name))),
    cpuUs: median(slices.map(({ cpuMs }) => cpuMs)) * 1000,
    perSecond: 1000 / median(slices.map(({ wallMs }) => wallMs)),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  }
}

function ratioIn(round: ReadonlyMap<ContenderName, Slice>, name: ContenderName): number {
  const floors = [...round].filter(([other]) => isFloor(other)).map(([, { cpuMs }]) => cpuMs)
  const floor = floors.reduce((sum, cpuMs) => sum + cpuMs, 0) / floors.length
  return (round.get(name)?.cpuMs ?? NaN) / floor
}

function floorsAgree(measured: readonly Measured[]): boolean {
  const floors = measured.filter(({ name }) => isFloor(name)).map(({ cpuUs }) => cpuUs)
  return Math.max(...floors) / Math.min(...floors) <= 1 + MAX_FLOOR_DIFFERENCE
}
