import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { concat, decodeUtf8, encodeUtf8 } from '../../src/protocol/bytes.ts'

const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))

describe('decodeUtf8', () => {
  for (const text of ['', 'a', 'grüß', '日本語', '👩‍👩‍👧', 'a\u2028b', '\u202eRTL']) {
    it(`gives ${JSON.stringify(text)} back from its bytes`, () => {
      assert.equal(decodeUtf8(encodeUtf8(text)), text)
    })
  }

  it('leaves a byte order mark out', () => {
    assert.equal(decodeUtf8(hex('efbbbf7b7d')), '{}')
  })

  for (const bytes of ['ff', 'c3', 'c0af', 'eda080', 'f4908080', 'fffe7b00']) {
    it(`finds ${bytes} to be no UTF-8`, () => {
      assert.equal(decodeUtf8(hex(bytes)), undefined)
    })
  }
})

describe('concat', () => {
  it('puts parts together in order, empty ones and none too', () => {
    assert.deepEqual(concat([]), new Uint8Array())
    assert.deepEqual(concat([hex('01'), hex(''), hex('0203')]), hex('010203'))
  })

  it('takes just the stretch that a part shows', () => {
    assert.deepEqual(concat([hex('01020304').subarray(1, 3)]), hex('0203'))
  })
})
