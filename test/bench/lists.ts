/**
 * Runs a list scenario: starts its contenders, compares them, and holds Rollcall against the bars.
 * Where the floors disagree, all is started anew; after the last try nothing is said either way.
 */
import { compare, type Measured } from './compare.ts'
import { closeContenders, type Contender } from './contenders.ts'
import type { Compared } from './scenarios.ts'
import type { Row, Verdict } from './table.ts'

const TRIES = 3

/** One row for each contender, Rollcall's with the verdict. */
export async function compareLists<S extends Compared>(
  scenario: S,
  start: (scenario: S) => Promise<Contender[]>,
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    const contenders = await start(scenario)
    try {
      const { measured, floorsAgree } = await compare(contenders, scenario.requests)
      if (!floorsAgree && attempt < TRIES) continue
      return measured.map((one) => toRow(scenario, one, measured, floorsAgree))
    } finally {
      await closeContenders(contenders)
    }
  }
}

function toRow(
  scenario: Compared,
  one: Measured,
  all: readonly Measured[],
  floorsAgree: boolean,
): Row {
  return {
    kind: 'list',
    scenario: scenario.name,
    contender: one.name,
    ratio: one.ratio.toFixed(2),
    cpuUs: one.cpuUs.toFixed(0),
    perSecond: one.perSecond.toFixed(0),
    p50Ms: one.p50Ms.toFixed(2),
    p99Ms: one.p99Ms.toFixed(2),
    ...(one.name === 'rollcall'
      ? { bar: formatBar(scenario), verdict: judge(scenario, one, all, floorsAgree) }
      : { bar: '', verdict: 'reported' }),
  }
}

function judge(
  { bar, belowPeer }: Compared,
  { ratio }: Measured,
  all: readonly Measured[],
  floorsAgree: boolean,
): Verdict {
  if (bar === undefined) return 'reported'
  if (!floorsAgree) return 'not measurable'
  const peer = all.find(({ name }) => name === 'mcp-lite')?.ratio ?? NaN
  return ratio <= bar && (belowPeer !== true || ratio < peer) ? 'pass' : 'fail'
}

function formatBar({ bar, belowPeer }: Compared): string {
  if (bar === undefined) return ''
  return `≤ ${bar}${belowPeer ? ' and < mcp-lite' : ''}`
}
