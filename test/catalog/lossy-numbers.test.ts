import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findLossyNumbers } from '../../src/catalog/lossy-numbers.ts'

describe('findLossyNumbers', () => {
  const exact = [
    '0',
    '-0',
    '1.0',
    '1.50',
    '-12.5',
    '9007199254740991',
    '9007199254740992',
    '9007199254740994',
    '100000000000000000000',
    '1e20',
    '1E+2',
    '1e-7',
    '0.1',
    '0.30000000000000004',
    '1.7976931348623157e308',
    '5e-324',
    '0e5',
    '0.000e0',
    '12300e-2',
    '0.00000000000000000001',
  ]
  for (const number of exact) {
    it(`lets ${number} pass`, () => assert.deepEqual(findLossyNumbers(`{"n":${number}}`), []))
  }

  const lossy = [
    '9007199254740993',
    '-9007199254740993',
    '12345678901234567890',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846',
    '1e400',
    '-1e400',
    '1e-400',
    '1.7976931348623159e308',
    '4.94e-324',
    '100000000000000000001',
  ]
  for (const number of lossy) {
    it(`finds ${number}`, () => {
      const [found, ...more] = findLossyNumbers(`{"n":${number}}`)
      assert.equal(found?.path, 'n')
      assert.ok(found.message.includes(number.slice(0, 60)))
      assert.equal(more.length, 0)
    })
  }

  it('finds each of them, and none in text', () => {
    const text =
      '{"a":[1e400,1],"b":{"c":9007199254740993},"d":"9007199254740993","9007199254740993":1}'
    assert.equal(findLossyNumbers(text).length, 2)
  })

  // Every wrong field is named by its path: tools[0].inputSchema.properties.n.maximum.
  it('names the whole path of a number', () => {
    const text = '{"tools":[{"inputSchema":{"maximum":9007199254740993}}]}'
    assert.deepEqual(
      findLossyNumbers(text).map(({ path }) => path),
      ['tools[0].inputSchema.maximum'],
    )
  })

  it('names it past brackets, commas and quotes in strings', () => {
    const text = String.raw`{ "a\"]": [ [], {}, "},{\\", { "ü\u0041": 1, "c": [ 0, 1e400 ] } ], "d": -1e400 }`
    assert.deepEqual(
      findLossyNumbers(text).map(({ path }) => path),
      ['a"][3].c[1]', 'd'],
    )
  })

  it('finds one that is the whole text', () => {
    assert.deepEqual(
      findLossyNumbers('1e400').map(({ path }) => path),
      [''],
    )
  })

  it('tells a hundred at most, and the start of a long path', () => {
    const text = `{"${'k'.repeat(5000)}":[${'1e400,'.repeat(500)}1]}`
    const found = findLossyNumbers(text)
    assert.equal(found.length, 100)
    assert.equal(found[0]?.path.length, 2000)
  })

  // Seven megabytes must not take a minute: a pattern for trailing zeros tries again at each of them.
  it('reads millions of zeros in one go', () => {
    const begun = performance.now()
    assert.equal(findLossyNumbers(`[1${'0'.repeat(1_000_000)}1]`).length, 1)
    assert.ok(performance.now() - begun < 5000)
  })

  it('shows no more than the start of a long one', () => {
    const [found] = findLossyNumbers(`[${'1'.repeat(5000)}]`)
    assert.ok((found?.message.length ?? 0) < 200)
  })

  // The body is read by this before anything bounds its depth: 40 KB of brackets are enough.
  it('copes with twenty thousand levels', () => {
    const text = '['.repeat(20_000) + '1e400' + ']'.repeat(20_000)
    assert.equal(findLossyNumbers(text).length, 1)
  })
})
