import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeeperThan } from '../../src/protocol/json-depth.ts'

const arrays = (depth: number, inner = '1'): unknown =>
  JSON.parse('['.repeat(depth) + inner + ']'.repeat(depth))
const objects = (depth: number, inner = '1'): unknown =>
  JSON.parse('{"a":'.repeat(depth) + inner + '}'.repeat(depth))

describe('isDeeperThan', () => {
  for (const [what, nested] of [['arrays', arrays] as const, ['objects', objects] as const]) {
    it(`lets ${what} of just the limit pass, and not one more`, () => {
      assert.equal(isDeeperThan(nested(64), 64), false)
      assert.equal(isDeeperThan(nested(65), 64), true)
    })
  }

  // The level of an empty array counts like that of one with something in it.
  it('counts the innermost level where it is empty', () => {
    assert.equal(isDeeperThan(arrays(64, '[]'), 64), true)
    assert.equal(isDeeperThan(objects(64, '{}'), 64), true)
  })

  for (const text of ['null', '0', '"x"', 'true', '[]', '{}', '[1,[2]]', '{"a":null}']) {
    it(`finds ${text} no deeper than 2`, () => {
      assert.equal(isDeeperThan(JSON.parse(text), 2), false)
    })
  }

  it('finds the one deep branch beside many flat ones', () => {
    const wide: unknown[] = Array.from({ length: 1000 }, () => [[]])
    assert.equal(isDeeperThan([...wide, arrays(70)], 64), true)
  })

  it('walks a hundred thousand levels without running out of stack', () => {
    assert.equal(isDeeperThan(arrays(100_000), 200_000), false)
    assert.equal(isDeeperThan(arrays(100_000), 64), true)
  })
})
