import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findViolations } from '../../src/upstream/arguments.ts'
import * as schemas from '../support/upstreams/crooked-schemas.ts'
import { ofA, violations } from '../support/violations.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'
const DRAFT_2019 = 'https://json-schema.org/draft/2019-09/schema'
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema'

describe('findViolations', () => {
  it('finds nothing wrong with arguments that fit', () => {
    const properties = { city: { type: 'string' }, days: { type: 'integer', minimum: 1 } }
    assert.deepEqual(violations({ properties, required: ['city'] }, { city: '', days: 2 }), [])
  })

  const named: [string, object, object, RegExp][] = [
    ['a missing argument', { required: ['city'] }, {}, /^\/city: is required$/],
    ['an unknown one', { additionalProperties: false }, { town: 1 }, /"town"/],
    ['a wrong type', { properties: { a: { type: 'string' } } }, { a: 1 }, /^\/a: /],
    ['a fraction', { properties: { a: { type: 'integer' } } }, { a: 1.5 }, /^\/a: /],
    ['a value outside the enum', { properties: { a: { enum: [1, 2] } } }, { a: 3 }, /^\/a: /],
    [
      'a deep one',
      { properties: { a: { items: { properties: { b: { type: 'null' } } } } } },
      { a: [{}, { b: 1 }] },
      /^\/a\/1\/b: /,
    ],
    [
      'a name with a slash and a tilde',
      { properties: { 'x/y~z': false } },
      { 'x/y~z': 1 },
      /^\/x~1y~0z: /,
    ],
    ['one called constructor', { required: ['constructor'] }, {}, /^\/constructor: is required$/],
  ]
  for (const [what, schema, args, line] of named) {
    it(`§9.2 #50: names ${what} by its place`, () => {
      const [first = ''] = violations(schema, args)
      assert.match(first, line)
    })
  }

  // A JSON pointer is plain text; the validator gives the percent-encoded form of a URI fragment.
  it('§9.2 #50: names a field beyond ASCII, or with a space, as it is written', () => {
    assert.match(violations({ properties: { größe: false } }, { größe: 1 })[0] ?? '', /^\/größe: /)
    assert.match(violations({ properties: { 'a b': false } }, { 'a b': 1 })[0] ?? '', /^\/a b: /)
  })

  it('names the innermost, not each level above it', () => {
    const deep = { properties: { b: { properties: { c: { type: 'string' } } } } }
    assert.equal(ofA(deep, { b: { c: 1 } }).length, 1)
  })

  it('names at most ten', () => {
    const required = Array.from({ length: 50 }, (_, n) => `argument_${n}`)
    assert.equal(violations({ required }).length, 10)
  })

  it('checks an argument called __proto__', () => {
    const schema: object = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}')
    const args = (value: string): Record<string, unknown> => JSON.parse(`{"__proto__":${value}}`)
    assert.deepEqual(findViolations('proto', { type: 'object', ...schema }, args('"x"')), [])
    assert.match(
      findViolations('proto', { type: 'object', ...schema }, args('1'))[0] ?? '',
      /__proto__/,
    )
  })

  it('answers the same the second time, with the validator it kept', () => {
    const schema = { type: 'object', required: ['a'] }
    const once = findViolations('kept', schema, {})
    assert.deepEqual(findViolations('kept', schema, {}), once)
    assert.deepEqual(findViolations('kept', schema, { a: 1 }), [])
  })
})

describe('findViolations, by $schema', () => {
  const tuple = { items: [{ type: 'string' }] } // an array of schemas: before 2020-12
  const prefix = { prefixItems: [{ type: 'string' }] } // since 2020-12
  const known: [string | undefined, object][] = [
    [DRAFT_7, tuple],
    ['http://json-schema.org/draft-07/schema', tuple],
    [DRAFT_2019, tuple],
    [DRAFT_2020, prefix],
    [undefined, prefix],
  ]
  for (const [$schema, a] of known) {
    it(`checks by ${$schema ?? '2020-12 where none is named'}`, () => {
      const schema = { ...($schema !== undefined && { $schema }), properties: { a } }
      assert.deepEqual(violations(schema, { a: ['x'] }), [])
      assert.match(violations(schema, { a: [1] })[0] ?? '', /^\/a\/0: /)
    })
  }

  it('lets $ref stand alone in draft 07, and beside others since', () => {
    const schema = {
      properties: { a: { $ref: '#/definitions/n', maximum: 1 } },
      definitions: { n: {} },
    }
    assert.deepEqual(violations({ $schema: DRAFT_7, ...schema }, { a: 2 }), [])
    assert.equal(violations({ $schema: DRAFT_2020, ...schema }, { a: 2 }).length, 1)
  })

  for (const $schema of [
    'http://json-schema.org/draft-03/schema',
    'https://example.com/own',
    '',
    7,
  ]) {
    it(`says of ${JSON.stringify($schema)} that it is not supported`, () => {
      assert.deepEqual(violations({ $schema }), [`the tool's schema has an unsupported $schema`])
    })
  }
})

describe('findViolations, references', () => {
  it('follows those that stay in the schema', () => {
    const schema = {
      $defs: {
        name: { $anchor: 'named', type: 'string' },
        list: { items: { $ref: '#/$defs/list' } },
      },
      properties: {
        a: { $ref: '#/$defs/name' },
        b: { $ref: '#named' },
        c: { $ref: '#/$defs/list' },
      },
    }
    assert.deepEqual(violations(schema, { a: 'x', b: 'y', c: [[[]]] }), [])
    assert.deepEqual(
      violations(schema, { a: 1, b: 2 }).map((line) => line.slice(0, 3)),
      ['/a:', '/b:'],
    )
  })

  for (const $ref of [
    'https://example.com/s.json',
    'http://localhost:1/#/x',
    'urn:x',
    'FILE:///x',
  ]) {
    it(`§9.2 #55: neither fetches nor checks ${$ref}`, () => {
      assert.deepEqual(ofA({ $ref, type: 'string' }, 'x'), [])
      assert.equal(ofA({ $ref, type: 'string' }, 1).length, 1, 'what stands beside it is checked')
    })
  }

  // They lead elsewhere too, and are taken for something that should be in the schema.
  for (const $ref of ['other.json', '/schemas/x', '//example.com/x', '../x#/$defs/y']) {
    it(`§9.2 #55: neither fetches nor checks ${$ref}`, () => assert.deepEqual(ofA({ $ref }, 1), []))
  }

  it('says of one that leads nowhere that the schema cannot be applied', () => {
    const [line = '', ...more] = ofA({ $ref: '#/$defs/none' }, 1)
    assert.match(line, /schema cannot be applied/)
    assert.equal(more.length, 0)
  })

  it('says the same of one that leads to itself', () => {
    assert.match(violations({ allOf: [{ $ref: '#' }] })[0] ?? '', /schema cannot be applied/)
  })

  // The validator throws where it is made, not where it checks.
  const unmakeable: [string, object][] = [
    ['an $id that is no URL', { $id: 'http://[' }],
    ['an $id that stands twice', { properties: { a: { $id: 'x' }, b: { $id: 'x' } } }],
  ]
  for (const [what, schema] of unmakeable) {
    it(`says the same of ${what}`, () => {
      assert.match(violations(schema)[0] ?? '', /schema cannot be applied/)
    })
  }
})

// An upstream says the schema, and validation runs on every call: 2^40 steps never came to an end.
describe('findViolations, of what has no end', () => {
  const { doublingRefs, doublingAllOf } = schemas
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { c: nested(depth - 1) })
  const n = { properties: { c: { $ref: '#/$defs/n' } } }
  const endless: [string, object, unknown][] = [
    ['alternatives that double', doublingRefs(), 'x'],
    ['parts that double', doublingAllOf(), 'x'],
    ['parts that double, and refuse', doublingAllOf(), 1],
    [
      'a recursive schema with alternatives',
      { $defs: { n: { anyOf: [n, n] } }, properties: { a: { $ref: '#/$defs/n' } } },
      nested(60),
    ],
    [
      'very many items that a long enum refuses',
      { properties: { a: { items: { enum: Array.from({ length: 5000 }, (_, i) => `c${i}`) } } } },
      Array.from({ length: 100_000 }, () => 'd'),
    ],
  ]
  for (const [what, schema, a] of endless) {
    it(`stops at ${what}`, { timeout: 10_000 }, () => {
      const [line = ''] = violations(schema, { a })
      assert.match(line, /^there is too much to be checked|schema cannot be applied/)
    })
  }

  it('stops at many arrays that are to be unique', { timeout: 10_000 }, () => {
    const schema = { items: { items: { uniqueItems: true } } }
    const one = Array.from({ length: 1900 }, (_, index) => ({ index }))
    assert.match(
      ofA(
        schema,
        Array.from({ length: 500 }, () => [one]),
      )[0] ?? '',
      /cannot be compared/,
    )
  })

  it('checks what is called like the member it counts by', () => {
    const schema = { properties: { $recursiveAnchor: { type: 'string' } } }
    assert.equal(ofA(schema, { $recursiveAnchor: 1 }).length, 1)
    assert.equal(ofA({ const: { $recursiveAnchor: 1 } }, {}).length, 1)
  })

  it('begins anew with each value', () => {
    const schema = { properties: { a: { items: { type: 'integer' } } } }
    const a = Array.from({ length: 300_000 }, () => 1)
    for (let round = 0; round < 3; round++) assert.deepEqual(violations(schema, { a }), [])
  })
})

describe('findViolations, beside what it left out', () => {
  const risky = { pattern: '^(a+)+$' }
  const still: [string, object, object][] = [
    ['the length of a text', { a: { ...risky, maxLength: 1 } }, { a: 'bb' }],
    ['another of allOf', { a: { allOf: [risky, { maxLength: 1 }] } }, { a: 'bb' }],
    ['a not of its own', { a: risky, b: { not: { const: 1 } } }, { b: 1 }],
    ['a short pattern', { a: risky, b: { pattern: '^x' } }, { b: 'y' }],
    ['a reference', { a: risky, b: { $ref: '#/properties/c' }, c: { type: 'null' } }, { b: 1 }],
  ]
  for (const [what, properties, args] of still) {
    it(`still checks ${what}`, () => assert.equal(violations({ properties }, args).length, 1))
  }

  it('runs a pattern of two loops on short texts, and takes long ones unseen', () => {
    const pattern = String.raw`^[^@\s]+@[^@\s]+$`
    assert.deepEqual(ofA({ pattern }, 'a@b'), [])
    assert.equal(ofA({ pattern }, 'b').length, 1)
    assert.deepEqual(ofA({ pattern }, 'b'.repeat(1000)), [])
    assert.deepEqual(ofA({ not: { pattern } }, 'b'.repeat(1000)), [])
  })

  // The validator's own pattern for it tries 2^26 ways here.
  it('does not check the format url', () => {
    assert.deepEqual(ofA({ format: 'url' }, `http://${'a'.repeat(40)}!`), [])
    assert.equal(ofA({ format: 'uri' }, 'no').length, 1)
  })

  it('does not change the schema it is given', () => {
    const schema = { type: 'object', properties: { a: { not: risky, $ref: 'x:y' } } }
    const before = structuredClone(schema)
    findViolations('unchanged', schema, { a: 'b' })
    assert.deepEqual(schema, before)
    assert.deepEqual(Object.getOwnPropertyNames(schema), Object.getOwnPropertyNames(before))
  })
})
