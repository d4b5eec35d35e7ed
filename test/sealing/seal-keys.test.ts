import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SealKeys } from '../../src/sealing/seal-keys.ts'

const base64 = (fill: number, bytes = 32) => Buffer.alloc(bytes, fill).toString('base64')
const K1 = base64(1)
const K2 = base64(250)

describe('SealKeys', () => {
  const good: [string, string, string[]][] = [
    ['one key', `k1:${K1}`, ['k1']],
    ['two keys in their order', `k2:${K2},k1:${K1}`, ['k2', 'k1']],
    ['spaces and line ends around the keys', ` k2:${K2} ,\n\tk1:${K1}\n`, ['k2', 'k1']],
    ['a key without padding', `k1:${K1.replace(/=+$/, '')}`, ['k1']],
    ['ids with a hyphen, a line and capitals', `A-b_9:${K1}`, ['A-b_9']],
  ]
  for (const [what, text, ids] of good) {
    it(`reads ${what}`, () => {
      const keys = SealKeys.parse(text)
      assert.deepEqual(
        keys.map(({ id }) => id),
        ids,
      )
      assert.ok(keys.every(({ bytes }) => bytes.length === 32))
    })
  }

  it('reads the bytes of a key', () => {
    assert.deepEqual(SealKeys.parse(`k:${K2}`)[0].bytes, new Uint8Array(32).fill(250))
  })

  const SECRET = base64(77)
  const bad: [string, string, RegExp][] = [
    ['nothing', '', /key 1/],
    ['a key without id', SECRET, /key 1/],
    ['a second key without id', `k1:${K1},${SECRET}`, /key 2/],
    ['an id and key the wrong way round', `${SECRET}:k1`, /key 1/],
    ['a dot in an id', `k.1:${SECRET}`, /key 1/],
    ['a comma at the end', `k1:${SECRET},`, /key 2/],
    ['a key in hex', `k1:${Buffer.alloc(32, 77).toString('hex')}`, /"k1"/],
    ['a key in base64url', `k1:${base64(255).replaceAll('/', '_')}`, /key 1/],
    ['a key of 16 bytes', `k1:${base64(77, 16)}`, /"k1" must be 32 bytes/],
    ['a key of 33 bytes', `k0:${K1},k1:${base64(77, 33)}`, /"k1" must be 32 bytes/],
    ['base64 that is cut', `k1:${SECRET.slice(0, -3)}`, /"k1" must be 32 bytes/],
    ['an id twice', `k1:${K1},k1:${SECRET}`, /"k1" stands twice/],
  ]
  for (const [what, text, message] of bad) {
    it(`refuses ${what}, naming its place and nothing of its value`, () => {
      const { success, error } = SealKeys.safeParse(text)
      assert.equal(success, false)
      const told = JSON.stringify(error?.issues) + String(error)
      assert.match(told.replaceAll('\\', ''), message)
      for (const secret of text.match(/[A-Za-z0-9+/]{20,}/g) ?? []) {
        assert.ok(!told.includes(secret), 'the answer holds a key')
      }
    })
  }

  it('refuses what is no text', () => {
    for (const value of [undefined, null, 1, [`k1:${K1}`]]) {
      assert.equal(SealKeys.safeParse(value).success, false)
    }
  })
})
