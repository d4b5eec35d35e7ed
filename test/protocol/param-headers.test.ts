import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  findParamHeaders,
  formatParamHeaders,
  requireParamHeaders,
} from '../../src/protocol/param-headers.ts'

const region = (members: object = {}) => ({ type: 'string', 'x-mcp-header': 'Region', ...members })
const schema = (properties: object, members: object = {}) => ({
  type: 'object',
  properties,
  ...members,
})

describe('findParamHeaders', () => {
  const valid: [string, object, object[]][] = [
    ['none', schema({ a: { type: 'string' } }), []],
    [
      'a string, an integer and a boolean',
      schema({
        a: region(),
        b: { type: 'integer', 'x-mcp-header': 'B' },
        c: { type: 'boolean', 'x-mcp-header': "!#$%&'*+.^_`|~-9" },
      }),
      [
        { header: 'Region', type: 'string', path: ['a'] },
        { header: 'B', type: 'integer', path: ['b'] },
        { header: "!#$%&'*+.^_`|~-9", type: 'boolean', path: ['c'] },
      ],
    ],
    [
      'one below another property',
      schema({ where: schema({ region: region() }) }),
      [{ header: 'Region', type: 'string', path: ['where', 'region'] }],
    ],
    [
      'properties named like keywords',
      schema({ properties: schema({ items: region() }), default: region({ 'x-mcp-header': 'D' }) }),
      [
        { header: 'Region', type: 'string', path: ['properties', 'items'] },
        { header: 'D', type: 'string', path: ['default'] },
      ],
    ],
    ['a property named x-mcp-header', schema({ 'x-mcp-header': { type: 'string' } }), []],
    [
      'one inside data',
      schema({ a: { default: region(), const: region(), enum: [region()] } }),
      [],
    ],
  ]
  for (const [what, input, headers] of valid) {
    it(`finds ${what}`, () => {
      assert.deepEqual(findParamHeaders(input), { headers, problems: [] })
    })
  }

  const place = 'must be on a property reached through `properties` alone'
  const type = 'needs type "string", "integer" or "boolean"'
  const token = 'must be a header token'
  const invalid: [string, object, string, string][] = [
    ['an empty name', schema({ a: region({ 'x-mcp-header': '' }) }), 'properties.a', token],
    [
      'a name with a space',
      schema({ a: region({ 'x-mcp-header': 'A b' }) }),
      'properties.a',
      token,
    ],
    ['a name with a colon', schema({ a: region({ 'x-mcp-header': 'A:' }) }), 'properties.a', token],
    [
      'a name with a line end',
      schema({ a: region({ 'x-mcp-header': 'A\n' }) }),
      'properties.a',
      token,
    ],
    [
      'a name beyond ASCII',
      schema({ a: region({ 'x-mcp-header': 'Rég' }) }),
      'properties.a',
      token,
    ],
    [
      'a name that is no text',
      schema({ a: region({ 'x-mcp-header': true }) }),
      'properties.a',
      token,
    ],
    ['the type number', schema({ a: region({ type: 'number' }) }), 'properties.a', type],
    ['the type object', schema({ a: region({ type: 'object' }) }), 'properties.a', type],
    ['a list of types', schema({ a: region({ type: ['string', 'null'] }) }), 'properties.a', type],
    ['no type', schema({ a: region({ type: undefined }) }), 'properties.a', type],
    [
      'the same name in another case',
      schema({ a: region(), b: region({ 'x-mcp-header': 'REGION' }) }),
      'properties.b',
      'is used twice in this schema',
    ],
    ['the root', schema({}, region()), '', place],
    ['items', schema({ a: { type: 'array', items: region() } }), 'properties.a.items', place],
    [
      'properties below items',
      schema({ a: { items: schema({ b: region() }) } }),
      'properties.a.items.properties.b',
      place,
    ],
    [
      'additionalProperties',
      schema({}, { additionalProperties: region() }),
      'additionalProperties',
      place,
    ],
    [
      'patternProperties',
      schema({}, { patternProperties: { x: region() } }),
      'patternProperties.x',
      place,
    ],
    ['oneOf', schema({ a: { oneOf: [region()] } }), 'properties.a.oneOf[0]', place],
    [
      'anyOf of the root',
      schema({}, { anyOf: [{}, schema({ a: region() })] }),
      'anyOf[1].properties.a',
      place,
    ],
    ['not', schema({}, { not: region() }), 'not', place],
    ['else', schema({}, { else: schema({ a: region() }) }), 'else.properties.a', place],
    ['$defs', schema({}, { $defs: { a: region() } }), '$defs.a', place],
  ]
  for (const [what, input, path, message] of invalid) {
    it(`§4.3: refuses ${what}, naming the place and the reason`, () => {
      const at = ['inputSchema', path, 'x-mcp-header'].filter((part) => part !== '').join('.')
      assert.deepEqual(findParamHeaders(input).problems, [{ path: at, message }])
    })
  }
})

describe('requireParamHeaders', () => {
  const { headers: declared } = findParamHeaders(
    schema({
      region: region(),
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      where: schema({ zone: { type: 'string', 'x-mcp-header': 'Zone' } }),
    }),
  )
  const check = (args: object, headers: Record<string, string>) =>
    requireParamHeaders(declared, { ...args }, new Headers(headers))

  const agreeing: [string, object, Record<string, string>][] = [
    ['nothing and no header', {}, {}],
    ['null and no header', { region: null, count: null, dry: null, where: null }, {}],
    ['nothing and a stray header', {}, { 'mcp-param-region': 'eu' }],
    ['text', { region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [
      'text and a padded header in another case',
      { region: 'eu' },
      { 'MCP-PARAM-REGION': '  eu\t' },
    ],
    ['text in base64', { region: 'Zürich' }, { 'mcp-param-region': '=?base64?WsO8cmljaA==?=' }],
    [
      'text with spaces around it',
      { region: ' eu ' },
      { 'mcp-param-region': '=?base64?IGV1IA==?=' },
    ],
    ['empty text', { region: '' }, { 'mcp-param-region': '' }],
    ['empty text in base64', { region: '' }, { 'mcp-param-region': '=?base64??=' }],
    ['text that looks like a number', { region: '42' }, { 'mcp-param-region': '42' }],
    ['an integer', { count: 42 }, { 'mcp-param-count': '42' }],
    ['an integer with a fraction of zero', { count: 42 }, { 'mcp-param-count': '42.0' }],
    ['a negative integer', { count: -7 }, { 'mcp-param-count': '-7' }],
    ['zero', { count: 0 }, { 'mcp-param-count': '0' }],
    [
      'the largest exact integer',
      { count: 2 ** 53 - 1 },
      { 'mcp-param-count': '9007199254740991' },
    ],
    ['false', { dry: false }, { 'mcp-param-dry': 'false' }],
    ['a nested value', { where: { zone: 'a' } }, { 'mcp-param-zone': 'a' }],
    ['a nested value that is absent', { where: {} }, {}],
    ['a value whose parent is no object', { where: 'x' }, {}],
  ]
  for (const [what, args, headers] of agreeing) {
    it(`§9.2 #34: accepts ${what}`, () => check(args, headers))
  }

  const differing: [string, object, Record<string, string>][] = [
    ['a missing header', { region: 'eu' }, {}],
    ['another text', { region: 'eu' }, { 'mcp-param-region': 'us' }],
    ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
    ['two headers', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
    ['bad base64', { region: 'hi' }, { 'mcp-param-region': '=?base64?aGk?=' }],
    [
      'text that only looks like base64',
      { region: 'hi' },
      { 'mcp-param-region': '=?BASE64?aGk=?=' },
    ],
    ['another integer', { count: 42 }, { 'mcp-param-count': '43' }],
    ['an integer with a fraction', { count: 42 }, { 'mcp-param-count': '42.5' }],
    ['an integer as hex', { count: 42 }, { 'mcp-param-count': '0x2a' }],
    ['an integer with an exponent', { count: 100 }, { 'mcp-param-count': '1e2' }],
    ['an empty header for zero', { count: 0 }, { 'mcp-param-count': '' }],
    ['a boolean in another case', { dry: true }, { 'mcp-param-dry': 'True' }],
    ['a boolean as a number', { dry: true }, { 'mcp-param-dry': '1' }],
    ['a nested value without header', { where: { zone: 'a' } }, {}],
    // "Bad characters: reject" (§4.3): what is beyond ASCII comes in base64 or not at all.
    ['a literal beyond ASCII', { region: 'Zürich' }, { 'mcp-param-region': 'Zürich' }],
  ]
  for (const [what, args, headers] of differing) {
    it(`§9.2 #34: refuses ${what} with 400 -32020`, () => {
      assert.throws(() => check(args, headers), { code: -32020, status: 400 })
    })
  }

  it('takes no member of the prototype for an argument', () => {
    const { headers } = findParamHeaders(schema({ constructor: region() }))
    requireParamHeaders(headers, {}, new Headers())
  })
})

describe('formatParamHeaders', () => {
  const { headers: declared } = findParamHeaders(
    schema({
      region: region(),
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      where: schema({ zone: { type: 'string', 'x-mcp-header': 'Zone' } }),
    }),
  )
  const cases: [string, object, Record<string, string>][] = [
    ['nothing', {}, {}],
    ['null', { region: null, where: null }, {}],
    ['what has no header form', { region: ['eu'], count: 1.5, dry: {} }, {}],
    [
      'each type',
      { region: 'eu', count: 0, dry: false, where: { zone: 'a b' } },
      {
        'Mcp-Param-Region': 'eu',
        'Mcp-Param-Count': '0',
        'Mcp-Param-Dry': 'false',
        'Mcp-Param-Zone': 'a b',
      },
    ],
    ['text beyond ASCII', { region: 'Zürich' }, { 'Mcp-Param-Region': '=?base64?WsO8cmljaA==?=' }],
  ]
  for (const [what, args, headers] of cases) {
    it(`§4.3: writes the headers of ${what}, which agree with the call`, () => {
      const written = formatParamHeaders(declared, { ...args })
      assert.deepEqual(written, headers)
      if (what !== 'what has no header form') {
        requireParamHeaders(declared, { ...args }, new Headers(written))
      }
    })
  }
})
