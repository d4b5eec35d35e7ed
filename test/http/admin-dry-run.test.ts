/** `?dryRun=true`: a write that is checked like any, answers the file it would leave, and is none. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOrganization,
  createServer,
  inOrganization,
  refusal,
  revisionOf,
  wrongFields,
} from '../support/admin.ts'
import { applySnapshot, remoteFile, remoteTool, snapshot } from '../support/remotes.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { prompt, serverFile, tool } from '../support/servers.ts'
import { dumpDatabase } from '../support/storage.ts'

const OTHER = inOrganization('other')

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall()
  await createOrganization(rollcall, 'other')
})
after(() => rollcall.close())

const put = (id: string, file: object, query = '', headers = {}) =>
  rollcall.admin('PUT', `/servers/${id}${query}`, file, headers)
const dryPut = (id: string, file: object, headers = {}) => put(id, file, '?dryRun=true', headers)
const create = (file: object, headers = {}) => rollcall.admin('POST', '/servers', file, headers)
const dryCreate = (file: object, headers = {}) =>
  rollcall.admin('POST', '/servers?dryRun=true', file, headers)
const exported = async (id: string) => (await rollcall.admin('GET', `/servers/${id}/export`)).text
const answered = ({ status, text }: Answer) => {
  assert.equal(status, 200, text)
  return text
}

describe('PUT /servers/:id?dryRun=true', () => {
  it('answers what export writes after the write, byte for byte, and writes nothing', async () => {
    const near = '00000000000000a1'
    const far = '00000000000000a2'
    const sorted = [tool('c', { sortOrder: 5 }), tool('a', { sortOrder: 1 }), tool('b')]
    const { remote } = remoteFile('x')
    const files: [id: string, file: object][] = [
      [near, serverFile('Near', sorted, { kind: 'hosted', hosted: true, prompts: [prompt('p')] })],
      [near, serverFile(' Renamed ', [tool('d', { sortOrder: 1 }), ...sorted], { ttlMs: 5 })],
      [near, serverFile('Renamed', [], { slug: 'elsewhere', vanity: true })],
      [far, remoteFile('Far', { overrides: { b: { title: 'B', status: 'active' }, a: {} } })],
      [far, remoteFile('Far', { hosted: false, remote: { ...remote, refreshSeconds: 30 } })],
    ]
    for (const [id, file] of files) {
      const was = await rollcall.admin('GET', `/servers/${id}/export`)
      const dry = answered(await dryPut(id, file))
      const still = await rollcall.admin('GET', `/servers/${id}/export`)
      assert.deepEqual([still.status, still.text], [was.status, was.text])
      assert.ok((await put(id, file)).status < 300)
      assert.equal(dry, await exported(id))
    }
  })

  it('leaves no trace in the database, and no name in the Directory', async () => {
    const { id } = await createServer(rollcall, serverFile('Kept', [tool('a')]), OTHER)
    const organization = (await rollcall.admin('GET', '/organizations/other')).json.id
    const count = async () => {
      const dump = JSON.parse(await dumpDatabase(rollcall, organization))
      return dump.map((rows: object[]) => rows.length)
    }
    const rows = await count()
    const fresh = '00000000000000b1'
    const vain = { slug: 'wished', vanity: true }
    answered(await dryPut(id, serverFile('Kept', [tool('b')], vain), OTHER))
    answered(await dryPut(fresh, serverFile('Fresh', [tool('c')], { slug: 'free' }), OTHER))
    answered(await dryCreate(serverFile('Fresh', [tool('c')], { slug: 'free' }), OTHER))
    assert.deepEqual(await count(), rows)
    const { json } = await rollcall.admin('GET', '/audit', undefined, OTHER)
    assert.ok(json.items.every(({ act }: { act: string }) => act !== 'servers.rehearse'))
    // Another organization can have both names at once.
    const made = await put(fresh, serverFile('Fresh', [], vain))
    assert.equal(made.status, 201, made.text)
  })

  it('refuses what the write refuses, in the same words', async () => {
    const auth = { type: 'bearer', token: { secret: 'token' } }
    const { remote } = remoteFile('x')
    const { id } = await createServer(rollcall, serverFile('Stands', [tool('a')]))
    const far = await createServer(rollcall, remoteFile('Read'))
    await applySnapshot(rollcall, far.id, snapshot([remoteTool('a'), remoteTool('b')]))
    await createServer(rollcall, serverFile('Holder', [], { slug: 'mine', vanity: true }), OTHER)
    const theirs = await createServer(rollcall, serverFile('Theirs'), OTHER)
    await createServer(rollcall, serverFile('Taken', [], { slug: 'taken' }))
    const stale = { 'if-match': '"7"' }
    const handler = { kind: 'http', url: 'https://api.example.com/', auth }
    const refused: [id: string, file: object, status: number, headers?: object][] = [
      [id, { name: 7, tools: [{}] }, 422],
      [id, serverFile('Other id', [], { id: '00000000000000c9' }), 422],
      [id, remoteFile('Other kind'), 422],
      [id, serverFile('Open', [tool('a', { handler })]), 422],
      [id, remoteFile('Open', { remote: { ...remote, auth } }), 422],
      [far.id, remoteFile('Read', { overrides: { a: { name: 'b' } } }), 422],
      ['short', serverFile('No id'), 422],
      [id, serverFile('Slug', [], { slug: 'taken' }), 409],
      [id, serverFile('Vain', [], { slug: 'mine', vanity: true }), 409],
      [theirs.id, serverFile('Mine now'), 409],
      [id, serverFile('Stale'), 412, stale],
      [id, serverFile('Nobody'), 404, inOrganization('nobody')],
    ]
    for (const [at, file, status, headers = {}] of refused) {
      const dry = await dryPut(at, file, headers)
      assert.equal(dry.status, status, dry.text)
      const wet = await put(at, file, '', headers)
      assert.deepEqual([wet.status, wet.json], [dry.status, dry.json])
    }
    assert.equal(await revisionOf(rollcall, id), 1)
  })

  it('checks the revision it is meant for, 0 where there is to be none', async () => {
    const id = '00000000000000d1'
    answered(await dryPut(id, serverFile('Fresh one'), { 'if-match': '"0"' }))
    await put(id, serverFile('Fresh one'))
    answered(await dryPut(id, serverFile('Fresh one'), { 'if-match': '"1"' }))
    const stale = await dryPut(id, serverFile('Fresh one'), { 'if-match': '"0"' })
    assert.deepEqual(refusal(stale), { status: 412, code: 'revision_moved' })
  })

  it('is a write where it says false, and refused where it says neither', async () => {
    const id = '00000000000000d2'
    const file = serverFile('Said')
    assert.deepEqual(wrongFields(await put(id, file, '?dryRun=yes')), ['dryRun'])
    assert.deepEqual(wrongFields(await put(id, file, '?dryRun=')), ['dryRun'])
    assert.equal((await put(id, file, '?dryRun=false')).status, 201)
  })
})

describe('POST /servers?dryRun=true', () => {
  it('answers the file with the slug it would get, and an id only where the file has one', async () => {
    await createServer(rollcall, serverFile('Named alike'))
    const file = serverFile('Named alike', [tool('a')])
    const dry = JSON.parse(answered(await dryCreate(file)))
    assert.deepEqual([dry.id, dry.slug], [undefined, 'named-alike-2'])
    const { id } = await createServer(rollcall, file)
    assert.deepEqual({ id, ...dry }, JSON.parse(await exported(id)))

    const chosen = { ...serverFile('Chosen'), id: '00000000000000e1' }
    const text = answered(await dryCreate(chosen))
    assert.equal((await create(chosen)).status, 201)
    assert.equal(text, await exported(chosen.id))
    assert.deepEqual(refusal(await dryCreate(chosen)), { status: 409, code: 'server_id_taken' })
  })
})
