import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalJson } from '../../src/sealing/canonical.ts'
import { mutated, randomJson, randomOf, rewritten } from '../support/random-json.ts'

const canonical = (text: string) => canonicalJson(JSON.parse(text))

describe('canonical JSON', () => {
  const equal: [what: string, one: string, other: string, text: string][] = [
    [
      'the order of members',
      '{"b":1,"a":{"d":1,"c":2}}',
      '{"a":{"c":2,"d":1},"b":1}',
      '{"a":{"c":2,"d":1},"b":1}',
    ],
    [
      'names that are integers',
      '{"10":1,"9":2,"a":3}',
      '{"a":3,"9":2,"10":1}',
      '{"10":1,"9":2,"a":3}',
    ],
    ['number forms', '[1.0,1e2,10e-1,-0,0.10]', '[1,100,1,0,1e-1]', '[1,100,1,0,0.1]'],
    ['escapes', String.raw`"\u00e9\u002f\ud83d\ude00"`, '"é/😀"', '"é/😀"'],
    ['blanks', ' [ 1 , { } ] ', '[1,{}]', '[1,{}]'],
    [
      'a member called __proto__',
      '{"__proto__":1,"a":2}',
      '{"a":2,"__proto__":1}',
      '{"__proto__":1,"a":2}',
    ],
  ]
  for (const [what, one, other, text] of equal) {
    it(`is the same whatever ${what}`, () => {
      assert.equal(canonical(one), text)
      assert.equal(canonical(other), text)
    })
  }

  const different: [one: string, other: string][] = [
    ['{"__proto__":{"a":1}}', '{}'],
    ['{"1":2}', '[null,2]'],
    ['[]', '{}'],
    ['"1"', '1'],
    ['1e400', 'null'],
    ['1e400', '-1e400'],
    [String.raw`"\ud800"`, String.raw`"\ud801"`],
    [String.raw`"\ud800"`, '"\ufffd"'],
    ['"é"', '"e\u0301"'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":1,"b":2}', '{"a":{"b":2}}'],
    [String.raw`{"a\":1,\"b":2}`, '{"a":1,"b":2}'],
  ]
  for (const [one, other] of different) {
    it(`tells ${one} from ${other}`, () => {
      assert.notEqual(canonical(one), canonical(other))
    })
  }

  it('leaves out members that are undefined, as JSON does', () => {
    assert.equal(canonicalJson({ b: undefined, a: [undefined] }), '{"a":[null]}')
  })

  it('is of values of any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    assert.equal(canonical(deep), deep)
    const nested = '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)
    assert.equal(canonical(nested), nested)
  })

  it('is other for a thousand random schemas that are each changed once, and only for those', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const random = randomOf(seed)
      const schema = randomJson(random, 6)
      const text = canonicalJson(schema)
      assert.deepEqual(JSON.parse(text), schema, `seed ${seed}`)
      assert.equal(canonical(rewritten(random, schema)), text, `seed ${seed}`)
      assert.notEqual(canonicalJson(mutated(random, schema)), text, `seed ${seed}`)
    }
  })
})
