import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareSchemas, type Difference } from '../../src/catalog/schema-difference.ts'
import { canonicalJson } from '../../src/sealing/canonical.ts'
import { mutated, randomJson, randomOf } from '../support/random-json.ts'

function differences(before: unknown, after: unknown): Difference[] {
  const found: Difference[] = []
  compareSchemas(before, after, '', (difference) => {
    found.push(difference)
    return false
  })
  return found
}
const turns = (before: unknown, after: unknown) =>
  differences(before, after).map(({ path, change }) => `${path} ${change}`)

const opposite = (text: string) =>
  text.replace(/(narrowed|widened|added|removed)$/, (turn) => {
    if (turn === 'narrowed') return 'widened'
    if (turn === 'widened') return 'narrowed'
    return turn === 'added' ? 'removed' : 'added'
  })

const s = { type: 'string' }
const n = { type: 'number' }

describe('the difference of two schemas', () => {
  const rows: [before: unknown, after: unknown, ...expected: string[]][] = [
    [{ properties: {} }, { properties: { a: s } }, '/properties/a added'],
    [{}, { properties: { 'a/b~c': s } }, '/properties/a~1b~0c added'],
    [{ required: ['a'] }, { required: ['b', 'a'] }, '/required narrowed'],
    [{}, { required: ['a'] }, '/required narrowed'],
    [{ required: ['a'] }, { required: ['b'] }, '/required changed'],
    [{ type: ['string', 'null'] }, s, '/type narrowed'],
    [n, { type: 'integer' }, '/type narrowed'],
    [n, { type: ['integer', 'string'] }, '/type changed'],
    [{}, s, '/type narrowed'],
    [s, { type: ['string'] }, '/type changed'],
    [{ enum: ['a', 'b'] }, { enum: ['b'] }, '/enum narrowed'],
    [{ enum: [1, '1'] }, { enum: ['1', 2] }, '/enum changed'],
    [{}, { const: 1 }, '/const narrowed'],
    [{ const: 1 }, { const: 2 }, '/const changed'],
    [{}, { minimum: 1 }, '/minimum narrowed'],
    [{ minLength: 1 }, { minLength: 2 }, '/minLength narrowed'],
    [{ maximum: 10 }, { maximum: 9 }, '/maximum narrowed'],
    [{ exclusiveMinimum: true }, { exclusiveMinimum: 1 }, '/exclusiveMinimum changed'],
    [{ multipleOf: 2 }, { multipleOf: 4 }, '/multipleOf narrowed'],
    [{ multipleOf: 2 }, { multipleOf: 3 }, '/multipleOf changed'],
    [{}, { pattern: 'a' }, '/pattern narrowed'],
    [{ pattern: 'a' }, { pattern: 'b' }, '/pattern changed'],
    [{ uniqueItems: false }, { uniqueItems: true }, '/uniqueItems narrowed'],
    [{}, { additionalProperties: false }, '/additionalProperties narrowed'],
    [{}, { additionalProperties: true }, '/additionalProperties changed'],
    [
      { additionalProperties: {} },
      { additionalProperties: false },
      '/additionalProperties narrowed',
    ],
    [{ additionalProperties: s }, { additionalProperties: true }, '/additionalProperties widened'],
    [
      { additionalProperties: {} },
      { additionalProperties: s },
      '/additionalProperties/type narrowed',
    ],
    [{ items: n }, { items: { type: 'integer' } }, '/items/type narrowed'],
    [{ items: [n] }, { items: [s] }, '/items/0/type changed'],
    [{ anyOf: [s, n] }, { anyOf: [s, { ...n, minimum: 1 }] }, '/anyOf/1/minimum narrowed'],
    [{ anyOf: [s] }, { anyOf: [s, n] }, '/anyOf changed'],
    [{ oneOf: [s] }, { oneOf: [n] }, '/oneOf changed'],
    [{ not: s }, { not: n }, '/not changed'],
    [{}, { not: s }, '/not narrowed'],
    [{}, { if: s }, '/if changed'],
    [{}, { minContains: 0 }, '/minContains changed'],
    [{ $defs: { a: s } }, { $defs: { a: { ...s, maxLength: 1 } } }, '/$defs/a/maxLength narrowed'],
    [{ description: 'a' }, { description: 'b' }, '/description changed'],
    [{ default: 1 }, { default: 2 }, '/default changed'],
    [{ $ref: '#/a' }, { $ref: '#/b' }, '/$ref changed'],
    [{ properties: [] }, { properties: { a: s } }, '/properties changed'],
    [true, s, ' narrowed'],
    [s, false, ' narrowed'],
    [s, [], ' changed'],
    [
      { properties: { a: { properties: { b: s } } } },
      { properties: { a: { properties: { b: n, c: n } } } },
      '/properties/a/properties/b/type changed',
      '/properties/a/properties/c added',
    ],
  ]
  for (const [before, after, ...expected] of rows) {
    const [one, other] = [JSON.stringify(before), JSON.stringify(after)]
    it(`from ${one} to ${other} is ${expected.join(', ')}, and back the opposite`, () => {
      assert.deepEqual(turns(before, after), expected)
      assert.deepEqual(turns(after, before).toSorted(), expected.map(opposite).toSorted())
    })
  }

  it('tells what was and what is', () => {
    assert.deepEqual(differences({ minimum: 1 }, { minimum: 2 }), [
      { path: '/minimum', change: 'narrowed', from: 1, to: 2 },
    ])
    assert.deepEqual(differences({}, { minimum: 2 }), [
      { path: '/minimum', change: 'narrowed', to: 2 },
    ])
  })

  it('stops where no more are wanted', () => {
    let told = 0
    compareSchemas({}, { minimum: 1, maximum: 2, title: 'x' }, '', () => (told += 1) === 2)
    assert.equal(told, 2)
  })

  it('is there exactly where two are not equal as JSON, for random ones too', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = randomOf(seed)
      const before = randomJson(random, 6)
      const after = mutated(random, before)
      assert.deepEqual(differences(before, JSON.parse(canonicalJson(before))), [], `seed ${seed}`)
      assert.ok(differences(before, after).length > 0, `seed ${seed}`)
    }
  })
})
