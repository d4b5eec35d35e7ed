import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { ABSENT, ABSENT_MS, createLookup, found, FRESH_MS } from '../support/lookups.ts'
import { sized, type Version } from '../support/sources.ts'

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
