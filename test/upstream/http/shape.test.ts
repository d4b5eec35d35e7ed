import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CallFailed } from '../../../src/upstream/http/call.ts'
import { fillText, keep } from '../../../src/upstream/http/shape.ts'

const DATA = {
  data: {
    items: [
      { id: 1, name: 'a', owner: { id: 9, mail: 'x' } },
      { id: 2, owner: { id: 8 } },
    ],
    'a/b': { 'm~n': 1 },
    none: null,
  },
}

describe('The shape of an answer', () => {
  const kept: [string, object, unknown][] = [
    ['all of it', {}, DATA],
    ['a part', { pointer: '/data/items/1/id' }, 2],
    ['a part with signs in its name', { pointer: '/data/a~1b/m~0n' }, 1],
    ['null', { pointer: '/data/none' }, null],
    [
      'fields of each item',
      { pointer: '/data/items', fields: ['/name', '/owner/id'] },
      [{ name: 'a', owner: { id: 9 } }, { owner: { id: 8 } }],
    ],
    [
      'fields through a list',
      { fields: ['/data/items/id'] },
      { data: { items: [{ id: 1 }, { id: 2 }] } },
    ],
    ['one item', { fields: ['/data/items/1'] }, { data: { items: [DATA.data.items[1]] } }],
    ['one field of one item', { fields: ['/data/items/0/id'] }, { data: { items: [{ id: 1 }] } }],
    [
      'a field and what is in it',
      { pointer: '/data/items/0', fields: ['/owner', '/owner/id'] },
      { owner: { id: 9, mail: 'x' } },
    ],
    ['nothing of a field that is not there', { fields: ['/x/y'] }, {}],
    ['nothing of a prototype', { fields: ['/constructor', '/__proto__'] }, {}],
  ]
  for (const [what, shape, expected] of kept) {
    it(`keeps ${what}`, () => assert.deepEqual(keep(DATA, shape), expected))
  }

  for (const pointer of [
    '/data/items/2',
    '/data/items/01',
    '/data/items/-',
    '/nothing',
    '/data/none/x',
    '/toString',
  ]) {
    it(`names ${pointer}, which is not there`, () => {
      assert.throws(
        () => keep(DATA, { pointer }),
        new CallFailed(`The answer has nothing at ${pointer}`),
      )
    })
  }

  it('fills a text with texts and JSON, and leaves other braces alone', () => {
    const text = fillText(
      '{/data/items/0/name}: {/data/items/0/owner} {name} {} {/data/none}',
      DATA,
    )
    assert.equal(text, 'a: {"id":9,"mail":"x"} {name} {} null')
  })

  it('bounds what it fills', () => {
    const long = { a: 'x'.repeat(1024 * 1024) }
    assert.throws(() => fillText('{/a}'.repeat(5), long), /too long/)
    assert.equal(fillText('a{/nothing}b', { a: 1 }), 'ab')
  })
})
