import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sentInputs } from '../../src/methods/sent-inputs.ts'

type Row = [args: object, inputs: Parameters<typeof sentInputs>[1], sent: object]

const ROWS: readonly Row[] = [
  [{ a: 1 }, { '/b': { constant: 2 } }, { a: 1, b: 2 }],
  [{ a: 1 }, { '/a': { constant: null } }, { a: null }],
  [{ a: 1, b: 2 }, { '/a': { omit: true } }, { b: 2 }],
  [{ a: 1 }, { '/b': { omit: true }, '/c/d': { omit: true } }, { a: 1 }],
  [{}, { '/a/b/c': { constant: [1] } }, { a: { b: { c: [1] } } }],
  [{ a: { x: 1 } }, { '/a/b': { constant: 2 } }, { a: { x: 1, b: 2 } }],
  [{ a: 'text' }, { '/a/b': { constant: 2 } }, { a: { b: 2 } }],
  [{ a: 'text' }, { '/a/b': { omit: true } }, { a: 'text' }],
  [{ a: [{}, { x: 1 }] }, { '/a/1/x': { constant: 2 } }, { a: [{}, { x: 2 }] }],
  [{ a: [0, 1] }, { '/a/2': { constant: 2 } }, { a: [0, 1] }],
  [{ a: [1] }, { '/a/b': { constant: 2 } }, { a: { b: 2 } }],
  [{ a: [[1]] }, { '/a/0/b': { constant: 2 }, '/a/0/c': { omit: true } }, { a: [{ b: 2 }] }],
  [{ a: [1] }, { '/a/b': { omit: true } }, { a: [1] }],
  [{ a: [0, 1, 2] }, { '/a/0': { omit: true }, '/a/1': { omit: true } }, { a: [2] }],
  [
    { a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, { x: 1, y: 2 }] },
    { '/a/9': { omit: true }, '/a/10/x': { omit: true } },
    { a: [0, 1, 2, 3, 4, 5, 6, 7, 8, { y: 2 }] },
  ],
  [{ 'a/b': 1, 'c~d': 2 }, { '/a~1b': { omit: true }, '/c~0d': { constant: 3 } }, { 'c~d': 3 }],
  [{}, { '/': { constant: 1 } }, { '': 1 }],
]

describe('The inputs that are sent', () => {
  for (const [args, inputs, sent] of ROWS) {
    it(`${JSON.stringify(args)} with ${JSON.stringify(inputs)}`, () => {
      const before = JSON.stringify(args)
      assert.deepEqual(sentInputs({ ...args }, inputs), sent)
      assert.equal(JSON.stringify(args), before)
    })
  }

  it('reach no prototype', () => {
    const inputs = { '/__proto__/polluted': { constant: 1 }, '/constructor/a': { constant: 2 } }
    const sent = sentInputs({}, inputs)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)
    assert.equal(JSON.stringify(sent), '{"__proto__":{"polluted":1},"constructor":{"a":2}}')
  })
})
