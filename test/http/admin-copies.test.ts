import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOrganization,
  createServer,
  inOrganization,
  listedNames,
  refusal,
  revisionOf,
  toolNames,
  wrongFields,
} from '../support/admin.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

/** Tools and settings of every form that a file can have. */
const RICH = {
  name: 'Rich “ünïcode” 天気 🌦',
  slug: 'rich',
  description: 'Line one\nline two\ttabbed \\ "quoted"',
  instructions: 'Ask first',
  status: 'active',
  auth: 'none',
  vanity: false,
  origins: ['https://app.example.com', 'null'],
  rateLimit: 600,
  pageSize: 50,
  ttlMs: 0,
  notifications: false,
  sessionIdleSeconds: 60,
  tools: [
    tool('plain'),
    tool('placed', { sortOrder: 500 }),
    tool('paused.one', { status: 'paused', requires: { sampling: {} } }),
    tool('full', {
      title: 'Full',
      annotations: { readOnlyHint: true, vendorHint: 1 },
      icons: [{ src: 'https://app.example.com/i.png', sizes: ['48x48'] }],
      outputSchema: { type: 'object', properties: { t: { type: 'number' } } },
      execution: { taskSupport: 'optional' },
      _meta: { 'example.com/a': { deep: [1, 2.5, null, '\u0000\ud83d\ude00'] } },
      'x-vendor': { anything: [true, null] },
    }),
  ],
}

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall()
})
after(() => rollcall.close())

describe('copies of a server', () => {
  let id: string
  before(async () => {
    id = (await createServer(rollcall, RICH)).id
  })

  const exportOf = async (server: string, query = '') =>
    (await rollcall.admin('GET', `/servers/${server}/export${query}`)).json
  const importFile = (file: object, headers = {}) =>
    rollcall.admin('POST', '/servers/import', file, headers)

  it('exports the whole server as a file', async () => {
    const { id: exported, tools, ...settings } = await exportOf(id)
    const { tools: given, ...givenSettings } = RICH
    assert.equal(exported, id)
    assert.deepEqual(settings, givenSettings)
    const bySortOrder = [given[0], given[2], given[3], given[1]]
    assert.deepEqual(
      tools.map(({ sortOrder: _, ...rest }: { sortOrder?: number }) => rest),
      bySortOrder.map((each) => {
        const { sortOrder: _, ...rest } = { status: 'active', sortOrder: 0, ...each }
        return rest
      }),
    )
  })

  it('makes an import a server of its own that exports the same', async () => {
    const original = await exportOf(id)
    const made = await importFile(original)
    assert.equal(made.status, 201, made.text)
    assert.notEqual(made.json.id, id)
    assert.equal(made.json.slug, 'rich-2')
    assert.deepEqual(await exportOf(made.json.id), {
      ...original,
      id: made.json.id,
      slug: 'rich-2',
    })
    assert.deepEqual(
      await listedNames(rollcall, made.json.endpoint),
      await listedNames(rollcall, `/mcp/rich/${id}`),
    )
  })

  it('keeps the slug of an imported file where it is free', async () => {
    await createOrganization(rollcall, 'importer')
    const { json } = await importFile(await exportOf(id), inOrganization('importer'))
    assert.equal(json.slug, 'rich')
    assert.notEqual(json.id, id)
  })

  it('changes nothing by putting what was exported', async () => {
    const revision = await revisionOf(rollcall, id)
    const file = await exportOf(id)
    const answer = await rollcall.admin('PUT', `/servers/${id}`, file)
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(await exportOf(id), file)
    assert.equal(answer.json.revision, revision)
  })

  it('exports a revision that is kept', async () => {
    const file = serverFile('Kept', [tool('a'), tool('b')], { description: 'First' })
    const kept = await createServer(rollcall, file)
    const first = await exportOf(kept.id)
    const next = serverFile('Kept later', [tool('b'), tool('c')])
    await rollcall.admin('PUT', `/servers/${kept.id}`, next)
    const past = await rollcall.admin('GET', `/servers/${kept.id}/export?revision=1`)
    assert.deepEqual(past.json, first)
    assert.equal(past.headers.get('etag'), '"1"')
    assert.deepEqual(
      (await exportOf(kept.id)).tools.map(({ name }: { name: string }) => name),
      ['b', 'c'],
    )
  })

  it('answers 404 for a revision that is not kept and 422 for what is none', async () => {
    const past = (query: string) => rollcall.admin('GET', `/servers/${id}/export?revision=${query}`)
    for (const revision of ['0', '99', '999999999999999']) {
      const expected = { status: 404, code: 'revision_not_found' }
      assert.deepEqual(refusal(await past(revision)), expected, revision)
    }
    for (const revision of ['', 'one', '-1', '1.5', '1e3', '1'.repeat(16)]) {
      assert.deepEqual(wrongFields(await past(revision)), ['revision'], revision)
    }
  })

  it('duplicates a server under a name, a slug and an id of its own', async () => {
    const copy = await rollcall.admin('POST', `/servers/${id}/duplicate`)
    assert.equal(copy.status, 201, copy.text)
    assert.equal(copy.headers.get('location'), `/api/v1/servers/${copy.json.id}`)
    assert.equal(copy.json.name, `${RICH.name} (copy)`)
    assert.notEqual(copy.json.slug, 'rich')
    assert.equal(copy.json.revision, 1)
    assert.deepEqual((await exportOf(copy.json.id)).tools, (await exportOf(id)).tools)
    assert.equal(copy.json.toolCount, RICH.tools.length)
  })

  it('leaves a copy as it is when the original changes or goes', async () => {
    const original = await createServer(rollcall, serverFile('Original', [tool('a'), tool('b')]))
    const { json } = await rollcall.admin('POST', `/servers/${original.id}/duplicate`)
    await rollcall.admin('DELETE', `/servers/${original.id}/tools/a`)
    await rollcall.admin('DELETE', `/servers/${original.id}`)
    assert.deepEqual(await toolNames(rollcall, json.id), ['a', 'b'])
    assert.deepEqual(await listedNames(rollcall, json.endpoint), ['a', 'b'])
  })

  it('does not copy the claim of a vanity slug', async () => {
    const settings = { slug: 'vain', vanity: true }
    const original = await createServer(rollcall, serverFile('Vain', [], settings))
    const { json } = await rollcall.admin('POST', `/servers/${original.id}/duplicate`)
    assert.deepEqual([json.vanity, json.slug], [false, 'vain-2'])
  })

  it('refuses to import a vanity server whose slug another organization holds', async () => {
    const settings = { slug: 'held', vanity: true }
    const { id: held } = await createServer(rollcall, serverFile('Held', [], settings))
    const file = await exportOf(held)
    const answer = await importFile(file, inOrganization('importer'))
    assert.deepEqual(refusal(answer), { status: 409, code: 'vanity_slug_taken' })
    const plain = await importFile({ ...file, vanity: false }, inOrganization('importer'))
    assert.equal(plain.status, 201, plain.text)
  })
})

describe('what a caller would see of a server', () => {
  const preview = (id: string, query = '') =>
    rollcall.admin('GET', `/servers/${id}/preview${query}`)

  it('lists the active tools as clients get them, and says why the others are withheld', async () => {
    const file = serverFile('Seen', [tool('b'), tool('p', { status: 'paused' }), tool('a')])
    const { id, endpoint } = await createServer(rollcall, file)
    const { status, json } = await preview(id)
    assert.equal(status, 200)
    const { handler: _, ...shown } = tool('b')
    assert.deepEqual(json.tools[0], shown)
    assert.deepEqual(
      json.tools.map(({ name }: { name: string }) => name),
      await listedNames(rollcall, endpoint),
    )
    assert.deepEqual(json.withheld, [{ name: 'p', rule: 'tool_paused' }])
    assert.deepEqual((await preview(id, '?surface=hosted')).json, json)
    assert.deepEqual(wrongFields(await preview(id, '?surface=elsewhere')), ['surface'])
  })

  it('shows what the holder of a key sees', async () => {
    const tools = [tool('a'), tool('b'), tool('p', { status: 'paused' })]
    const { id, endpoint } = await createServer(
      rollcall,
      serverFile('Keyed', tools, { auth: 'key' }),
    )
    const body = { name: 'Some', server: id, tools: ['b', 'p', 'absent'] }
    const key = (await rollcall.admin('POST', '/keys', body)).json
    const { json } = await preview(id, `?credential=${key.id}`)
    const names = json.tools.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, await listedNames(rollcall, endpoint, key.secret))
    assert.deepEqual(json.withheld, [
      { name: 'a', rule: 'not_in_key_tools' },
      { name: 'p', rule: 'tool_paused' },
    ])
    assert.deepEqual(wrongFields(await preview(id)), ['credential'])
  })

  it('answers 404 for a key that is not of this server', async () => {
    const { id } = await createServer(rollcall, serverFile('One', [], { auth: 'key' }))
    const other = await createServer(rollcall, serverFile('Two', [], { auth: 'key' }))
    const key = (await rollcall.admin('POST', '/keys', { name: 'K', server: other.id })).json
    for (const credential of [key.id, 'key_made_up']) {
      const answer = await preview(id, `?credential=${credential}`)
      assert.deepEqual(refusal(answer), { status: 404, code: 'key_not_found' })
    }
    await rollcall.admin('DELETE', `/keys/${key.id}`)
    assert.equal((await preview(other.id, `?credential=${key.id}`)).status, 404)
  })
})
