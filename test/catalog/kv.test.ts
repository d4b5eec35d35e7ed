import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Catalog } from '../../src/catalog/catalog.ts'
import { plainKv, type Kv } from '../../src/catalog/kv-door.ts'
import { readServer, readSmall, serverKey, revisionKey } from '../../src/catalog/kv.ts'
import { formatTombstone, UnreadablePublished } from '../../src/catalog/published.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { ORGANIZATION, publishedBytes, SERVER_ID } from '../support/catalogs.ts'
import { startKv } from '../support/kv.ts'
import { serverFile, tool } from '../support/servers.ts'

const FILE = serverFile('One', [tool('a')])
const KEY = serverKey(SERVER_ID)

describe('readServer', () => {
  let close: () => Promise<void>
  let kv: Kv
  const put = (bytes: Uint8Array, revision: number, organization = ORGANIZATION) =>
    kv.put(KEY, bytes as Uint8Array<ArrayBuffer>, { stamp: { organization, revision } })
  const read = async (known?: Catalog) => {
    const found = await readServer(kv, KEY, known, new BoundedMap(1000))
    assert(found !== 'shut')
    return found
  }

  before(async () => {
    const started = await startKv()
    kv = plainKv(started.kv)
    close = started.close
  })
  after(() => close())

  it('finds nothing where nothing was put', async () => {
    assert.equal(
      await readServer(kv, serverKey('0'.repeat(16)), undefined, new BoundedMap(1)),
      undefined,
    )
    assert.equal(await readSmall(kv, 'vanity:none', JSON.parse), undefined)
  })

  it('reads a server', async () => {
    await put(publishedBytes(FILE, 3), 3)
    const first = await read()
    assert.ok(first?.value instanceof Catalog)
    assert.equal(first.value.revision, 3)
    assert.equal(first.bytes, first.value.bytes)
  })

  it('reads the body where the known one is of another revision or organization', async () => {
    await put(publishedBytes(FILE, 3), 3)
    const known = (await read())?.value
    assert.ok(known instanceof Catalog)
    await put(publishedBytes(FILE, 4), 4)
    assert.equal((await read(known))?.value.revision, 4)
    await put(publishedBytes(FILE, 3), 3, 'org_other')
    assert.notEqual((await read(known))?.value, known)
  })

  it('reads a tombstone', async () => {
    await put(formatTombstone({ organization: ORGANIZATION, id: SERVER_ID, revision: 5 }), 5)
    const gone = (await read())?.value
    assert.ok(gone !== undefined && 'deleted' in gone)
    assert.equal(gone.revision, 5)
  })

  it('throws for a value that is not what we write', async () => {
    await put(publishedBytes(FILE, 6).slice(0, -1), 6)
    await assert.rejects(read(), UnreadablePublished)
  })

  it('keeps a revision under a key of its own', () => {
    assert.equal(KEY, 'server:a1b2c3d4e5f6a1b2')
    assert.equal(revisionKey(SERVER_ID, 7), 'server:a1b2c3d4e5f6a1b2:7')
  })
})
