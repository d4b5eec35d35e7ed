/** Time by hand: a clock that is told the time, and timers that fire when it is passed. */
import { setImmediate } from 'node:timers/promises'
import type { TestContext } from 'node:test'

/** Lets everything that waits for no timer come to rest. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate()
}

/** A clock that stands until it is set on. */
export function createClock(at = 1_000_000) {
  let time = at
  return {
    now: () => time,
    pass(ms: number) {
      time += ms
    },
  }
}

export type Timers = { now: () => number; pass(ms: number): Promise<void> }

/** Node's own timers under this test's hand: `pass` fires those that are due, in small steps. */
export function takeTimers({ mock }: TestContext): Timers {
  mock.timers.enable({ apis: ['setTimeout'] })
  const clock = createClock(0)
  return {
    now: clock.now,
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += 100) {
        await settle()
        clock.pass(100)
        mock.timers.tick(100)
      }
      await settle()
    },
  }
}
