/**
 * Calls beside calls that hang: a hundred connections call a tool whose API answers at once, alone and
 * while a hundred more wait for one that never answers. Both tools are of one server and one host.
 */
import { startCallTarget } from './call-contenders.ts'
import { openCrowd, type Target } from './load.ts'
import { median } from './statistics.ts'
import type { FigureRow, Row } from './table.ts'
import { HANGING } from './tools.ts'

const CALLERS = 100
const CALLS = 3000
const LAPS = 3
const MAX_RATIO = 2

export async function measureHanging(): Promise<Row[]> {
  const { launched, target } = await startCallTarget({ via: 'http' })
  try {
    await medianMs(target) // warm
    const alone: number[] = []
    const beside: number[] = []
    for (let lap = 0; lap < LAPS; lap++) {
      alone.push(await medianMs(target))
      const hanging = await openCrowd(hangingOf(target), CALLERS)
      let answered = 0
      const waiting = hanging.send(CALLERS).then(
        () => (answered += 1),
        () => undefined, // closed below
      )
      beside.push(await medianMs(target))
      if (answered > 0) throw new Error('what should hang was answered')
      hanging.close()
      await waiting
    }
    const ratio = median(beside) / median(alone)
    return [
      {
        ...figure('median, ratio', ratio.toFixed(2), 'beside over alone; all calls are answered'),
        bar: `≤ ${MAX_RATIO}`,
        verdict: ratio <= MAX_RATIO ? 'pass' : 'fail',
      },
      figure('median alone', ms(alone), `${CALLS} calls over ${CALLERS} connections`),
      figure('median beside', ms(beside), `while ${CALLERS} more calls hang`),
    ]
  } finally {
    await launched.close()
  }
}

async function medianMs(target: Target): Promise<number> {
  const crowd = await openCrowd(target, CALLERS)
  try {
    return median((await crowd.send(CALLS)).latenciesMs)
  } finally {
    crowd.close()
  }
}

/** The same call of the tool that hangs. */
function hangingOf(target: Target): Target {
  const [message] = target.messages
  const body = (id: number) => message.body(id).replace('"forecast"', `"${HANGING.name}"`)
  return { ...target, messages: [{ ...message, body }] }
}

function ms(medians: readonly number[]): string {
  return `${median(medians).toFixed(1)} ms`
}

function figure(name: string, value: string, how: string): FigureRow {
  const scenario = `call, half of ${2 * CALLERS} hang`
  return { kind: 'figure', scenario, figure: name, value, bar: '', verdict: 'reported', how }
}
