import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { CallToolResult, Tool } from '../../src/protocol/tool.ts'

const parse = (text: string) => Tool.parse(JSON.parse(text))

describe('Tool', () => {
  it('§9.2 #54: keeps members and schema keywords it does not know', () => {
    const text = `{"name":"a","x":1,"_meta":{"a/b":[null]},"inputSchema":{"type":"object","$defs":
      {"x":{"$anchor":"y"}},"if":{},"properties":{"a":{"anyOf":[true,{"$ref":"#y"}]},"b":false}},
      "annotations":{"readOnlyHint":true,"later":1},"icons":[{"src":"data:,","later":1}]}`
    assert.deepEqual(parse(text), JSON.parse(text))
  })

  const bad: [string, string][] = [
    ['no inputSchema', '{"name":"a"}'],
    ['an inputSchema of null', '{"name":"a","inputSchema":null}'],
    ['an inputSchema that is true', '{"name":"a","inputSchema":true}'],
    ['an inputSchema without type', '{"name":"a","inputSchema":{}}'],
    ['an inputSchema of arrays', '{"name":"a","inputSchema":{"type":"array"}}'],
    [
      'a property that is text',
      '{"name":"a","inputSchema":{"type":"object","properties":{"x":""}}}',
    ],
    ['a name that is a number', '{"name":1,"inputSchema":{"type":"object"}}'],
    ['an outputSchema of text', '{"name":"a","inputSchema":{"type":"object"},"outputSchema":"x"}'],
    [
      'a hint of text',
      '{"name":"a","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":""}}',
    ],
    [
      'taskSupport sometimes',
      '{"name":"a","inputSchema":{"type":"object"},"execution":{"taskSupport":"x"}}',
    ],
  ]
  for (const [what, text] of bad) {
    it(`is not ${what}`, () => {
      assert.equal(Tool.safeParse(JSON.parse(text)).success, false)
    })
  }
})

describe('CallToolResult', () => {
  const blocks = [
    '{"type":"text","text":"","annotations":{"priority":1},"later":1}',
    '{"type":"image","data":"AA==","mimeType":"image/png"}',
    '{"type":"audio","data":"","mimeType":"audio/wav"}',
    '{"type":"resource","resource":{"uri":"a:b","text":"","mimeType":"text/plain"}}',
    '{"type":"resource","resource":{"uri":"a:b","blob":"AAAA"}}',
    '{"type":"resource_link","uri":"a:b","name":"n","size":1}',
  ]
  for (const block of blocks) {
    it(`takes ${block} and keeps all of it`, () => {
      const result = { content: [JSON.parse(block)] }
      assert.deepEqual(CallToolResult.parse(result), result)
    })
  }

  const bad = [
    '{"type":"video","data":"AA==","mimeType":"video/mp4"}',
    '{"text":"no type"}',
    '{"type":"text"}',
    '{"type":"image","data":"%","mimeType":"image/png"}',
    '{"type":"image","data":"AA==","mimeType":1}',
    '{"type":"resource","resource":{"uri":"a:b"}}',
    '{"type":"resource_link","uri":"a:b"}',
    'null',
  ]
  for (const block of bad) {
    it(`refuses ${block}`, () => {
      assert.equal(CallToolResult.safeParse({ content: [JSON.parse(block)] }).success, false)
    })
  }

  it('takes an empty content, but not none', () => {
    assert.equal(CallToolResult.safeParse({ content: [] }).success, true)
    assert.equal(CallToolResult.safeParse({ structuredContent: {} }).success, false)
  })

  for (const structuredContent of [null, 0, false, '', [], {}]) {
    it(`keeps a structuredContent of ${JSON.stringify(structuredContent)}`, () => {
      const result = { content: [], structuredContent }
      assert.deepEqual(CallToolResult.parse(result), result)
    })
  }
})
