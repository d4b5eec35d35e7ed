import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { plainKv, strictKv, type Kv } from '../../src/catalog/kv-door.ts'
import { encodeUtf8 } from '../../src/protocol/bytes.ts'
import type { SealKey } from '../../src/sealing/seal-keys.ts'
import { startKv } from '../support/kv.ts'

const K1: SealKey = { id: 'k1', bytes: new Uint8Array(32).fill(1) }
const K2: SealKey = { id: 'k2', bytes: new Uint8Array(32).fill(2) }
const nameKey = new Uint8Array(32).fill(9)

const KEY = 'server:a1b2c3d4e5f6a1b2'
const OTHER = 'server:b1b2c3d4e5f6a1b2'
const VALUE = encodeUtf8('a list of tools')
const STAMP = { organization: 'org_acme', revision: 7 }

describe('The door to KV', () => {
  let namespace: KVNamespace
  let close: () => Promise<void>
  let strict: Kv
  const names = async () => (await namespace.list()).keys
  const bytesAt = async (name = '') =>
    new Uint8Array((await namespace.get(name, 'arrayBuffer')) ?? new ArrayBuffer())
  /** The name that a key has in a strict deployment. */
  const nameOf = async (key: string) => {
    const had = new Set((await names()).map(({ name }) => name))
    await strict.put(key, VALUE)
    return (await names()).find(({ name }) => !had.has(name))?.name ?? ''
  }

  before(async () => {
    const started = await startKv()
    namespace = started.kv
    close = started.close
    strict = strictKv(namespace, { sealKeys: [K1], nameKey })
  })
  after(() => close())
  beforeEach(async () => {
    for (const { name } of await names()) await namespace.delete(name)
  })

  for (const kind of ['plain', 'strict'] as const) {
    const door = () => (kind === 'plain' ? plainKv(namespace) : strict)

    it(`reads what was put, and nothing where nothing was: ${kind}`, async () => {
      assert.equal(await door().read(KEY), undefined)
      await door().put(KEY, VALUE, { stamp: STAMP })
      assert.deepEqual(await door().read(KEY), VALUE)
    })

    it(`leaves a value unread whose stamp is known, and no other: ${kind}`, async () => {
      await door().put(KEY, VALUE, { stamp: STAMP })
      assert.equal(await door().read(KEY, STAMP), 'known')
      assert.deepEqual(await door().read(KEY, { ...STAMP, revision: 6 }), VALUE)
      assert.deepEqual(await door().read(KEY, { ...STAMP, organization: 'org_other' }), VALUE)
      await door().put(KEY, VALUE)
      assert.deepEqual(await door().read(KEY, STAMP), VALUE)
    })

    it(`lets a value expire when it was told to: ${kind}`, async () => {
      const now = Date.now() / 1000
      await door().put(KEY, VALUE, { expirationTtl: 3600 })
      const [stored] = await names()
      assert.ok(Math.abs((stored?.expiration ?? 0) - now - 3600) < 60)
    })
  }

  it('stores as it is told where it is plain', async () => {
    await plainKv(namespace).put(KEY, VALUE, { stamp: STAMP })
    const [stored] = await names()
    assert.deepEqual([stored?.name, stored?.metadata], [KEY, STAMP])
    assert.equal(await namespace.get(KEY), 'a list of tools')
  })

  it('stores an HMAC, an envelope and a tag where it is strict', async () => {
    await strict.put(KEY, VALUE, { stamp: STAMP })
    const [stored, ...more] = await names()
    assert.deepEqual(more, [])
    assert.match(stored?.name ?? '', /^[0-9a-f]{64}$/)
    assert.equal((await bytesAt(stored?.name))[0], 1)
    assert.match(JSON.stringify(stored?.metadata), /^{"tag":"[0-9a-f]{64}"}$/)
  })

  it('names a key and a stamp alike under every sealing key, and otherwise under another name key', async () => {
    await strict.put(KEY, VALUE, { stamp: STAMP })
    const rotated = strictKv(namespace, { sealKeys: [K2, K1], nameKey })
    assert.equal(await rotated.read(KEY, STAMP), 'known')
    assert.deepEqual([strict.sealedBy, rotated.sealedBy], ['k1', 'k2'])
    const elsewhere = strictKv(namespace, { sealKeys: [K1], nameKey: K1.bytes })
    assert.equal(await elsewhere.read(KEY), undefined)
  })

  it('is shut to what was sealed by a key that is gone', async () => {
    await strict.put(KEY, VALUE)
    const rotated = strictKv(namespace, { sealKeys: [K2], nameKey })
    assert.equal(await rotated.read(KEY), 'shut')
  })

  it('is shut to what was moved, cut, forged or never sealed, and does not know its stamp', async () => {
    await strict.put(KEY, VALUE, { stamp: STAMP })
    const [stored] = await names()
    const name = stored?.name ?? ''
    const sealed = await bytesAt(name)
    const metadata = stored?.metadata as object
    const other = await nameOf(OTHER)
    await namespace.put(other, sealed, { metadata })
    assert.equal(await strict.read(OTHER, STAMP), 'shut')
    for (const wrong of [
      sealed.slice(0, -1),
      sealed.map((byte) => byte ^ 1),
      VALUE,
      new Uint8Array(),
    ]) {
      await namespace.put(name, wrong)
      assert.equal(await strict.read(KEY, STAMP), 'shut')
    }
  })
})
