import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FLIGHT_WAIT_MS, SingleFlight, within } from '../../src/memory/single-flight.ts'
import { settle, takeTimers } from '../support/clock.ts'

/** Work that ends when it is told to, and how often it was begun. */
function createWork() {
  const runs: PromiseWithResolvers<string>[] = []
  const begin = () => {
    const run = Promise.withResolvers<string>()
    runs.push(run)
    return run.promise
  }
  return { runs, begin }
}

const drop = () => {}
const never = new Promise<never>(() => {})

describe('SingleFlight', () => {
  it('runs the work once for a hundred callers at a time', async () => {
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    const callers = Array.from({ length: 100 }, () => flights.run('key', begin, drop))
    assert.equal(runs.length, 1)
    runs[0]?.resolve('done')
    assert.deepEqual(new Set(await Promise.all(callers)), new Set(['done']))
  })

  it('runs the work anew once it has ended', async () => {
    const flights = new SingleFlight<string>()
    assert.equal(await flights.run('key', async () => 'first', drop), 'first')
    assert.equal(await flights.run('key', async () => 'second', drop), 'second')
  })

  it('keeps the work of different keys apart', async () => {
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    const callers = ['a', 'b'].map((key) => flights.run(key, begin, drop))
    assert.equal(runs.length, 2)
    runs[1]?.resolve('b')
    runs[0]?.resolve('a')
    assert.deepEqual(await Promise.all(callers), ['a', 'b'])
  })

  it('gives an undefined result to all', async () => {
    const flights = new SingleFlight<undefined>()
    const work = async () => undefined
    const callers = [flights.run('key', work, drop), flights.run('key', () => never, drop)]
    assert.deepEqual(await Promise.all(callers), [undefined, undefined])
  })

  it('hands the work to waitUntil, once, and what it is handed never rejects', async () => {
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    const handed: Promise<unknown>[] = []
    const callers = [1, 2, 3].map(() => flights.run('key', begin, (work) => handed.push(work)))
    assert.equal(handed.length, 1)
    runs[0]?.reject(new Error('failed'))
    await handed[0]
    for (const caller of callers) await assert.rejects(caller, /failed/)
  })

  it('rejects for all who wait, and begins anew for the next', async () => {
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    const callers = [1, 2].map(() => flights.run('key', begin, drop))
    runs[0]?.reject(new Error('failed'))
    for (const caller of callers) await assert.rejects(caller, /failed/)
    const next = flights.run('key', begin, drop)
    runs[1]?.resolve('done')
    assert.equal(await next, 'done')
  })

  it('begins anew after work that threw before it gave a promise', async () => {
    const flights = new SingleFlight<string>()
    const broken = () => {
      throw new Error('at once')
    }
    await assert.rejects(flights.run('key', broken, drop), /at once/)
    assert.equal(await flights.run('key', async () => 'done', drop), 'done')
  })

  it('lets each who waited for a flight that never lands do the work itself', async (t) => {
    const timers = takeTimers(t)
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    void flights.run('key', () => never, drop) // the first client leaves, and its promise with it
    const callers = Array.from({ length: 99 }, () => flights.run('key', begin, drop))
    await timers.pass(FLIGHT_WAIT_MS)
    assert.equal(runs.length, 99)
    const late = flights.run('key', begin, drop)
    assert.equal(runs.length, 99, 'a new caller joins the first of them')
    for (const run of runs) run.resolve('done')
    assert.deepEqual(new Set(await Promise.all([...callers, late])), new Set(['done']))
  })

  it('keeps the flight of whoever gave one up first, though a later one lands before', async (t) => {
    const timers = takeTimers(t)
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    void flights.run('key', () => never, drop)
    const callers = [1, 2].map(() => flights.run('key', begin, drop))
    await timers.pass(FLIGHT_WAIT_MS)
    runs[1]?.resolve('second')
    assert.equal(await callers[1], 'second')
    const joining = flights.run('key', begin, drop)
    runs[0]?.resolve('first')
    assert.deepEqual(await Promise.all([callers[0], joining]), ['first', 'first'])
    assert.equal(runs.length, 2)
  })

  it('is not disturbed by a flight that lands after it was given up', async (t) => {
    const timers = takeTimers(t)
    const flights = new SingleFlight<string>()
    const { runs, begin } = createWork()
    const first = flights.run('key', begin, drop)
    const second = flights.run('key', begin, drop)
    await timers.pass(FLIGHT_WAIT_MS)
    runs[0]?.resolve('late')
    assert.equal(await first, 'late')
    const third = flights.run('key', begin, drop)
    assert.equal(runs.length, 2, 'the third caller joins the second flight')
    runs[1]?.resolve('done')
    assert.deepEqual(await Promise.all([second, third]), ['done', 'done'])
  })

  // "Waiters wait at most 2 s and then do the work themselves" (design.md §2): once, whoever gave a
  // flight up waited for the next one as well, so slow work served one caller each two seconds.
  it('keeps nobody waiting longer than one wait and one piece of slow work', async (t) => {
    const timers = takeTimers(t)
    const flights = new SingleFlight<string>()
    const slow = () => new Promise<string>((resolve) => setTimeout(() => resolve('done'), 5000))
    const ends: number[] = []
    for (let caller = 0; caller < 10; caller++) {
      void flights.run('key', slow, drop).then(() => ends.push(timers.now()))
    }
    await timers.pass(40_000)
    assert.equal(ends.length, 10)
    assert.ok(
      Math.max(...ends) <= FLIGHT_WAIT_MS + 5000,
      `the last caller left after ${ends.at(-1)} ms`,
    )
  })
})

describe('within', () => {
  it('gives a value that comes in time, undefined too, and nothing for one that does not', async (t) => {
    const timers = takeTimers(t)
    assert.deepEqual(await within(1000, Promise.resolve(undefined)), { value: undefined })
    const late = within(1000, never)
    await timers.pass(1000)
    assert.equal(await late, undefined)
  })

  it('rejects as the promise does, and lets a late rejection be', async (t) => {
    const timers = takeTimers(t)
    await assert.rejects(within(1000, Promise.reject(new Error('failed'))), /failed/)
    const { promise, reject } = Promise.withResolvers<string>()
    const late = within(1000, promise)
    await timers.pass(1000)
    assert.equal(await late, undefined)
    reject(new Error('too late'))
    await settle()
  })
})
