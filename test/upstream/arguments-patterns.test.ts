import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ofA, violations } from '../support/violations.ts'

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

describe('findViolations, patterns', () => {
  it('checks those that end soon', () => {
    for (const pattern of [
      '^a+$',
      '^(ab|cd)$',
      String.raw`^\d{3}-\d{4}$`,
      '^(a{2})b*$',
      '^(?:ab)+$',
    ]) {
      assert.equal(ofA({ pattern }, '-').length, 1, pattern)
    }
  })

  const endless = ['^(a+)+$', '(a*)*b', '^(a|b*)*$', '^([a-z]+)*$', '(x+x+)+y', '^(a{1,9}){1,9}$']
  // What a rule for nested quantifiers does not see: a group between them, and an overlapping choice.
  const unseen = ['^((a+))+$', '^((a+)b?)+$', '^(a|a)*$', '^(a|aa)+$', '^(a?){50}$', 'a*a*a*b']
  for (const pattern of [...endless, ...unseen, 'a'.repeat(201), '(']) {
    it(`does not run ${pattern.slice(0, 20)}`, () => {
      assert.deepEqual(ofA({ pattern }, '-'), [])
      assert.deepEqual(violations({ patternProperties: { [pattern]: false } }, { aa: 1 }), [])
    })
  }

  // Leaving a constraint out must never refuse what fits: not by its negation, nor by its siblings.
  const lenient: [string, object, object][] = [
    [
      'patternProperties beside additionalProperties',
      { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
      { aa: 1 },
    ],
    ['not a pattern', { properties: { a: { not: { pattern: '^(a+)+$' } } } }, { a: 'b' }],
    [
      'not a reference elsewhere',
      { properties: { a: { not: { $ref: 'https://example.com/x' } } } },
      { a: 'b' },
    ],
    [
      'one of two, the first unchecked',
      { properties: { a: { oneOf: [{ pattern: '^(a+)+$' }, { const: 'b' }] } } },
      { a: 'b' },
    ],
    [
      'a constant that looks like a schema',
      { properties: { a: { const: { pattern: '(a+)+' } } } },
      { a: { pattern: '(a+)+' } },
    ],
    [
      'an enum of objects with $ref',
      { properties: { a: { enum: [{ $ref: 'x:y' }] } } },
      { a: { $ref: 'x:y' } },
    ],
  ]
  lenient.push(
    [
      'an if with a then',
      { properties: { a: JSON.parse('{"if":{"pattern":"^(a+)+$"},"then":false}') } },
      { a: 'b' },
    ],
    [
      'at most one that contains',
      { properties: { a: { contains: { pattern: '^(a+)+$' }, maxContains: 1 } } },
      { a: ['b', 'c'] },
    ],
    [
      'unevaluatedProperties after an if',
      {
        allOf: [
          JSON.parse(
            '{"if":{"properties":{"a":{"not":{"pattern":"^(a+)+$"}}}},"then":{"properties":{"b":true}}}',
          ),
        ],
        unevaluatedProperties: false,
      },
      { a: 'b', b: 1 },
    ],
    [
      'not what a reference leads to',
      {
        $defs: { x: { pattern: '^(a+)+$' } },
        properties: { a: { not: { $ref: '#/$defs/x' } } },
      },
      { a: 'b' },
    ],
    [
      'a reference into what was left out',
      {
        properties: {
          a: { oneOf: [{ pattern: '^(a+)+$' }, { const: 'b' }] },
          c: { $ref: '#/properties/a/oneOf/1' },
        },
      },
      { a: 'b', c: 'b' },
    ],
    [
      'what stands beside a reference elsewhere in draft 07',
      { $schema: DRAFT_7, properties: { a: { $ref: 'https://example.com/x', maximum: 1 } } },
      { a: 2 },
    ],
    ['not a $dynamicRef', { properties: { a: { not: { $dynamicRef: '#x' } } } }, { a: 1 }],
    [
      'an enum in a property called not',
      { properties: { not: { enum: [{ pattern: '(' }] } } },
      { not: { pattern: '(' } },
    ],
  )
  for (const [what, schema, args] of lenient) {
    it(`refuses nothing that fits for what it left out: ${what}`, () => {
      assert.deepEqual(violations(schema, args), [])
    })
  }
})
