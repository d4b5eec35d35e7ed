import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { wrongIn, wrongOf } from '../../../src/surfaces/convai/wrong.ts'

const Body = z.object({
  config: z.object({
    name: z.string().min(1).max(5),
    seconds: z.int().min(5).max(300),
    share: z.number().gt(0).lt(1).optional(),
    on: z.boolean().optional(),
    policy: z.enum(['a', 'b', 'c']).optional(),
    kind: z.literal('new').optional(),
    url: z.union([z.string(), z.object({ secret_id: z.string() })]).optional(),
    label: z
      .string()
      .regex(/^[a-z]+$/)
      .optional(),
    items: z
      .array(z.object({ tool_name: z.string() }))
      .max(2)
      .optional(),
    map: z.record(z.string().regex(/^[a-z]+$/), z.string()).optional(),
    auth: z
      .discriminatedUnion('auth_type', [
        z.object({ auth_type: z.literal('bearer'), token: z.string() }),
        z.object({ auth_type: z.literal('basic'), user: z.string() }),
      ])
      .optional(),
    checked: z
      .string()
      .refine((text) => text === 'x', 'must be x')
      .optional(),
  }),
})

const GOOD = { name: 'one', seconds: 5 }

function wrongConfig(config: object | undefined, at: string[] = ['body']) {
  const checked = Body.safeParse({ config }, { reportInput: true })
  assert.ok(!checked.success)
  return wrongIn(checked.error, at).map(({ type, loc, msg }) => [type, loc.join('.'), msg])
}

const ROWS: [what: string, config: object | undefined, ...expected: string[][]][] = [
  ['an absent object', undefined, ['missing', '', 'Field required']],
  [
    'absent fields, all at once',
    {},
    ['missing', '.name', 'Field required'],
    ['missing', '.seconds', 'Field required'],
  ],
  [
    'a number for a string',
    { name: 1 },
    ['string_type', '.name', 'Input should be a valid string'],
  ],
  ['null for a string', { name: null }, ['string_type', '.name', 'Input should be a valid string']],
  [
    'a short string',
    { name: '' },
    ['string_too_short', '.name', 'String should have at least 1 character'],
  ],
  [
    'a long string',
    { name: '123456' },
    ['string_too_long', '.name', 'String should have at most 5 characters'],
  ],
  [
    'a text for an integer',
    { seconds: 'x' },
    ['int_type', '.seconds', 'Input should be a valid integer'],
  ],
  [
    'a fraction for an integer',
    { seconds: 5.5 },
    [
      'int_from_float',
      '.seconds',
      'Input should be a valid integer, got a number with a fractional part',
    ],
  ],
  [
    'an integer too small',
    { seconds: 4 },
    ['greater_than_equal', '.seconds', 'Input should be greater than or equal to 5'],
  ],
  [
    'an integer too big',
    { seconds: 301 },
    ['less_than_equal', '.seconds', 'Input should be less than or equal to 300'],
  ],
  [
    'a number at its bound',
    { share: 0 },
    ['greater_than', '.share', 'Input should be greater than 0'],
  ],
  [
    'a number at its other bound',
    { share: 1 },
    ['less_than', '.share', 'Input should be less than 1'],
  ],
  ['a text for a boolean', { on: 'yes' }, ['bool_type', '.on', 'Input should be a valid boolean']],
  ['another word', { policy: 'd' }, ['enum', '.policy', "Input should be 'a', 'b' or 'c'"]],
  ['another literal', { kind: 'old' }, ['literal_error', '.kind', "Input should be 'new'"]],
  [
    'none of the forms of a union',
    { url: { secret_id: 1 } },
    ['string_type', '.url', 'Input should be a valid string'],
    ['string_type', '.url.secret_id', 'Input should be a valid string'],
  ],
  [
    'a text of another form',
    { label: 'A' },
    ['string_pattern_mismatch', '.label', "String should match pattern '^[a-z]+$'"],
  ],
  ['an object for a list', { items: {} }, ['list_type', '.items', 'Input should be a valid list']],
  [
    'a list too long',
    { items: [{ tool_name: 'a' }, { tool_name: 'b' }, { tool_name: 'c' }] },
    ['too_long', '.items', 'List should have at most 2 items after validation'],
  ],
  [
    'wrong items, by their indexes',
    { items: [{}, { tool_name: 2 }] },
    ['missing', '.items.0.tool_name', 'Field required'],
    ['string_type', '.items.1.tool_name', 'Input should be a valid string'],
  ],
  [
    'a text for an object',
    { items: ['a'] },
    ['dict_type', '.items.0', 'Input should be a valid dictionary'],
  ],
  [
    'a wrong key and a wrong value of a map',
    { map: { A: 'x', b: 1 } },
    ['string_pattern_mismatch', '.map.A', "String should match pattern '^[a-z]+$'"],
    ['string_type', '.map.b', 'Input should be a valid string'],
  ],
  [
    'an absent tag',
    { auth: {} },
    ['union_tag_not_found', '.auth', "Unable to extract tag using discriminator 'auth_type'"],
  ],
  [
    'an unknown tag',
    { auth: { auth_type: 'none' } },
    [
      'union_tag_invalid',
      '.auth',
      "Input tag 'none' found using 'auth_type' does not match any of the expected tags: 'bearer', 'basic'",
    ],
  ],
  [
    'a field of a tagged form',
    { auth: { auth_type: 'bearer' } },
    ['missing', '.auth.token', 'Field required'],
  ],
  [
    'what only a check finds',
    { checked: 'y' },
    ['value_error', '.checked', 'Value error, must be x'],
  ],
]

describe('wrongIn', () => {
  for (const [what, config, ...expected] of ROWS) {
    it(`tells ${what}`, () => {
      const sent = config && Object.keys(config).length > 0 ? { ...GOOD, ...config } : config
      assert.deepEqual(
        wrongConfig(sent),
        expected.map(([type, loc, msg]) => [type, `body.config${loc}`, msg]),
      )
    })
  }
})

describe('wrongOf', () => {
  it('finds the segments of a path, indexes as numbers', () => {
    const [wrong] = wrongOf([{ path: 'a.b[3].c-d', message: 'is odd' }], 'body')
    assert.deepEqual(wrong, {
      type: 'value_error',
      loc: ['body', 'a', 'b', 3, 'c-d'],
      msg: 'Value error, is odd',
    })
  })
})
