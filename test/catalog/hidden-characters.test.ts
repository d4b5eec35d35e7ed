import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { escapeHidden, hiddenCharacters } from '../../src/catalog/hidden-characters.ts'

const pointsOf = (text: string) => hiddenCharacters({ a: text })[0]?.codePoints

describe('characters that cannot be seen', () => {
  const hidden: [what: string, text: string, ...points: string[]][] = [
    ['a zero-width space', 'a\u200bb', 'U+200B'],
    ['a joiner between letters', 'a\u200db', 'U+200D'],
    ['a byte order mark', '\ufeffa', 'U+FEFF'],
    ['controls of direction', '\u202ea\u2069', 'U+202E', 'U+2069'],
    ['tags', '\u{e0061}\u{e0062}', 'U+E0061', 'U+E0062'],
    ['variation selectors', 'a\u{e0101}\ufe0f', 'U+E0101', 'U+FE0F'],
    ['fillers', '\u3164', 'U+3164'],
    ['a soft hyphen', 'a\u00ad', 'U+00AD'],
    ['controls', 'a\u0000\u001b\u009b', 'U+0000', 'U+001B', 'U+009B'],
    ['line separators', '\u2028', 'U+2028'],
  ]
  for (const [what, text, ...points] of hidden) {
    it(`are found: ${what}`, () => assert.deepEqual(pointsOf(text), points))
  }

  for (const text of ['plain', 'a\n\tb\r\n', 'é 日本語 עברית', '❤️ 👩‍💻 👍🏽', '👩🏽‍❤️‍👨🏽']) {
    it(`are not found in ${JSON.stringify(text)}`, () => assert.equal(pointsOf(text), undefined))
  }

  it('are told by their place, in names of members too, with how many there are', () => {
    const value = { 'a/b': ['x', '\u200b\u200b'], 'k\u200b': 1 }
    assert.deepEqual(hiddenCharacters(value), [
      { path: '/k\u200b', codePoints: ['U+200B'], count: 1 },
      { path: '/a~1b/1', codePoints: ['U+200B'], count: 2 },
    ])
  })

  it('are told of so many places, and so many of each', () => {
    assert.equal(hiddenCharacters(Array.from({ length: 200 }, () => '\u200b')).length, 20)
    const tags = Array.from({ length: 90 }, (_, n) => String.fromCodePoint(0xe0020 + n)).join('')
    assert.equal(pointsOf(tags)?.length, 10)
  })

  it('are escaped in a JSON text, which stays the text of the same value', () => {
    const value = { 'a\u200b': 'x\u202e\u{e0041}\n"\u0007' }
    const escaped = escapeHidden(JSON.stringify(value, null, 2))
    assert.equal(pointsOf(escaped), undefined)
    assert.match(escaped, /"a\\u200b": "x\\u202e\\udb40\\udc41/)
    assert.deepEqual(JSON.parse(escaped), value)
  })
})
