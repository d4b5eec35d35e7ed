import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  allItems,
  createOrganization,
  createServer,
  inOrganization,
  refusal,
  untilPublished,
  wrongFields,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { SEAL_KEYS, startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'
import { dumpDatabase, dumpKv, inDatabase } from '../support/storage.ts'

const VALUE = 'hush-hush-sweet-secret'
const K2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`

describe('secrets', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const put = (name: string, value: unknown, headers = {}) =>
    rollcall.admin('PUT', `/secrets/${name}`, { value }, headers)
  const sealedOf = async (name: string) => {
    const rows = await inDatabase(rollcall, `SELECT sealed FROM secrets WHERE name = '${name}'`)
    return String(rows[0]?.['sealed'])
  }

  it('stores a secret, and replaces it', async () => {
    const made = await put('API_KEY', VALUE)
    assert.deepEqual([made.status, made.text], [201, ''])
    const first = await sealedOf('API_KEY')
    assert.match(first, /^v1\.k1\./)
    assert.equal((await put('API_KEY', VALUE)).status, 204)
    assert.notEqual(await sealedOf('API_KEY'), first)
  })

  it('lists secrets by name and time alone', async () => {
    for (const name of ['b.b', 'a-a', 'C_C']) await put(name, VALUE)
    const { text, json } = await rollcall.admin('GET', '/secrets')
    assert.deepEqual(
      json.items.map(({ name }: { name: string }) => name),
      ['API_KEY', 'C_C', 'a-a', 'b.b'],
    )
    for (const item of json.items) {
      assert.deepEqual(Object.keys(item), ['name', 'label', 'createdAt', 'updatedAt'])
    }
    assert.ok(!text.includes(VALUE))
    assert.deepEqual(await allItems(rollcall, '/secrets', 1), json.items)
    assert.equal((await rollcall.admin('GET', '/secrets/API_KEY')).status, 405)
  })

  it('deletes a secret', async () => {
    await put('short-lived', VALUE)
    assert.equal((await rollcall.admin('DELETE', '/secrets/short-lived')).status, 204)
    const again = await rollcall.admin('DELETE', '/secrets/short-lived')
    assert.deepEqual(refusal(again), { status: 404, code: 'secret_not_found' })
    assert.equal((await put('short-lived', VALUE)).status, 201)
  })

  it('names what is wrong with a secret', async () => {
    assert.deepEqual(wrongFields(await put('no%20name', VALUE)), ['name'])
    assert.deepEqual(wrongFields(await put('n'.repeat(65), VALUE)), ['name'])
    for (const value of ['', 7, null, 'v'.repeat(64 * 1024 + 1)]) {
      assert.deepEqual(wrongFields(await put('wrong', value)), ['value'])
    }
    const answer = await rollcall.admin('PUT', '/secrets/wrong', { value: VALUE, more: 1 })
    assert.deepEqual(wrongFields(answer), ['more'])
    assert.ok(!answer.text.includes(VALUE))
  })

  it('keeps the value nowhere in the clear', async () => {
    const { id } = await createServer(rollcall, serverFile('Beside'))
    await untilPublished(rollcall, id)
    const stored = await dumpDatabase(rollcall)
    assert.ok(stored.includes('API_KEY'))
    const kv = JSON.stringify([...(await dumpKv(rollcall))])
    const audit = await rollcall.admin('GET', '/audit?limit=1000')
    const logs = JSON.stringify(rollcall.harness.getLogs())
    for (const form of [
      VALUE,
      btoa(VALUE).replace(/=+$/, ''),
      Buffer.from(VALUE).toString('hex'),
    ]) {
      for (const where of [stored, kv, audit.text, logs]) assert.ok(!where.includes(form))
    }
    const acts = audit.json.items.filter(({ act }: { act: string }) => act.startsWith('secrets.'))
    assert.deepEqual(
      new Set(acts.map(({ act }: { act: string }) => act)),
      new Set(['secrets.put', 'secrets.delete']),
    )
    for (const { detail } of acts) assert.deepEqual(detail, {})
  })

  it('keeps the secrets of two organizations apart', async () => {
    const { id } = await createOrganization(rollcall, 'other')
    assert.equal((await put('API_KEY', 'theirs', inOrganization('other'))).status, 201)
    const { json } = await rollcall.admin('GET', '/secrets', undefined, inOrganization('other'))
    assert.equal(json.items.length, 1)
    assert.ok(!(await dumpDatabase(rollcall, id)).includes('theirs'))
  })

  // The last two: they change the keys of this Rollcall.

  it('seals every secret anew when a new key is put first, by the alarm', async () => {
    const old = await inDatabase(rollcall, 'SELECT * FROM secrets ORDER BY name')
    await useSealKeys(`${K2},${SEAL_KEYS}`)
    assert.equal((await rollcall.admin('GET', '/secrets')).status, 200)
    const rows = await eventually(
      () => inDatabase(rollcall, 'SELECT * FROM secrets ORDER BY name'),
      (secrets) => secrets.every(({ sealed }) => String(sealed).startsWith('v1.k2.')),
    )
    const unsealed = ({ sealed: _, ...rest }: Record<string, unknown>) => rest
    assert.deepEqual(rows.map(unsealed), old.map(unsealed))
    assert.ok(!JSON.stringify(rows).includes(VALUE))
  })

  it('leaves a secret whose key is gone as it is, and seals others on', async () => {
    await useSealKeys(SEAL_KEYS)
    const lost = await sealedOf('API_KEY')
    assert.match(lost, /^v1\.k2\./)
    assert.equal((await put('fresh', VALUE)).status, 201)
    assert.match(await sealedOf('fresh'), /^v1\.k1\./)
    const { id } = await createServer(rollcall, serverFile('After'))
    await untilPublished(rollcall, id)
    assert.equal(await sealedOf('API_KEY'), lost)
    assert.equal((await put('API_KEY', VALUE)).status, 204)
    assert.match(await sealedOf('API_KEY'), /^v1\.k1\./)
  })

  /** Starts the Worker anew with other keys, on what it had stored. */
  async function useSealKeys(keys: string): Promise<void> {
    await rollcall.harness.update(({ workers, ...options }) => ({
      ...options,
      workers: workers.map((worker) =>
        'configPath' in worker
          ? { ...worker, secrets: { ...worker.secrets, SEAL_KEYS: keys } }
          : worker,
      ),
    }))
  }
})
