import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  allItems,
  createKey,
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
  refusal,
  wrongFields,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const NOT_FOUND = { status: 404, code: 'organization_not_found' }
const NAME_TAKEN = { status: 409, code: 'name_taken' }

describe('organizations', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const create = (body: object) => rollcall.admin('POST', '/organizations', body)
  const get = (id: string) => rollcall.admin('GET', `/organizations/${id}`)
  const rename = (id: string, name: string) =>
    rollcall.admin('PATCH', `/organizations/${id}`, { name })
  const remove = (id: string) => rollcall.admin('DELETE', `/organizations/${id}`)
  const servers = (name: string) =>
    rollcall.admin('GET', '/servers', undefined, inOrganization(name))
  const createWhenFree = (name: string) =>
    eventually(
      () => create({ name }),
      ({ status }) => status !== 409,
    )

  it('makes an organization, found by id and by name', async () => {
    const { status, headers, json } = await create({ name: 'acme', locationHint: 'weur' })
    assert.equal(status, 201)
    assert.match(json.id, /^org_[0-9a-f]{20}$/)
    assert.equal(headers.get('location'), `/api/v1/organizations/${json.id}`)
    const { id, createdAt, updatedAt, ...rest } = json
    assert.deepEqual(rest, { name: 'acme', status: 'active', revision: 1 })
    assert.equal(createdAt, updatedAt)
    for (const name of [id, 'acme']) assert.deepEqual((await get(name)).json, json)
    const { json: audit } = await rollcall.admin('GET', '/audit', undefined, inOrganization('acme'))
    const [{ act, target, detail }] = audit.items
    assert.deepEqual([act, target, detail], ['organizations.create', id, { name: 'acme' }])
  })

  it('answers 404 for an organization that is not there', async () => {
    for (const id of ['nobody', 'org_00000000000000000000']) {
      assert.deepEqual(refusal(await get(id)), NOT_FOUND)
      assert.deepEqual(refusal(await rename(id, 'somebody')), NOT_FOUND)
      assert.deepEqual(refusal(await remove(id)), NOT_FOUND)
    }
  })

  it('refuses a name that is taken, reserved or no name', async () => {
    assert.deepEqual(refusal(await create({ name: 'acme' })), NAME_TAKEN)
    for (const name of ['default', 'env', 'No Slug', '', 'n'.repeat(65), 7]) {
      assert.deepEqual([...new Set(wrongFields(await create({ name })))], ['name'], String(name))
    }
    const answer = await create({ name: 'fine', locationHint: 'moon', more: 1 })
    assert.deepEqual(wrongFields(answer).toSorted(), ['locationHint', 'more'])
  })

  it('lists every organization once by name, page by page', async () => {
    await Promise.all(
      Array.from({ length: 18 }, (_, n) => createOrganization(rollcall, `many-${n}`)),
    )
    const { json } = await rollcall.admin('GET', '/organizations?limit=1000')
    const names = json.items.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, names.toSorted())
    assert.equal(names.filter((name: string) => name.startsWith('many-')).length, 18)
    for (const limit of [1, 7, names.length]) {
      assert.deepEqual(await allItems(rollcall, '/organizations', limit), json.items)
    }
    for (const { id, name } of json.items.slice(0, 3)) assert.equal((await get(id)).json.name, name)
  })

  it('renames an organization, and frees its old name', async () => {
    const { id } = await createOrganization(rollcall, 'before')
    await createServer(rollcall, serverFile('Theirs'), inOrganization('before'))
    const { status, json } = await rename('before', 'afterwards')
    assert.equal(status, 200)
    assert.deepEqual([json.id, json.name, json.revision], [id, 'afterwards', 2])
    for (const name of [id, 'afterwards']) assert.equal((await servers(name)).json.items.length, 1)
    assert.deepEqual(refusal(await rename(id, 'acme')), NAME_TAKEN)
    assert.equal((await rename(id, 'afterwards')).json.revision, 2)
    const made = await createWhenFree('before')
    assert.equal(made.status, 201, made.text)
    assert.notEqual(made.json.id, id)
    assert.deepEqual((await servers('before')).json, { items: [] })
  })

  it('gives a name to one of many who ask for it at once', async () => {
    const many = Array.from({ length: 8 }, () => create({ name: 'contested' }))
    const statuses = (await Promise.all(many)).map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
  })

  it('takes all of an organization away with it', async () => {
    const { id } = await createOrganization(rollcall, 'doomed')
    const theirs = inOrganization('doomed')
    const file = serverFile('Doomed', [tool('a')], { slug: 'doomed', vanity: true })
    const open = await createServer(rollcall, file, theirs)
    const keyed = await createServer(rollcall, serverFile('Keyed', [], { auth: 'key' }), theirs)
    assert.deepEqual(await listedNames(rollcall, '/mcp/doomed'), ['a'])
    const gone = await remove('doomed')
    assert.deepEqual([gone.status, gone.text], [204, ''])
    for (const endpoint of ['/mcp/doomed', `/mcp/doomed/${open.id}`, keyed.endpoint]) {
      assert.equal((await rollcall.post(endpoint, LIST)).status, 404, endpoint)
    }
    for (const name of ['doomed', id]) {
      assert.deepEqual(refusal(await get(name)), NOT_FOUND)
      assert.deepEqual(refusal(await remove(name)), NOT_FOUND)
      assert.deepEqual(refusal(await servers(name)), NOT_FOUND)
    }
    const again = await createWhenFree('doomed')
    assert.equal(again.status, 201, again.text)
    assert.deepEqual((await servers('doomed')).json, { items: [] })
    const mine = await eventually(
      () => rollcall.admin('PUT', `/servers/${open.id}`, file),
      ({ status }) => status !== 409,
    )
    assert.deepEqual([mine.status, mine.json.revision], [201, 1], mine.text)
  })

  // The revisions that count on from the former owner's hid the first ones of the new owner.
  it('serves a server at once under an id that another organization gave up', async () => {
    const path = '/servers/00000000000000f0'
    await createOrganization(rollcall, 'former')
    const theirs = serverFile('Former', [tool('old')], { slug: 'passed-on' })
    const former = await rollcall.admin('PUT', path, theirs, inOrganization('former'))
    assert.deepEqual(await listedNames(rollcall, former.json.endpoint), ['old'])
    await remove('former')
    assert.equal((await rollcall.post(former.json.endpoint, LIST)).status, 404)
    const mine = serverFile('Latter', [tool('new')], { slug: 'passed-on' })
    await eventually(
      () => rollcall.admin('PUT', path, mine),
      ({ status }) => status !== 409,
    )
    assert.deepEqual(await listedNames(rollcall, former.json.endpoint), ['new'])
  })

  // Revisions count anew with the new owner; the other's were still remembered under the same number.
  it('never pages through the tools of the organization that had a server id before', async () => {
    const id = '00000000000000f1'
    const endpoint = `/mcp/reborn/${id}`
    const put = (owner: string) => {
      const tools = ['a', 'b', 'c'].map((name) => tool(name, { description: owner }))
      const file = serverFile(owner, tools, { slug: 'reborn', pageSize: 1 })
      return rollcall.admin('PUT', `/servers/${id}`, file, inOrganization(owner))
    }
    /** Whose the tool of the second page is, when the server has changed since the first. */
    const secondPage = async (owner: string) => {
      const { json: first } = await eventually(
        () => rollcall.post(endpoint, LIST),
        ({ status }) => status === 200,
      )
      const changed = { description: 'Changed' }
      await rollcall.admin('PATCH', `/servers/${id}`, changed, inOrganization(owner))
      const params = { cursor: first.result.nextCursor }
      const { json: second } = await rollcall.post(endpoint, { ...LIST, params })
      return second.result.tools[0].description
    }
    for (const owner of ['first-owner', 'second-owner']) await createOrganization(rollcall, owner)
    await put('first-owner')
    assert.equal(await secondPage('first-owner'), 'first-owner')
    await remove('first-owner')
    await eventually(
      () => put('second-owner'),
      ({ status }) => status !== 409,
    )
    assert.equal(await secondPage('second-owner'), 'second-owner')
  })

  it('keeps two organizations from seeing anything of each other', async () => {
    const ours = inOrganization('ours')
    const theirs = inOrganization('theirs')
    for (const name of ['ours', 'theirs']) await createOrganization(rollcall, name)
    const mine = await createServer(rollcall, serverFile('Same', [tool('a')]), ours)
    const other = await createServer(rollcall, serverFile('Same', [tool('b')]), theirs)
    assert.equal(mine.slug, other.slug)
    await rollcall.admin('POST', '/keys', { name: 'K', server: mine.id }, ours)
    await rollcall.admin('PUT', '/secrets/OURS', { value: 'x' }, ours)
    for (const path of ['/servers', '/keys', '/secrets', '/audit']) {
      const seen = await allItems(rollcall, path, 1000, theirs)
      assert.ok(
        !JSON.stringify(seen).includes(mine.id) && !JSON.stringify(seen).includes('OURS'),
        path,
      )
    }
    for (const part of ['', '/tools', '/export', '/revisions', '/preview', '/tools/a']) {
      const answer = await rollcall.admin('GET', `/servers/${mine.id}${part}`, undefined, theirs)
      assert.deepEqual(refusal(answer), { status: 404, code: 'server_not_found' }, part)
    }
    const gone = await rollcall.admin('DELETE', `/servers/${mine.id}`, undefined, theirs)
    assert.deepEqual(refusal(gone), { status: 404, code: 'server_not_found' })
    assert.equal((await rollcall.post(`/mcp/${mine.slug}/${mine.id}`, LIST)).status, 200)
  })

  it('makes "default" anew when it is asked for after it was deleted', async () => {
    const { id } = await createServer(rollcall, serverFile('Mine'))
    await createKey(rollcall, id)
    assert.equal((await remove('default')).status, 204)
    const answer = await eventually(
      () => rollcall.admin('GET', '/servers'),
      ({ status }) => status === 200,
    )
    assert.deepEqual(answer.json, { items: [] })
    assert.equal((await get('default')).json.id, 'org_default')
  })

  // Its name could be given away for good: "default" is reserved, so nobody can give it back.
  it('does not rename "default"', async () => {
    assert.equal((await rollcall.admin('GET', '/servers')).status, 200)
    assert.equal((await rename('org_default', 'something-else')).status, 422)
    assert.equal((await get('default')).json.name, 'default')
  })
})
