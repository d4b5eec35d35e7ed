import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CallToolResult } from '../../src/protocol/tool.ts'
import { fillResult } from '../../src/upstream/static.ts'

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] })
const fill = (template: string, args: object, declared: string[] = Object.keys(args)) => {
  const [block] = fillResult(text(template), new Set(declared), { ...args }).content
  return block?.type === 'text' ? block.text : undefined
}

describe('fillResult', () => {
  const cases: [string, object, string][] = [
    ['{city}: 12 °C', { city: 'Bonn' }, 'Bonn: 12 °C'],
    ['{a}{b}{a}', { a: 1, b: 2 }, '121'],
    ['{a}', { a: '' }, ''],
    ['{a}', { a: null }, 'null'],
    ['{a}', { a: false }, 'false'],
    ['{a}', { a: 0 }, '0'],
    ['{a}', { a: [1, 'x'] }, '[1,"x"]'],
    ['{a}', { a: { b: 'c' } }, '{"b":"c"}'],
    ['{the city}', { 'the city': 'x' }, 'x'],
    ['{größe}', { größe: 'x' }, 'x'],
    ['{{a}}', { a: 'x' }, '{x}'],
    ['{unknown} {a}', { a: 'x' }, '{unknown} x'],
    ['{} { a } {a', { a: 'x' }, '{} { a } {a'],
    ['{"json":{"a":1}}', { a: 'x' }, '{"json":{"a":1}}'],
    // Once only: what an argument holds is no template, and `$&` is no pattern.
    ['{a}', { a: '{b}', b: 'x' }, '{b}'],
    ['{a}', { a: '$& $1 $$' }, '$& $1 $$'],
  ]
  for (const [template, args, filled] of cases) {
    it(`fills '${template}' by ${JSON.stringify(args)}`, () => {
      assert.equal(fill(template, args), filled)
    })
  }

  it('puts nothing where a declared argument was not given', () => {
    assert.equal(fill('[{a}]', {}, ['a']), '[]')
  })

  it('leaves the name of what is neither declared nor given', () => {
    assert.equal(fill('{toString} {__proto__}', {}, []), '{toString} {__proto__}')
  })

  // `args[name]` finds the prototype's members where the caller gave none.
  for (const name of ['constructor', 'toString', '__proto__']) {
    it(`puts nothing where a declared ${name} was not given`, () => {
      assert.equal(fill(`[{${name}}]`, {}, [name]), '[]')
    })
  }

  it('leaves the name of what was given and is not declared', () => {
    assert.equal(fill('{"k":1} {a}', { '"k":1': 'x', a: 'y' }, []), '{"k":1} {a}')
  })

  it('puts in an argument called __proto__', () => {
    const args: object = JSON.parse('{"__proto__":"x"}')
    assert.equal(fill('{__proto__}', args, ['__proto__']), 'x')
  })

  it('fills texts of resources and of structuredContent, values not keys', () => {
    const result: CallToolResult = {
      content: [{ type: 'resource', resource: { uri: 'x:{a}', text: '{a}' } }],
      structuredContent: { '{a}': ['{a}', { deep: '{a} {b}' }, 1, null, true] },
    }
    assert.deepEqual(fillResult(result, new Set(['a']), { a: 'x' }), {
      content: [{ type: 'resource', resource: { uri: 'x:{a}', text: 'x' } }],
      structuredContent: { '{a}': ['x', { deep: 'x {b}' }, 1, null, true] },
    })
  })

  it('leaves everything else as it is stored', () => {
    const result = {
      content: [
        { type: 'text', text: 'x', annotations: { priority: 1 }, later: '{a}' },
        { type: 'image', data: 'AA==', mimeType: 'image/{a}' },
        { type: 'resource_link', uri: 'x:{a}', name: '{a}' },
        { type: 'resource', resource: { uri: 'x:', blob: 'AA==' } },
      ],
      isError: true,
      _meta: { x: '{a}' },
      later: '{a}',
    } satisfies CallToolResult
    assert.deepEqual(fillResult(result, new Set(['a']), { a: 'x' }), result)
  })

  for (const structuredContent of [null, 0, false, '', []]) {
    it(`keeps a structuredContent of ${JSON.stringify(structuredContent)}`, () => {
      const filled = fillResult({ content: [], structuredContent }, new Set(), {})
      assert.deepEqual(filled, { content: [], structuredContent })
    })
  }

  it('does not change the stored result', () => {
    const stored = { content: [{ type: 'text' as const, text: '{a}' }], structuredContent: ['{a}'] }
    fillResult(stored, new Set(['a']), { a: 'x' })
    assert.deepEqual(stored, {
      content: [{ type: 'text', text: '{a}' }],
      structuredContent: ['{a}'],
    })
  })
})
