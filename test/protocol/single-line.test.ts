import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodeUtf8 } from '../../src/protocol/bytes.ts'
import { singleLine, singleLineBytes } from '../../src/protocol/single-line.ts'

const CASES: readonly [string, string][] = [
  ['', ''],
  ['{"a":"plain"}', '{"a":"plain"}'],
  ['{"a":"\u2028"}', String.raw`{"a":"\u2028"}`],
  ['{"a":"x\u2029y\u0085"}', String.raw`{"a":"x\u2029y\u0085"}`],
  ['{"\u2028\u2028":"\u0085\u0085"}', String.raw`{"\u2028\u2028":"\u0085\u0085"}`],
  ['{"a":"é \u00a0 \u2026 \u202a 😀 \u2027"}', '{"a":"é \u00a0 \u2026 \u202a 😀 \u2027"}'],
  [JSON.stringify({ a: '\n\r\u2028' }), String.raw`{"a":"\n\r\u2028"}`],
]

describe('singleLine', () => {
  for (const [json, line] of CASES) {
    it(`writes ${JSON.stringify(json)} as ${JSON.stringify(line)}`, () => {
      assert.equal(singleLine(json), line)
      assert.equal(new TextDecoder().decode(singleLineBytes(encodeUtf8(json))), line)
      if (json !== '') assert.deepEqual(JSON.parse(line), JSON.parse(json))
    })
  }

  it('gives the very bytes where nothing is to be escaped, also where they end in half of it', () => {
    for (const bytes of [encodeUtf8('{"a":1}'), Uint8Array.of(0xe2, 0x80), Uint8Array.of(0xc2)]) {
      assert.equal(singleLineBytes(bytes), bytes)
    }
  })
})
