import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  allItems,
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
  refusal,
  toolNames,
  untilPublished,
  wrongFields,
} from '../support/admin.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const ID = '00000000000000a1'

describe('servers of the admin API', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const create = (file: object) => rollcall.admin('POST', '/servers', file)
  const put = (id: string, file: object) => rollcall.admin('PUT', `/servers/${id}`, file)

  it('makes a server with an unguessable id and the defaults', async () => {
    const { status, headers, json } = await create(serverFile('My  Weather: Tools!', [tool('a')]))
    assert.equal(status, 201)
    const { id, createdAt, updatedAt, publishedRevision: _, ...rest } = json
    assert.match(id, /^[0-9a-f]{16}$/)
    assert.equal(headers.get('location'), `/api/v1/servers/${id}`)
    assert.equal(headers.get('etag'), '"1"')
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, {
      name: 'My  Weather: Tools!',
      slug: 'my-weather-tools',
      status: 'active',
      auth: 'none',
      vanity: false,
      ttlMs: 30_000,
      notifications: true,
      sessionIdleSeconds: 3600,
      revision: 1,
      toolCount: 1,
      endpoint: `/mcp/my-weather-tools/${id}`,
    })
  })

  it('makes a slug of any name', async () => {
    const slugs: [name: string, slug: RegExp][] = [
      ['  --Trim me-- ', /^trim-me$/],
      ['天気', /^server(-\d+)?$/],
      ['env', /^server(-\d+)?$/],
      ['n'.repeat(200), /^n{64}$/],
    ]
    for (const [name, slug] of slugs) {
      assert.match((await createServer(rollcall, serverFile(name))).slug, slug, name)
    }
  })

  // The accent that NFKD splits off became a hyphen: cafe-zu-rich.
  it('makes a slug of a name with accents', async () => {
    assert.equal((await createServer(rollcall, serverFile('Café Zürich'))).slug, 'cafe-zurich')
  })

  it('gives a slug that was made from the name a suffix where it is taken', async () => {
    const slugs: string[] = []
    for (let n = 0; n < 3; n++) slugs.push((await createServer(rollcall, serverFile('Same'))).slug)
    assert.deepEqual(slugs, ['same', 'same-2', 'same-3'])
  })

  it('refuses a slug that was asked for and is taken', async () => {
    await createServer(rollcall, serverFile('First', [], { slug: 'wanted' }))
    const second = await create(serverFile('Second', [], { slug: 'wanted' }))
    assert.deepEqual(refusal(second), { status: 409, code: 'slug_taken' })
  })

  it('makes a server under the id its file has, once', async () => {
    const id = '00000000000000b1'
    assert.equal((await create(serverFile('Chosen', [], { id }))).json.id, id)
    const again = await create(serverFile('Chosen', [], { id }))
    assert.deepEqual(refusal(again), { status: 409, code: 'server_id_taken' })
    assert.match(again.json.error.message, /^The server id "\w+" is taken$/)
  })

  it('lists every server once, page by page', async () => {
    for (let n = 0; n < 5; n++) await createServer(rollcall, serverFile(`Paged ${n}`))
    const whole = await rollcall.admin('GET', '/servers')
    const ids = whole.json.items.map(({ id }: { id: string }) => id)
    assert.equal(whole.json.nextCursor, undefined)
    assert.equal(new Set(ids).size, ids.length)
    for (const limit of [1, 3, ids.length, 1000]) {
      const items = await allItems(rollcall, '/servers', limit)
      assert.deepEqual(
        items.map(({ id }) => id),
        ids,
      )
    }
    const one = await rollcall.admin('GET', `/servers/${ids[0]}`)
    assert.deepEqual(one.json, whole.json.items[0])
  })

  it('answers 422 to a limit or a cursor that is none', async () => {
    for (const limit of ['0', '-1', '1001', '1.5', 'many', '']) {
      const answer = await rollcall.admin('GET', `/servers?limit=${limit}`)
      assert.deepEqual(wrongFields(answer), ['limit'], limit)
    }
    const { json } = await rollcall.admin('GET', '/servers?limit=1')
    const lists = ['/keys', '/secrets', '/audit', '/organizations', '/servers']
    for (const list of lists) {
      const others = list === '/servers' ? [] : [json.nextCursor]
      for (const cursor of ['', '%21%21', 'a', 'abc', '-1', 'eyJ9', 'MQ', ...others]) {
        const answer = await rollcall.admin('GET', `${list}?cursor=${cursor}`)
        assert.deepEqual(wrongFields(answer), ['cursor'], `${list} ${cursor}`)
      }
    }
  })

  it('puts a whole file: makes the server at first, and replaces it then', async () => {
    const file = serverFile('Put', [tool('a'), tool('b')], { description: 'One', ttlMs: 5 })
    const made = await put(ID, file)
    assert.equal(made.status, 201, made.text)
    assert.equal(made.json.id, ID)
    assert.equal(made.headers.get('location'), `/api/v1/servers/${ID}`)
    const replaced = await put(ID, serverFile('Put', [tool('c'), tool('a')]))
    assert.equal(replaced.status, 200, replaced.text)
    assert.equal(replaced.json.revision, 2)
    assert.equal(replaced.json.ttlMs, 30_000)
    assert.equal('description' in replaced.json, false)
    assert.deepEqual(await toolNames(rollcall, ID), ['c', 'a'])
    assert.deepEqual(await listedNames(rollcall, replaced.json.endpoint), ['c', 'a'])
  })

  // The order of the settings' members was compared too, and it always differed.
  it('keeps the revision where the file that is put changes nothing', async () => {
    const was = (await rollcall.admin('GET', `/servers/${ID}`)).json
    const same = await put(ID, serverFile('Put', [tool('c'), tool('a')]))
    assert.deepEqual([same.status, same.json.revision], [200, was.revision])
    assert.equal(same.json.updatedAt, was.updatedAt)
  })

  it('keeps the slug of a server where the file that is put has none', async () => {
    const renamed = await put(ID, serverFile('Another name'))
    assert.deepEqual([renamed.json.name, renamed.json.slug], ['Another name', 'put'])
  })

  it('refuses to put a file under another id, or under what is no id', async () => {
    const file = serverFile('Other', [], { id: '00000000000000c1' })
    assert.deepEqual(wrongFields(await put(ID, file)), ['id'])
    for (const id of ['short', 'G'.repeat(16), ID.toUpperCase()]) {
      assert.deepEqual(wrongFields(await put(id, serverFile('Other'))), ['id'], id)
    }
  })

  it('refuses the id of a server of another organization', async () => {
    await createOrganization(rollcall, 'stranger')
    const headers = inOrganization('stranger')
    const file = serverFile('Mine now')
    const answer = await rollcall.admin('PUT', `/servers/${ID}`, file, headers)
    assert.deepEqual(refusal(answer), { status: 409, code: 'server_id_taken' })
    assert.equal((await rollcall.admin('GET', `/servers/${ID}`)).json.name, 'Another name')
  })

  // A patch put every setting that it does not name back to its default: a keyed server was open.
  it('changes the settings a patch names, and no others', async () => {
    const settings = {
      auth: 'key',
      status: 'paused',
      ttlMs: 7,
      notifications: false,
      sessionIdleSeconds: 60,
      vanity: true,
      description: 'About',
      instructions: 'How',
      origins: ['https://app.example'],
      rateLimit: 10,
      pageSize: 3,
    }
    const made = await createServer(rollcall, serverFile('Patched', [], settings))
    const { json } = await rollcall.admin('PATCH', `/servers/${made.id}`, { name: 'Renamed' })
    const { publishedRevision: _, updatedAt: __, ...rest } = json
    const { publishedRevision: ___, updatedAt: ____, ...was } = made
    assert.deepEqual(rest, { ...was, name: 'Renamed', revision: 2 })
  })

  it('takes a setting back to its default where a patch says null', async () => {
    const settings = { auth: 'key', ttlMs: 7, description: 'About', pageSize: 3 }
    const { id } = await createServer(rollcall, serverFile('Nulled', [], settings))
    const patch = { auth: null, ttlMs: null, description: null, pageSize: null }
    const { json } = await rollcall.admin('PATCH', `/servers/${id}`, patch)
    assert.deepEqual([json.auth, json.ttlMs], ['none', 30_000])
    assert.deepEqual(['description' in json, 'pageSize' in json], [false, false])
    for (const wrong of [{ name: null }, { slug: null }]) {
      const answer = await rollcall.admin('PATCH', `/servers/${id}`, wrong)
      assert.deepEqual(wrongFields(answer), Object.keys(wrong))
    }
  })

  it('refuses a patch of what no server has, of its tools, and onto a taken slug', async () => {
    const { id } = await createServer(rollcall, serverFile('Refusing'))
    const patch = (body: object) => rollcall.admin('PATCH', `/servers/${id}`, body)
    assert.deepEqual(wrongFields(await patch({ nothing: 1, id, tools: [] })).toSorted(), [
      'id',
      'nothing',
      'tools',
    ])
    assert.deepEqual(refusal(await patch({ slug: 'wanted' })), { status: 409, code: 'slug_taken' })
    assert.equal((await patch({})).json.revision, 1)
  })

  it('moves the endpoint with the slug at once', async () => {
    const { id, endpoint } = await createServer(rollcall, serverFile('Before', [tool('a')]))
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a'])
    const { json } = await rollcall.admin('PATCH', `/servers/${id}`, { slug: 'afterwards' })
    assert.equal(json.endpoint, `/mcp/afterwards/${id}`)
    assert.deepEqual(await listedNames(rollcall, json.endpoint), ['a'])
    assert.equal((await rollcall.post(endpoint, LIST)).status, 404)
  })

  it('deletes a server, whose endpoint is gone at once and whose slug is free', async () => {
    const file = serverFile('Deleted', [tool('a')], { slug: 'deleted' })
    const { id, endpoint } = await createServer(rollcall, file)
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a'])
    const gone = await rollcall.admin('DELETE', `/servers/${id}`)
    assert.deepEqual([gone.status, gone.text], [204, ''])
    const missing = await rollcall.post(endpoint, LIST)
    assert.deepEqual(refusal(missing), { status: 404, code: 'endpoint_not_found' })
    const again = await rollcall.admin('DELETE', `/servers/${id}`)
    assert.deepEqual(refusal(again), { status: 404, code: 'server_not_found' })
    await createServer(rollcall, file)
  })

  it('goes on counting revisions when a deleted id is made again', async () => {
    const id = '00000000000000d1'
    assert.equal((await put(id, serverFile('Once', [tool('a')]))).json.revision, 1)
    await rollcall.admin('DELETE', `/servers/${id}`)
    const again = await put(id, serverFile('Twice', [tool('b')]))
    assert.deepEqual([again.status, again.json.revision], [201, 3])
    assert.deepEqual(await listedNames(rollcall, again.json.endpoint), ['b'])
    const { json } = await rollcall.admin('GET', `/servers/${id}/revisions`)
    assert.deepEqual(
      json.items.map(({ revision }: { revision: number }) => revision),
      [3],
    )
    assert.equal((await untilPublished(rollcall, id)).publishedRevision, 3)
  })
})
