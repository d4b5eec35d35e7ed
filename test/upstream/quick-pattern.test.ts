import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isQuick, quickened } from '../../src/upstream/quick-pattern.ts'

describe('isQuick', () => {
  const quick = [
    '',
    'x-',
    '^a+$',
    '^[a-z][a-z0-9_-]{0,62}$',
    '^(draft|sent|paid)$',
    '^https?://',
    String.raw`^(\d{1,3}\.){3}\d{1,3}$`,
    '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    '^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$',
    String.raw`^[(|)*+?{}\]]+\(\|\*$`,
    String.raw`^\p{Lu}\u{1F600}+$`,
    '^(?<year>[0-9]{4})(?!-)',
  ]
  for (const pattern of quick) {
    it(`says so of ${pattern}`, () => assert.equal(isQuick(pattern), true))
  }

  const bearable = ['a+b', String.raw`^\d+(\.\d+)?$`, String.raw`^[^@\s]+@[^@\s]+$`, '^a|b*$']
  for (const pattern of bearable) {
    it(`does not of ${pattern}, which is for short texts`, () => {
      assert.equal(isQuick(pattern), false)
      assert.notEqual(quickened(pattern), undefined)
    })
  }

  const endless = [
    'a*a*b',
    '^a*a*a*b',
    '^a*a{2,}a{9,99}b',
    'a?'.repeat(60),
    '^(a|a)'.repeat(30),
    '(a+)+',
    '(?:a|b*){2,}',
    '(?:(?=a+)a)+',
    '(a{1,9}){1,9}',
    String.raw`^(a*)\1$`,
    String.raw`^(?<n>a*)\k<n>$`,
    '^(?:a??){40}$',
    'x'.repeat(201),
    '(',
    String.raw`\_`,
  ]
  for (const pattern of endless) {
    it(`refuses ${pattern.slice(0, 20)}`, () => {
      assert.equal(isQuick(pattern), false)
      assert.equal(quickened(pattern), undefined)
    })
  }
})

describe('quickened', () => {
  const runs = (pattern: string, text: string) =>
    new RegExp(quickened(pattern) ?? '(?!)', 'u').test(text)

  it('means the same on a short text', () => {
    assert.deepEqual(
      ['', 'a', 'xab', 'ba', '😀ab'].map((text) => runs('a+b', text)),
      [false, false, true, false, true],
    )
    assert.deepEqual(
      ['a', 'bbb', 'c'].map((text) => runs('^a+$|^b+$', text)),
      [true, true, false],
    )
  })

  it('takes a long one, at once', () => {
    assert.equal(runs('a+b', 'a'.repeat(512)), false)
    assert.equal(runs('a+b', 'a'.repeat(513)), true)
    assert.equal(runs('^a*a*b', 'a'.repeat(4_000_000)), true)
  })
})
