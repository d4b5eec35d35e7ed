import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { withoutInputs } from '../../src/catalog/shown-inputs.ts'

const city = { type: 'string' }
const schema = {
  type: 'object',
  properties: {
    location: {
      type: 'object',
      properties: { city, zip: city },
      required: ['city'],
      additionalProperties: false,
    },
    units: city,
    'a/b~c': city,
  },
  required: ['location', 'units'],
}
const omit = { omit: true } as const

describe('an input schema without the inputs that are said for the caller', () => {
  it('has neither their properties nor that they are required', () => {
    assert.deepEqual(withoutInputs(schema, { '/units': { constant: 'metric' } }), {
      ...schema,
      properties: { location: schema.properties.location, 'a/b~c': city },
      required: ['location'],
    })
  })

  it('has them not within other inputs either', () => {
    const { properties } = withoutInputs(schema, { '/location/city': omit })
    assert.deepEqual(properties.location, {
      ...schema.properties.location,
      properties: { zip: city },
      required: [],
    })
  })

  it('knows names by their pointers, and keeps the order of the rest', () => {
    const { properties } = withoutInputs(schema, { '/a~1b~0c': omit })
    assert.deepEqual(Object.keys(properties), ['location', 'units'])
  })

  it('is as it was where they are not in it', () => {
    const pointers = ['/no', '/units/x', '/location/no/x', '/__proto__', '/constructor/name']
    for (const pointer of pointers) {
      assert.deepEqual(withoutInputs(schema, { [pointer]: omit }), schema, pointer)
    }
    assert.deepEqual(withoutInputs({ type: 'object' }, { '/a': omit }), { type: 'object' })
  })

  it('says no more that an input without a schema is required', () => {
    const bare = { type: 'object', required: ['a', 'b'] }
    assert.deepEqual(withoutInputs(bare, { '/a': omit }), { type: 'object', required: ['b'] })
  })
})
