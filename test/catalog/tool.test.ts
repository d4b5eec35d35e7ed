import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTool } from '../../src/catalog/tool.ts'
import { tool } from '../support/servers.ts'

/** A tool as it would come in a body: with members written as text. */
const withText = (members: string) => {
  const text = JSON.stringify(tool('a'))
  return parseTool(JSON.parse(`${text.slice(0, -1)},${members}}`))
}
const nested = (levels: number): object =>
  JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels))

describe('parseTool', () => {
  it('splits a tool into what clients are shown and what serves a call', () => {
    const input = tool('a', {
      title: 'A',
      requires: { sampling: {} },
      status: 'paused',
      sortOrder: 3,
    })
    const { name, status, sortOrder, definition, binding } = parseTool(input)
    assert.deepEqual([name, status, sortOrder], ['a', 'paused', 3])
    assert.deepEqual(JSON.parse(definition), {
      name: 'a',
      description: 'The tool a',
      inputSchema: { type: 'object' },
      title: 'A',
    })
    assert.deepEqual(Object.keys(JSON.parse(binding)), ['handler', 'requires'])
  })

  it('is active where it does not say, without a place of its own', () => {
    const { status, sortOrder } = parseTool(tool('a'))
    assert.deepEqual([status, sortOrder], ['active', undefined])
  })

  // Each as it stands in JSON text: what is stored is that text, byte for byte.
  const kept: [string, string][] = [
    ['a description with line separators', String.raw`"description":"a` + '\u2028b\u2029c"'],
    ['right-to-left marks', '"description":"\u202eevil\u202c \u200f\u061c"'],
    ['emoji and what joins them', '"description":"👩‍👩‍👧‍👦 🏳️‍🌈 e\u0301"'],
    ['a lone surrogate', String.raw`"description":"\ud800 and \udfff"`],
    ['control characters', String.raw`"description":"\u0000\u001f\b\t\n"`],
    ['no text at all', '"description":""'],
    ['members nobody knows', '"x-own":{"deep":[null,0,-0.5,1e+25,false,""]},"later":null'],
    ['a member called __proto__', '"__proto__":{"polluted":true}'],
    [
      'properties called like the prototype’s',
      '"inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{},"toString":true}}',
    ],
    [
      'schema keywords nobody knows',
      '"inputSchema":{"type":"object","$defs":{"x":{"$anchor":"x"}},"unevaluatedProperties":false,"x-y":1}',
    ],
    [
      'a reference that leads elsewhere',
      '"inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/s.json#/a"}}}',
    ],
    [
      '_meta, annotations, icons',
      '"_meta":{"a/b":1},"annotations":{"readOnlyHint":true,"x":1},"icons":[{"src":"data:,"}]',
    ],
  ]
  for (const [what, members] of kept) {
    it(`§9.2 #54: keeps ${what}, byte for byte`, () => {
      const { definition } = withText(members)
      assert.ok(definition.includes(members), definition)
      assert.equal(JSON.stringify(JSON.parse(definition)), definition)
    })
  }

  it('pollutes nothing by a member called __proto__', () => {
    withText('"__proto__":{"polluted":true}')
    assert.equal('polluted' in {}, false)
  })

  it('takes an input schema of 64 levels, and not one more', () => {
    const deep = (levels: number) =>
      tool('a', { inputSchema: { type: 'object', x: nested(levels - 1) } })
    assert.ok(parseTool(deep(64)))
    assert.throws(() => parseTool(deep(65), 'tools[7]'), {
      status: 422,
      details: [{ path: 'tools[7]', message: 'nests deeper than 64 levels' }],
    })
  })

  const large = (bytes: number, text = 'x') => text.repeat(bytes)
  const refused: [string, object, string, RegExp][] = [
    ['200 levels', tool('a', { _meta: nested(200) }), 't', /deeper than 64/],
    ['100,000 levels', tool('a', { _meta: nested(100_000) }), 't', /deeper than 64/],
    ['a description of 5 MB', tool('a', { description: large(5_000_000) }), 't', /over 1024 KiB/],
    ['1 MiB only in UTF-8', tool('a', { description: large(400_000, '語') }), 't', /over 1024 KiB/],
    [
      'an input schema of 256 KiB',
      tool('a', { inputSchema: { type: 'object', x: large(262_144) } }),
      't.inputSchema',
      /over 256 KiB/,
    ],
    [
      'a result of 1 MiB',
      tool('a', { handler: { kind: 'static', result: { content: [], x: large(1_048_576) } } }),
      't.handler',
      /over 1024 KiB/,
    ],
    [
      'a header name with a space',
      tool('a', {
        inputSchema: {
          type: 'object',
          properties: { r: { type: 'string', 'x-mcp-header': 'a b' } },
        },
      }),
      't.inputSchema.properties.r.x-mcp-header',
      /header token/,
    ],
    [
      'a header on a number',
      tool('a', {
        inputSchema: { type: 'object', properties: { r: { type: 'number', 'x-mcp-header': 'R' } } },
      }),
      't.inputSchema.properties.r.x-mcp-header',
      /needs type/,
    ],
    [
      'a header below items',
      tool('a', {
        inputSchema: {
          type: 'object',
          properties: { r: { items: { type: 'string', 'x-mcp-header': 'R' } } },
        },
      }),
      't.inputSchema.properties.r.items.x-mcp-header',
      /reached through/,
    ],
    ['no handler', { ...tool('a'), handler: undefined }, 't.handler', /missing/],
    ['an array of what it requires', tool('a', { requires: [] }), 't.requires', /./],
  ]
  for (const [what, input, path, reason] of refused) {
    it(`refuses ${what} with 422, the place and the reason`, () => {
      assert.throws(
        () => parseTool(input, 't'),
        (error: { status: number; details: [{ path: string; message: string }] }) => {
          assert.equal(error.status, 422)
          assert.equal(error.details[0].path, path)
          assert.match(error.details[0].message, reason)
          return true
        },
      )
    })
  }

  it('takes a definition just below the bound', () => {
    assert.ok(parseTool(tool('a', { description: large(1_048_400) })))
  })
})
