import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { requireValid } from '../../src/catalog/issues.ts'
import { HttpError } from '../../src/protocol/http-error.ts'

const Schema = z.strictObject({
  list: z
    .array(z.looseObject({ name: z.string().max(2) }))
    .max(2)
    .optional(),
  deep: z.strictObject({ 'x-y': z.boolean() }).optional(),
  kind: z.union([z.literal('a'), z.number()]).optional(),
})

function told(value: unknown, at = ''): { message: string; lines: string[] } {
  try {
    requireValid(Schema, value, at)
  } catch (error) {
    assert.ok(error instanceof HttpError)
    assert.deepEqual([error.status, error.code], [422, 'invalid'])
    const lines = (error.details ?? []).map(({ path, message }) => `${path} ${message}`)
    return { message: error.message, lines }
  }
  throw new Error('nothing was wrong')
}

describe('requireValid', () => {
  it('gives what the schema makes of a value that fits', () => {
    assert.deepEqual(requireValid(Schema, { list: [{ name: 'a', x: 1 }] }), {
      list: [{ name: 'a', x: 1 }],
    })
  })

  const table: [unknown, string, string][] = [
    [{ list: [{ name: 'a' }, {}] }, '', 'list[1].name is missing'],
    [{ list: [{ name: 'abc' }] }, '', 'list[0].name must be at most 2 characters'],
    [{ list: [{ name: 'a' }, { name: 'b' }, { name: 'c' }] }, '', 'list must be at most 2 items'],
    [{ deep: { 'x-y': true, z: 1 } }, '', 'deep.z is not a known member'],
    [{ deep: {} }, 'tools[3]', 'tools[3].deep.x-y is missing'],
    [{ kind: true }, '', 'kind has none of the allowed forms'],
    [{ more: 1 }, '', 'more is not a known member'],
  ]
  for (const [value, at, line] of table) {
    it(`tells '${line}'`, () => assert.deepEqual(told(value, at).lines, [line]))
  }

  it('puts the first into the message, and says how many more there are', () => {
    const { message, lines } = told({ deep: {}, kind: true, more: 1 })
    assert.equal(lines.length, 3)
    assert.match(message, /^deep\.x-y is missing, and 2 more$/)
  })

  // A value that is there but of another type is not missing.
  it('tells a wrong type from a missing value', () => {
    assert.deepEqual(told({ deep: { 'x-y': 'no' } }).lines, ['deep.x-y must be a boolean'])
    assert.deepEqual(told({ list: [{ name: null }] }).lines, ['list[0].name must be a string'])
  })
})
