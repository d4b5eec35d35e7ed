import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { Lookup, Unavailable, type LookupOptions } from '../../src/memory/lookup.ts'
import { createClock, takeTimers } from '../support/clock.ts'
import { failing, hanging, sized, Told, type Version } from '../support/sources.ts'

const FRESH_MS = 5000
const ABSENT_MS = 10_000

function createLookup(options: Partial<LookupOptions<Version>> = {}) {
  const clock = createClock()
  const lookup = new Lookup<Version>({
    memory: new BoundedMap(1000),
    freshMs: FRESH_MS,
    keepsStale: true,
    isOlder: (read, known) => read.version < known.version,
    now: clock.now,
    ...options,
  })
  const source = new Told()
  const find = (name = 'a') => lookup.find(name, source, () => {})
  return { lookup, source, clock, find }
}

const found = (version: number, staleMs = 0) => ({ value: { version }, staleMs })
const ABSENT = { value: undefined, staleMs: 0 }

describe('Lookup, while everything answers', () => {
  it('takes the copy in KV, and asks nobody else', async () => {
    const { source, find } = createLookup()
    source.kv = async () => sized(1)
    assert.deepEqual(await find(), found(1))
    assert.deepEqual(source.asked, { published: 1, admitMiss: 0, origin: 0 })
  })

  it('asks the origin about a copy that does not open, says so, and counts no miss', async () => {
    const { source, find, clock } = createLookup()
    source.kv = async () => 'shut'
    source.truth = async () => sized(1)
    source.admit = async () => {
      throw new Error('there is nothing left')
    }
    assert.deepEqual(await find(), found(1))
    assert.deepEqual(source.asked, { published: 1, admitMiss: 0, origin: 1 })
    assert.equal(source.wasShut, true)
    clock.pass(FRESH_MS)
    source.kv = async () => undefined
    await assert.rejects(find(), /nothing left/)
  })

  it('asks nobody within the window, and KV after it, with what is known', async () => {
    const { lookup, source, clock, find } = createLookup()
    source.kv = async () => sized(1)
    await find()
    clock.pass(FRESH_MS - 1)
    assert.deepEqual(lookup.fresh('a'), found(1))
    assert.deepEqual(await find(), found(1))
    assert.equal(source.asked.published, 1)
    clock.pass(1)
    assert.equal(lookup.fresh('a'), undefined)
    source.kv = async () => sized(2)
    assert.deepEqual(await find(), found(2))
    assert.deepEqual(source.known, [undefined, { version: 1 }])
  })

  it('asks the origin where KV has nothing, past the limit on misses', async () => {
    const { source, find } = createLookup()
    source.truth = async () => sized(3)
    assert.deepEqual(await find(), found(3))
    assert.deepEqual(source.asked, { published: 1, admitMiss: 1, origin: 1 })
  })

  it('refuses a miss over the limit before the origin is asked, and remembers nothing', async () => {
    const { source, find, lookup } = createLookup()
    source.admit = async () => {
      throw new RangeError('too many misses')
    }
    await assert.rejects(find(), RangeError)
    assert.equal(source.asked.origin, 0)
    assert.equal(lookup.fresh('a'), undefined)
  })

  it('remembers an absence for ten seconds', async () => {
    const { source, clock, find } = createLookup()
    assert.deepEqual(await find(), ABSENT)
    source.kv = async () => sized(1)
    clock.pass(ABSENT_MS - 1)
    assert.deepEqual(await find(), ABSENT)
    assert.deepEqual(source.asked, { published: 1, admitMiss: 1, origin: 1 })
    clock.pass(1)
    assert.deepEqual(await find(), found(1))
  })

  it('keeps names apart', async () => {
    const { source, find } = createLookup()
    source.kv = async () => sized(1)
    await find('a')
    source.kv = async () => sized(2)
    assert.deepEqual([await find('a'), await find('b')], [found(1), found(2)])
  })

  it('takes what it was told to remember for fresh, and looks again after the window', async () => {
    const { lookup, source, clock, find } = createLookup()
    lookup.remember('a', { version: 7 }, 10)
    assert.deepEqual(await find(), found(7))
    assert.equal(source.asked.published, 0)
    clock.pass(FRESH_MS)
    source.kv = async () => sized(8)
    assert.deepEqual(await find(), found(8))
  })

  it('looks again after forget', async () => {
    const { lookup, source, find } = createLookup()
    source.kv = async () => sized(1)
    await find()
    lookup.forget('a')
    source.kv = async () => sized(2)
    assert.deepEqual(await find(), found(2))
  })

  it('looks again when the remembered answer may no longer be given', async () => {
    let newest = 1
    const isCurrent = (_name: string, value?: Version) => (value?.version ?? 0) >= newest
    const { lookup, source, find } = createLookup({ isCurrent })
    source.kv = async () => sized(1)
    await find()
    newest = 2
    assert.equal(lookup.fresh('a'), undefined)
    source.kv = async () => sized(2)
    assert.deepEqual(await find(), found(2))
  })

  it('does not let an older copy in KV replace a newer one', async () => {
    const { source, clock, find } = createLookup()
    source.kv = async () => sized(5)
    await find()
    source.kv = async () => sized(4)
    clock.pass(FRESH_MS)
    assert.deepEqual(await find(), found(5))
    clock.pass(FRESH_MS)
    source.kv = async () => sized(6)
    assert.deepEqual(await find(), found(6))
  })

  it('answers what it cannot keep, and asks each time', async () => {
    const { source, find } = createLookup({ memory: new BoundedMap(5) })
    source.kv = async () => sized(1)
    assert.deepEqual([await find(), await find()], [found(1), found(1)])
    assert.equal(source.asked.published, 2)
  })
})

describe('Lookup, while KV fails', () => {
  it('gives the last good copy with its age, and tries KV once a second', async () => {
    const { source, clock, find } = createLookup()
    source.kv = async () => sized(1)
    await find()
    source.kv = failing
    clock.pass(FRESH_MS)
    assert.deepEqual(await find(), found(1, 5000))
    clock.pass(999)
    assert.deepEqual(await find(), found(1, 5999))
    assert.equal(source.asked.published, 2)
    clock.pass(1)
    assert.deepEqual(await find(), found(1, 6000))
    assert.equal(source.asked.published, 3)
    assert.equal(source.asked.origin, 0)
  })

  it('takes what KV has as soon as it answers again', async () => {
    const { source, clock, find } = createLookup()
    source.kv = async () => sized(1)
    await find()
    source.kv = failing
    clock.pass(60_000)
    await find()
    source.kv = async () => sized(2)
    clock.pass(1000)
    assert.deepEqual(await find(), found(2))
  })

  it('asks the origin where there is no copy', async () => {
    const { source, find } = createLookup()
    source.kv = failing
    source.truth = async () => sized(1)
    assert.deepEqual(await find(), found(1))
    assert.equal(source.asked.admitMiss, 1)
  })

  it('asks the origin where an absence is all it remembers', async () => {
    const { source, clock, find } = createLookup()
    await find()
    source.kv = failing
    source.truth = async () => sized(1)
    clock.pass(ABSENT_MS)
    assert.deepEqual(await find(), found(1))
  })

  it('believes an absence that the origin tells', async () => {
    const { source, find } = createLookup()
    source.kv = failing
    assert.deepEqual(await find(), ABSENT)
  })

  it('asks the origin, not the copy, where stale copies are not kept', async () => {
    const { source, clock, find } = createLookup({ keepsStale: false })
    source.kv = async () => sized(1)
    await find()
    source.kv = failing
    clock.pass(FRESH_MS)
    source.truth = async () => sized(2)
    assert.deepEqual(await find(), found(2))
  })

  it('gives the copy when KV has lost it and the origin fails', async () => {
    const { source, clock, find } = createLookup()
    source.kv = async () => sized(1)
    await find()
    source.kv = async () => undefined
    source.truth = failing
    clock.pass(FRESH_MS)
    assert.deepEqual(await find(), found(1, FRESH_MS))
  })

  it('asks the origin before it gives a copy that is known to be outdated', async () => {
    let newest = 1
    const isCurrent = (_name: string, value?: Version) => (value?.version ?? 0) >= newest
    const { source, clock, find } = createLookup({ isCurrent })
    source.kv = async () => sized(1)
    await find()
    newest = 2
    source.kv = failing
    source.truth = async () => sized(2)
    assert.deepEqual(await find(), found(2))
    newest = 3
    source.truth = failing
    clock.pass(500)
    assert.deepEqual(await find(), found(2, 500), 'where the origin fails too, any copy will do')
    source.truth = async () => sized(3)
    assert.deepEqual(await find(), found(3))
    assert.equal(source.asked.published, 3, 'KV rests for a second after it failed')
  })

  it('waits no longer than two seconds for KV that says nothing', async (t) => {
    const timers = takeTimers(t)
    const { source, find } = createLookup()
    source.kv = hanging
    source.truth = async () => sized(1)
    const finding = find()
    await timers.pass(2000)
    assert.deepEqual(await finding, found(1))
  })
})

describe('Lookup, while nobody answers', () => {
  it('is Unavailable, never an absence, and remembers nothing', async () => {
    const { lookup, source, find } = createLookup()
    source.kv = failing
    source.truth = failing
    await assert.rejects(find(), Unavailable)
    assert.equal(lookup.fresh('a'), undefined)
    source.truth = async () => sized(1)
    assert.deepEqual(await find(), found(1))
  })

  it('passes on what the origin refuses with a status, even beside a copy', async () => {
    const { source, clock, find } = createLookup()
    source.truth = async () => sized(1)
    await find()
    const refusal = Object.assign(new Error('too many'), { status: 429 })
    source.truth = () => Promise.reject(refusal)
    clock.pass(FRESH_MS)
    await assert.rejects(find(), refusal)
  })

  it('is Unavailable where KV has nothing and the origin fails', async () => {
    const { source, find } = createLookup()
    source.truth = failing
    await assert.rejects(find(), Unavailable)
  })

  it('is Unavailable, whatever it remembers, where stale copies are not kept', async () => {
    const { source, clock, find } = createLookup({ keepsStale: false })
    source.kv = async () => sized(1)
    await find()
    source.kv = failing
    source.truth = failing
    clock.pass(FRESH_MS)
    await assert.rejects(find(), Unavailable)
  })

  it('is Unavailable once a remembered absence is over', async () => {
    const { source, clock, find } = createLookup()
    await find()
    source.kv = failing
    source.truth = failing
    clock.pass(ABSENT_MS)
    await assert.rejects(find(), Unavailable)
  })
})
