import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createServer,
  listedNames,
  readServer,
  revisionOf,
  toolNames,
  untilPublished,
  wrongFields,
} from '../support/admin.ts'
import { legacy, LIST } from '../support/messages.ts'
import {
  applySnapshot,
  noteFailure,
  readOnce,
  remoteFile,
  remoteTool,
  snapshot,
} from '../support/remotes.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { dumpKv, inDatabase } from '../support/storage.ts'

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall()
})
after(() => rollcall.close())

const read = (tools: readonly object[], members: object = {}) => readOnce(rollcall, tools, members)
const serverOf = (id: string) => readServer(rollcall, id)
const acts = async (id: string) => {
  const { json } = await rollcall.admin('GET', '/audit?limit=1000')
  type Entry = { actor: string; act: string; target: string }
  return json.items
    .filter(({ actor, target }: Entry) => actor === 'upstream' && target === id)
    .map(({ act }: Entry) => act)
    .toReversed()
}

describe('a remote server', () => {
  it('is made from a file, told with what is known of it, and exported as its settings', async () => {
    const overrides = { a: { title: 'A' } }
    const file = remoteFile('Told', { overrides, auth: 'key' })
    const made = await createServer(rollcall, file)
    assert.equal(made.kind, 'remote')
    assert.equal(made.remote.refreshSeconds, 600)
    assert.deepEqual(made.overrides, overrides)
    const { failedAt, ...upstream } = made.upstream
    assert.ok(Date.parse(failedAt) <= Date.now())
    assert.deepEqual(upstream, {
      refreshedAt: null,
      problem:
        '127.0.0.1 is a private address or name, which is not asked; set ALLOW_PRIVATE_UPSTREAMS=1 to do so in development',
      toolCount: 0,
      promptCount: 0,
      resourceCount: 0,
      resourceTemplateCount: 0,
      truncated: false,
      leftCount: 0,
      left: [],
    })
    const { json } = await rollcall.admin('GET', `/servers/${made.id}/export`)
    assert.equal('tools' in json, false)
    const again = await rollcall.admin('PUT', `/servers/${made.id}`, json)
    assert.equal(again.json.revision, made.revision)
    const { json: list } = await rollcall.admin('GET', '/servers?limit=1000')
    const listed = list.items.find(({ id }: { id: string }) => id === made.id)
    assert.equal('upstream' in listed || 'overrides' in listed, false)
    assert.equal(listed.remote.url, file.remote.url)
  })

  it('is refused where its members do not fit', async () => {
    const auth = { type: 'bearer', token: { secret: 'token' } }
    const { remote } = remoteFile('x')
    const table: [members: object, fields: string[]][] = [
      [{ remote: undefined }, ['remote']],
      [{ tools: [tool('a')] }, ['tools']],
      [{ remote: { ...remote, auth } }, ['auth']],
      [{ overrides: { a: { name: 'x' }, b: { name: 'x' } } }, ['overrides.b.name']],
    ]
    for (const [members, fields] of table) {
      const answer = await rollcall.admin('POST', '/servers', remoteFile('Wrong', members))
      assert.deepEqual(wrongFields(answer), fields)
    }
  })

  it('stays of its kind', async () => {
    const far = await createServer(rollcall, remoteFile('Stays'))
    const near = await createServer(rollcall, serverFile('Near'))
    const answers = [
      await rollcall.admin('PUT', `/servers/${far.id}`, serverFile('Stays')),
      await rollcall.admin('PATCH', `/servers/${far.id}`, { kind: 'hosted' }),
      await rollcall.admin('PUT', `/servers/${near.id}`, remoteFile('Near')),
    ]
    for (const answer of answers) assert.deepEqual(wrongFields(answer), ['kind'])
  })

  it('is found by clients once it has a hosted face', async () => {
    const { id, endpoint } = await createServer(rollcall, remoteFile('Face', { hosted: undefined }))
    assert.equal((await rollcall.post(endpoint, LIST)).status, 404)
    await rollcall.admin('PATCH', `/servers/${id}`, { hosted: true })
    assert.deepEqual(await listedNames(rollcall, endpoint), [])
    await rollcall.admin('PATCH', `/servers/${id}`, { hosted: null })
    assert.equal((await rollcall.post(endpoint, LIST)).status, 404)
  })

  it('lists what was read of it, whole, and says of it what is known', async () => {
    const odd = remoteTool('odd', { surprise: { a: 1 } })
    const { id, endpoint } = await createServer(rollcall, remoteFile('Lists'))
    const at = Date.now()
    const members = {
      at,
      capabilities: { tools: {}, resources: { subscribe: 'x' }, logging: {}, odd: {} },
      serverInfo: { name: 'Upstream', version: '7', secret: 'x' },
      instructions: 'Be kind',
      resources: [{ uri: 'x:1', name: 'One' }],
      left: [{ name: 'gone', reason: 'was too large' }],
      truncated: true,
    }
    await applySnapshot(
      rollcall,
      id,
      snapshot([remoteTool('b'), odd, remoteTool('get it'), { name: 'bare' }], members),
    )
    const { upstream, toolCount } = await untilPublished(rollcall, id)
    assert.equal(toolCount, 3)
    assert.deepEqual(upstream, {
      era: 'legacy',
      revision: '2025-11-25',
      serverInfo: { name: 'Upstream', version: '7' },
      refreshedAt: new Date(at).toISOString(),
      toolCount: 4,
      promptCount: 0,
      resourceCount: 1,
      resourceTemplateCount: 0,
      truncated: true,
      leftCount: 2,
      left: [
        { name: 'gone', reason: 'was too large' },
        { name: 'bare', reason: 'inputSchema is missing' },
      ],
    })
    const list = await rollcall.post(endpoint, LIST)
    assert.deepEqual(list.json.result.tools.slice(0, 2), [remoteTool('b'), odd])
    assert.match(list.json.result.tools[2].name, /^get_it_[0-9a-f]{6}$/)
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: {} }
    const { json } = await rollcall.post(endpoint, legacy('initialize', params))
    assert.equal(json.result.instructions, 'Be kind')
    assert.deepEqual(json.result.capabilities, {
      tools: { listChanged: true },
      resources: { listChanged: true },
      logging: {},
    })
  })

  it('makes a revision of a reading only where something differs', async () => {
    const { id } = await read([remoteTool('a'), remoteTool('b')])
    const revision = await revisionOf(rollcall, id)
    const same = await applySnapshot(
      rollcall,
      id,
      snapshot([remoteTool('a'), remoteTool('b')], { at: Date.now() + 1000 }),
    )
    assert.deepEqual(same, { taken: true, revision })
    const other = await applySnapshot(
      rollcall,
      id,
      snapshot([remoteTool('b')], { at: Date.now() + 2000 }),
    )
    assert.deepEqual(other, { taken: true, revision: revision + 1 })
    assert.deepEqual(await toolNames(rollcall, id), ['b'])
    assert.deepEqual(await acts(id), ['upstream.refresh', 'upstream.refresh'])
  })

  it('takes no reading of another URL, none that is older, and none of a hosted server', async () => {
    const { id, revision } = await createServer(rollcall, remoteFile('Moved'))
    const elsewhere = snapshot([remoteTool('a')], { url: 'https://other.example.com/' })
    assert.deepEqual(await applySnapshot(rollcall, id, elsewhere), { taken: false, revision })
    const now = await applySnapshot(rollcall, id, snapshot([remoteTool('a')], { at: 2000 }))
    const old = await applySnapshot(rollcall, id, snapshot([], { at: 1000 }))
    assert.deepEqual(old, { taken: false, revision: now.revision })
    const near = await createServer(rollcall, serverFile('Hosted'))
    assert.equal((await applySnapshot(rollcall, near.id, snapshot())).taken, false)
  })

  it('keeps its lists when it is another, until that was read', async () => {
    const { id } = await read([remoteTool('a')])
    const remote = { url: 'https://other.example.com/mcp' }
    await rollcall.admin('PATCH', `/servers/${id}`, { remote })
    assert.deepEqual(await toolNames(rollcall, id), ['a'])
    const { taken } = await applySnapshot(rollcall, id, snapshot([], { ...remote, at: Date.now() }))
    assert.equal(taken, true)
    assert.deepEqual(await toolNames(rollcall, id), [])
  })

  it('counts as down from the second failure on, with its lists and their age, until it is back', async () => {
    const { id, endpoint } = await createServer(rollcall, remoteFile('Falls'))
    const first = await applySnapshot(rollcall, id, snapshot([remoteTool('a')], { at: 1000 }))
    assert.equal((await noteFailure(rollcall, id, 2000)).revision, first.revision)
    const down = await noteFailure(rollcall, id, 3000)
    assert.equal(down.revision, first.revision + 1)
    assert.equal((await noteFailure(rollcall, id, 4000)).revision, down.revision)
    const { upstream } = await untilPublished(rollcall, id)
    assert.equal(upstream.problem, 'It did not answer')
    assert.equal(upstream.failedAt, new Date(4000).toISOString())
    assert.equal(upstream.downSince, new Date(2000).toISOString())
    const list = await rollcall.post(endpoint, LIST)
    assert.equal(list.json.result.tools.length, 1)
    assert.ok(Number(list.headers.get('age')) > 1000)
    const up = await applySnapshot(rollcall, id, snapshot([remoteTool('a')], { at: Date.now() }))
    assert.equal(up.revision, down.revision + 1)
    assert.deepEqual(await acts(id), ['upstream.refresh', 'upstream.down', 'upstream.up'])
    assert.equal('problem' in (await serverOf(id)).upstream, false)
  })

  it('publishes what the edge needs, and no overrides', async () => {
    const { id } = await read([remoteTool('a')], { overrides: { a: { title: 'Overridden' } } })
    await untilPublished(rollcall, id)
    const [header = ''] = ((await dumpKv(rollcall)).get(`server:${id}`) ?? '').split('\n')
    const { settings, upstream } = JSON.parse(header)
    assert.equal(settings.kind, 'remote')
    assert.equal('overrides' in settings, false)
    assert.equal(upstream.era, 'legacy')
    assert.deepEqual(upstream.capabilities, { tools: { listChanged: true } })
  })

  it('leaves nothing of its lists behind', async () => {
    const unique = remoteTool('unique', { description: 'nowhere else' })
    const { id } = await read([unique])
    assert.equal((await rollcall.admin('DELETE', `/servers/${id}`)).status, 204)
    for (const sql of [
      `SELECT * FROM snapshots WHERE server = '${id}'`,
      `SELECT * FROM upstreams WHERE server = '${id}'`,
      "SELECT * FROM bodies WHERE body LIKE '%nowhere else%'",
    ]) {
      assert.deepEqual(await inDatabase(rollcall, sql), [], sql)
    }
  })

  it('is copied with what was read of it', async () => {
    const { id } = await read([remoteTool('a')], { overrides: { a: { name: 'renamed' } } })
    const copy = await rollcall.admin('POST', `/servers/${id}/duplicate`)
    assert.equal(copy.status, 201, copy.text)
    assert.deepEqual(await toolNames(rollcall, copy.json.id), ['renamed'])
  })

  it('is previewed like any other', async () => {
    const { id } = await read([remoteTool('a'), remoteTool('b')], {
      overrides: { b: { status: 'paused' } },
    })
    const { json } = await rollcall.admin('GET', `/servers/${id}/preview`)
    assert.deepEqual(json, {
      tools: [remoteTool('a')],
      withheld: [{ name: 'b', rule: 'tool_paused' }],
    })
  })
})
