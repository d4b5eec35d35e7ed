/** Defaults that a schema has for arguments that were left out. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkArguments, withDefaults } from '../../src/upstream/arguments.ts'

describe('withDefaults', () => {
  const schema = {
    properties: { units: { default: 'metric' }, days: { default: null }, city: {}, flag: true },
  }

  it('fills in what was not given', () => {
    assert.deepEqual(withDefaults(schema, { city: 'x' }), {
      city: 'x',
      units: 'metric',
      days: null,
    })
  })

  it('leaves what was given, null and false too', () => {
    const args = { units: null, days: false }
    assert.deepEqual(withDefaults(schema, args), args)
  })

  it('copes with no properties, and changes no arguments of its caller', () => {
    const args = { a: 1 }
    assert.deepEqual(withDefaults({}, args), { a: 1 })
    withDefaults(schema, args)
    assert.deepEqual(args, { a: 1 })
  })

  it('fills in a default of constructor', () => {
    const constructor = { properties: { constructor: { default: 'x' } } }
    assert.deepEqual(Object.entries(withDefaults(constructor, {})), [['constructor', 'x']])
  })
})

describe('checkArguments', () => {
  const check = (schema: object, args: object) =>
    checkArguments(JSON.stringify(schema), { ...schema }, { ...args })

  it('fills in defaults before it looks, in objects that are given too', () => {
    const schema = {
      properties: {
        a: { type: 'string', default: 'x' },
        b: { type: 'object', properties: { c: { type: 'integer', default: 1 } } },
        d: { type: 'object', properties: { e: { default: 2 } } },
      },
      required: ['a'],
    }
    const args = { a: 'x', b: { c: 1 } }
    assert.deepEqual(check(schema, { b: {} }), { args, violations: [] })
  })

  it('does not hold a default that fits nothing against who left it out', () => {
    const schema = { properties: { a: { type: 'string', default: null } } }
    assert.deepEqual(check(schema, {}), { args: {}, violations: [] })
    assert.equal(check(schema, { a: 1 }).violations.length, 1)
  })
})
