import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listedTool } from '../../../src/surfaces/convai/listed-tool.ts'

const BARE = { name: 'a', inputSchema: { type: 'object' } }
const WHOLE = {
  ...BARE,
  title: 'A',
  description: '',
  outputSchema: { type: 'object', properties: {} },
  annotations: { title: 'A', readOnlyHint: true, destructiveHint: false, odd: null },
  icons: [
    { src: 'https://a.example/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' },
  ],
  execution: { taskSupport: 'optional' },
  _meta: { 'a.example/x': [null, 1] },
}

const REPAIRED: [what: string, members: object, expected: object][] = [
  ['members that are null', { title: null, description: null, _meta: null, icons: null }, {}],
  ['members that MCP does not know', { input_schema: {}, score: 1 }, {}],
  ['texts that are none', { title: 1, description: ['a'] }, {}],
  ['objects that are none', { outputSchema: [], _meta: 'x', execution: 1, annotations: [] }, {}],
  [
    'hints that are no booleans',
    { annotations: { readOnlyHint: 'true', idempotentHint: 1, openWorldHint: true, title: 2 } },
    { annotations: { openWorldHint: true } },
  ],
  [
    'icons without src, and what is wrong in others',
    { icons: [{}, 'x', { src: 1 }, { src: 'y', sizes: '48x48', theme: 'blue', mimeType: null }] },
    { icons: [{ src: 'y' }] },
  ],
  [
    'another task support',
    { execution: { taskSupport: 'maybe', other: 1 } },
    { execution: { other: 1 } },
  ],
]

describe('listedTool', () => {
  it('keeps every member that MCP gives a tool, and adds none', () => {
    assert.deepEqual(listedTool(WHOLE), WHOLE)
    assert.deepEqual(listedTool(BARE), BARE)
  })

  for (const [what, members, expected] of REPAIRED) {
    it(`leaves out ${what}`, () => {
      assert.deepEqual(listedTool({ ...BARE, ...members }), { ...BARE, ...expected })
    })
  }

  for (const item of [
    null,
    'a',
    [],
    { inputSchema: {} },
    { name: '', inputSchema: {} },
    { name: 1, inputSchema: {} },
    { name: 'a' },
    { name: 'a', inputSchema: null },
    { name: 'a', inputSchema: [] },
    { name: 'a', inputSchema: true },
  ]) {
    it(`sees no tool in ${JSON.stringify(item)}`, () => {
      assert.equal(listedTool(item), undefined)
    })
  }

  it('takes names that objects have by themselves for members like others', () => {
    const inputSchema = JSON.parse('{"__proto__":{"a":1},"constructor":{}}') as object
    const tool = listedTool({ name: 'constructor', inputSchema })
    assert.equal(JSON.stringify(tool), JSON.stringify({ name: 'constructor', inputSchema }))
  })
})
