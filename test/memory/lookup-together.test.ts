/** Many requests for one name at a time: `Lookup` and `SingleFlight` together. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { Lookup, Unavailable, type Shut, type Sized } from '../../src/memory/lookup.ts'
import { SingleFlight } from '../../src/memory/single-flight.ts'
import { takeTimers } from '../support/clock.ts'
import { failing, hanging, sized, Told, type Version } from '../support/sources.ts'

function createLookup(now?: () => number) {
  const source = new Told()
  const memory = new BoundedMap<never>(1000)
  const flights = new SingleFlight<Sized<Version> | Shut | undefined>()
  const lookup = new Lookup<Version>({
    memory,
    freshMs: 5000,
    keepsStale: true,
    isOlder: (read, known) => read.version < known.version,
    flights,
    ...(now && { now }),
  })
  const handed: Promise<unknown>[] = []
  const find = () => lookup.find('a', source, (work) => handed.push(work))
  /** A client that began to read and left: what it started dies with it, and its timers too. */
  const leave = (what: 'published' | 'origin') => {
    void flights.run(`${what} a`, hanging, () => {})
  }
  return { source, find, handed, leave }
}

const many = <T>(find: () => Promise<T>, count = 100) => Array.from({ length: count }, find)
const ONE = { value: { version: 1 }, staleMs: 0 }

/** An origin that, like any, takes longer than the turn it is asked in. */
async function distant() {
  await setImmediate()
  return sized(1)
}

describe('Lookup, asked by a hundred requests at a time', () => {
  it('reads KV once, and each request gets the value', async () => {
    const { source, find, handed } = createLookup()
    source.kv = async () => sized(1)
    const answers = await Promise.all(many(find))
    assert.equal(source.asked.published, 1)
    assert.equal(handed.length, 1)
    assert.ok(answers.every((answer) => answer.value?.version === 1))
  })

  it('asks the origin once where KV has nothing, each request counted as a miss', async () => {
    const { source, find } = createLookup()
    source.truth = distant
    const answers = await Promise.all(many(find))
    assert.deepEqual(source.asked, { published: 1, admitMiss: 100, origin: 1 })
    assert.ok(answers.every((answer) => answer.value?.version === 1))
  })

  it('hands the work to waitUntil of the request that began it', async () => {
    const { source, find, handed } = createLookup()
    source.truth = distant
    await Promise.all(many(find))
    assert.equal(handed.length, 2, 'the read of KV and the question to the origin')
    await Promise.all(handed)
  })

  it('hangs none of them when the first client leaves and its promises die', async (t) => {
    const timers = takeTimers(t)
    const { source, find, leave } = createLookup()
    leave('published')
    source.kv = async () => sized(1)
    const others = many(find, 99)
    await timers.pass(2000)
    assert.deepEqual(
      new Set((await Promise.all(others)).map((a) => a.value?.version)),
      new Set([1]),
    )
    assert.equal(source.asked.published, 99, 'each reads for itself, and waits for nobody else')
  })

  it('hangs none of them when the first client leaves while the origin is asked', async (t) => {
    const timers = takeTimers(t)
    const { source, find, leave } = createLookup()
    leave('origin')
    source.truth = async () => sized(1)
    const others = many(find, 99)
    await timers.pass(2000)
    assert.deepEqual(await Promise.race(others), ONE)
    assert.equal((await Promise.all(others)).length, 99)
    assert.equal(source.asked.origin, 99)
  })

  it('tells all of them when nobody answers, and none of them an absence', async () => {
    const { source, find } = createLookup()
    source.kv = failing
    source.truth = failing
    for (const outcome of await Promise.allSettled(many(find))) {
      assert.ok(outcome.status === 'rejected' && outcome.reason instanceof Unavailable)
    }
    assert.equal(source.asked.published, 1)
  })

  it('lets no late and older copy replace the newer one that was read meanwhile', async (t) => {
    const timers = takeTimers(t)
    const { source, find } = createLookup(timers.now)
    const slow = Promise.withResolvers<ReturnType<typeof sized>>()
    source.truth = () => slow.promise
    const first = find()
    await timers.pass(100)
    source.truth = async () => sized(3)
    const second = find()
    await timers.pass(2000)
    assert.deepEqual((await second).value, { version: 3 })
    slow.resolve(sized(2))
    assert.deepEqual((await first).value, { version: 3 })
    assert.deepEqual((await find()).value, { version: 3 })
  })

  it('gives all of them the stale copy within two seconds of KV saying nothing', async (t) => {
    const timers = takeTimers(t)
    const { source, find } = createLookup(timers.now)
    source.kv = async () => sized(1)
    await find()
    await timers.pass(5000)
    source.kv = hanging
    const begun = timers.now()
    const ends: number[] = []
    const answers = many(() => find().finally(() => ends.push(timers.now() - begun)), 10)
    await timers.pass(40_000)
    assert.equal((await Promise.all(answers)).length, 10)
    assert.ok(Math.max(...ends) <= 2000, `the last request was answered after ${ends.at(-1)} ms`)
  })

  it('asks the origin for all of them within two seconds of KV saying nothing', async (t) => {
    const timers = takeTimers(t)
    const { source, find } = createLookup(timers.now)
    source.kv = hanging
    source.truth = async () => sized(1)
    const answers = many(find, 10)
    await timers.pass(2000)
    for (const answer of await Promise.all(answers)) assert.deepEqual(answer, ONE)
  })

  it('asks the origin once where one has learned the value while another was admitted', async () => {
    const { source, find } = createLookup()
    const gate = Promise.withResolvers<void>()
    source.truth = async () => sized(1)
    source.admit = () => gate.promise
    const slow = find()
    await setImmediate()
    source.admit = async () => {}
    assert.deepEqual(await find(), ONE)
    gate.resolve()
    assert.deepEqual(await slow, ONE)
    assert.equal(source.asked.origin, 1)
  })
})
