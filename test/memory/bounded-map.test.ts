import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BoundedMap } from '../../src/memory/bounded-map.ts'

/** A map of 10 bytes holding these, two bytes each. */
function mapOf(...keys: string[]): BoundedMap<string> {
  const map = new BoundedMap<string>(10)
  for (const key of keys) map.set(key, `value ${key}`, 2)
  return map
}

const held = (map: BoundedMap<string>, keys: string) =>
  keys
    .split('')
    .filter((key) => map.get(key) !== undefined)
    .join('')

describe('BoundedMap', () => {
  it('gives back what was set, and nothing for another key', () => {
    const map = mapOf('a')
    assert.equal(map.get('a'), 'value a')
    assert.equal(map.get('b'), undefined)
  })

  it('lets the oldest go when the bytes are used up', () => {
    const map = mapOf('a', 'b', 'c', 'd', 'e', 'f')
    assert.equal(held(map, 'abcdef'), 'bcdef')
    assert.equal(map.bytes, 10)
  })

  it('keeps what was read lately', () => {
    const map = mapOf('a', 'b', 'c', 'd', 'e')
    map.get('a')
    map.set('f', 'value f', 4)
    assert.equal(held(map, 'abcdef'), 'adef')
  })

  it('keeps what was set again lately', () => {
    const map = mapOf('a', 'b', 'c', 'd', 'e')
    map.set('a', 'value a', 2)
    map.set('f', 'value f', 2)
    assert.equal(held(map, 'abcdef'), 'acdef')
  })

  it('counts the bytes of a key set again once', () => {
    const map = mapOf('a', 'a', 'a')
    assert.equal(map.bytes, 2)
    map.set('a', 'longer', 7)
    assert.equal(map.bytes, 7)
  })

  it('lets as many go as a large value needs', () => {
    const map = mapOf('a', 'b', 'c', 'd', 'e')
    map.set('f', 'value f', 9)
    assert.equal(held(map, 'abcdef'), 'f')
  })

  it('keeps a value of just the bound', () => {
    const map = mapOf('a')
    map.set('b', 'value b', 10)
    assert.equal(held(map, 'ab'), 'b')
  })

  it('does not keep a value over the bound, nor the older one it replaces, nor lose others', () => {
    const map = mapOf('a', 'b')
    map.set('a', 'too large', 11)
    assert.equal(held(map, 'ab'), 'b')
    assert.equal(map.bytes, 2)
  })

  it('gives bytes back on delete, once', () => {
    const map = mapOf('a', 'b')
    map.delete('a')
    map.delete('a')
    map.delete('c')
    assert.equal(map.bytes, 2)
    assert.equal(map.get('a'), undefined)
  })

  it('holds no member of the prototype', () => {
    assert.equal(new BoundedMap(10).get('constructor'), undefined)
  })
})
