/** `Lookup` in an outage: KV fails, and so does the origin. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Unavailable } from '../../src/memory/lookup.ts'
import { takeTimers } from '../support/clock.ts'
import { ABSENT, ABSENT_MS, createLookup, found, FRESH_MS } from '../support/lookups.ts'
import { failing, hanging, sized, type Version } from '../support/sources.ts'

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
