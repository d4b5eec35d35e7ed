import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createEnvelopes } from '../../src/sealing/envelope.ts'
import type { SealKey, SealKeys } from '../../src/sealing/seal-keys.ts'
import { CannotOpen } from '../../src/sealing/seal.ts'
import { encodeUtf8 } from '../../src/protocol/bytes.ts'

const key = (id: string, byte: number): SealKey => ({ id, bytes: new Uint8Array(32).fill(byte) })
const K1: SealKeys = [key('k1', 1)]
const PATH = ['server:a1b2']
const PLAIN = encodeUtf8('{"tools":[]}\n')

const seal = (keys: SealKeys, path = PATH) => createEnvelopes(keys, 'kv').seal(path, PLAIN)
const open = (keys: SealKeys, envelope: Uint8Array<ArrayBuffer>, path = PATH, purpose = 'kv') =>
  createEnvelopes(keys, purpose).open(path, envelope)

describe('An envelope of bytes', () => {
  it('opens in its place with the key it was sealed with, also after that stopped sealing', async () => {
    const envelope = await seal(K1)
    assert.deepEqual(await open(K1, envelope), PLAIN)
    assert.deepEqual(await open([key('k2', 2), ...K1], envelope), PLAIN)
  })

  it('begins with its version and the id of the first key, and adds 32 bytes to them', async () => {
    const envelope = await seal([key('k2', 2), ...K1])
    assert.deepEqual([...envelope.subarray(0, 4)], [1, 2, ...encodeUtf8('k2')])
    assert.equal(envelope.length, 4 + 12 + PLAIN.length + 16)
    assert.notDeepEqual(await seal(K1), await seal(K1))
  })

  it('holds nothing, and opens again', async () => {
    const envelopes = createEnvelopes(K1, 'kv')
    assert.equal(
      (await envelopes.open(PATH, await envelopes.seal(PATH, new Uint8Array()))).length,
      0,
    )
  })

  it('is refused with any byte flipped, also where the id becomes that of the same key', async () => {
    const envelope = await seal(K1)
    // Each id that one flipped bit makes of k1, as the same bytes: the id itself is bound too.
    const bits = Array.from({ length: 7 }, (_, bit) => 1 << bit)
    const neighbours = bits.flatMap((bit) => [
      key(String.fromCharCode(107 ^ bit, 49), 1),
      key(String.fromCharCode(107, 49 ^ bit), 1),
    ])
    for (let at = 0; at < envelope.length; at++) {
      for (const bit of [...bits, 128]) {
        const flipped = envelope.slice()
        flipped[at] = (flipped[at] ?? 0) ^ bit
        await assert.rejects(open([...K1, ...neighbours], flipped), CannotOpen, `byte ${at}`)
      }
    }
  })

  it('is refused when it is cut or longer, at any length', async () => {
    const envelope = await seal(K1)
    for (let length = 0; length < envelope.length; length++) {
      await assert.rejects(open(K1, envelope.slice(0, length)), CannotOpen, `${length} bytes`)
    }
    await assert.rejects(open(K1, Uint8Array.from([...envelope, 0])), CannotOpen)
  })

  it('is refused in another place, for another purpose, and with another key of its name', async () => {
    const envelope = await seal(K1)
    await assert.rejects(open(K1, envelope, ['server:a1b3']), CannotOpen)
    await assert.rejects(open(K1, envelope, PATH, 'secrets'), CannotOpen)
    await assert.rejects(open([key('k1', 2)], envelope), CannotOpen)
    await assert.rejects(open([key('k2', 1)], envelope), CannotOpen)
  })

  it('is not what was never sealed', async () => {
    await assert.rejects(open(K1, PLAIN), CannotOpen)
  })
})
