import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createServer,
  listedNames,
  refusal,
  revisionOf,
  toolNames,
  untilPublished,
  wrongFields,
} from '../support/admin.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { forgetWhenPublished, inDatabase } from '../support/storage.ts'

const KEPT = 20

describe('revisions of a server', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  const revisions = async (id: string) =>
    (await rollcall.admin('GET', `/servers/${id}/revisions`)).json.items
  const rollback = (id: string, revision: number, headers = {}) =>
    rollcall.admin('POST', `/servers/${id}/rollback`, { revision }, headers)
  const countBodies = async () => {
    const [row] = await inDatabase(
      rollcall,
      'SELECT COUNT(*) AS rows, COUNT(DISTINCT body) AS texts FROM bodies',
    )
    assert.equal(row?.['rows'], row?.['texts'])
    return Number(row?.['rows'])
  }

  it('keeps the twenty that were published last, and each text once', async () => {
    const { id } = await createServer(rollcall, serverFile('Many', [tool('still'), tool('moving')]))
    await untilPublished(rollcall, id)
    assert.equal(await countBodies(), 4)
    for (let n = 2; n <= KEPT + 5; n++) {
      // Back and forth: an earlier text comes again.
      const title = `Title ${n % 3}`
      await forgetWhenPublished(rollcall)
      await rollcall.admin('PATCH', `/servers/${id}/tools/moving`, { title })
      await untilPublished(rollcall, id)
    }
    const kept = await revisions(id)
    assert.deepEqual(
      kept.map(({ revision }: { revision: number }) => revision),
      Array.from({ length: KEPT }, (_, n) => KEPT + 5 - n),
    )
    for (const { at, publishedAt, actor, act } of kept) {
      assert.ok(Date.parse(publishedAt) >= Date.parse(at))
      assert.deepEqual([actor, act], ['operator', 'tools.patch'])
    }
    // Two bindings, the definition of one tool, and the three that the other goes through.
    assert.equal(await countBodies(), 6)
    const past = await rollcall.admin('GET', `/servers/${id}/export?revision=6`)
    assert.deepEqual(
      past.json.tools.map(({ title }: { title?: string }) => title),
      [undefined, 'Title 0'],
    )
    const gone = { status: 404, code: 'revision_not_found' }
    assert.deepEqual(refusal(await rollcall.admin('GET', `/servers/${id}/export?revision=5`)), gone)
    assert.deepEqual(refusal(await rollback(id, 5)), gone)
    assert.equal((await rollcall.admin('DELETE', `/servers/${id}`)).status, 204)
    assert.equal(await countBodies(), 0)
  })

  it('stores a text once, whatever servers, tools and revisions it is in', async () => {
    const handler = { kind: 'static', result: { content: [{ type: 'text', text: 'same' }] } }
    const file = serverFile('Shared', [tool('a', { handler }), tool('b', { handler })])
    const others = await countBodies()
    const first = await createServer(rollcall, file)
    const second = await createServer(rollcall, file)
    await rollcall.admin('POST', `/servers/${first.id}/duplicate`)
    assert.equal((await countBodies()) - others, 3)
    await rollcall.admin('DELETE', `/servers/${first.id}`)
    assert.equal((await countBodies()) - others, 3)
    assert.deepEqual(await listedNames(rollcall, second.endpoint), ['a', 'b'])
  })

  it('lists no revision that was overtaken before it was published', async () => {
    const { id } = await createServer(rollcall, serverFile('Burst', [tool('a')]))
    await untilPublished(rollcall, id)
    for (let n = 0; n < 5; n++) {
      await rollcall.admin('PATCH', `/servers/${id}`, { description: `Version ${n}` })
    }
    await untilPublished(rollcall, id)
    assert.deepEqual(
      (await revisions(id)).map(({ revision }: { revision: number }) => revision),
      [6, 1],
    )
  })

  it('brings settings and tools back as a new revision', async () => {
    const settings = { description: 'First', auth: 'key', ttlMs: 5 }
    const tools = [tool('b'), tool('a', { status: 'paused' }), tool('c')]
    const { id } = await createServer(rollcall, serverFile('Rolled', tools, settings))
    const first = (await rollcall.admin('GET', `/servers/${id}/export`)).json
    const next = serverFile('Rolled on', [tool('c', { title: 'C' }), tool('d')])
    await rollcall.admin('PUT', `/servers/${id}`, next)
    const answer = await rollback(id, 1)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.revision, 3)
    assert.deepEqual((await rollcall.admin('GET', `/servers/${id}/export`)).json, first)
    const [newest] = await revisions(id)
    assert.deepEqual([newest.revision, newest.act], [3, 'servers.rollback'])
    const audit = await rollcall.admin('GET', '/audit?limit=1')
    const [{ act, target, detail }] = audit.json.items
    assert.deepEqual([act, target, detail], ['servers.rollback', id, { to: 1, revision: 3 }])
  })

  it('shows what was rolled back to at the endpoint at once', async () => {
    const file = serverFile('Seen', [tool('a'), tool('b')])
    const { id, endpoint } = await createServer(rollcall, file)
    await rollcall.admin('DELETE', `/servers/${id}/tools/a`)
    assert.deepEqual(await listedNames(rollcall, endpoint), ['b'])
    await rollback(id, 1)
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a', 'b'])
    assert.equal((await rollback(id, 3)).json.revision, 3)
  })

  // A tool that comes back was counted as the newest, and stood behind its equals in sort order.
  it('brings tools of the same sort order back in the order they had', async () => {
    const file = serverFile('Tied', [tool('a', { sortOrder: 5 }), tool('b', { sortOrder: 5 })])
    const { id } = await createServer(rollcall, file)
    assert.deepEqual(await toolNames(rollcall, id), ['a', 'b'])
    await rollcall.admin('DELETE', `/servers/${id}/tools/a`)
    assert.equal((await rollback(id, 1)).status, 200)
    assert.deepEqual(await toolNames(rollcall, id), ['a', 'b'])
  })

  it('refuses to bring back a slug that another server has by now', async () => {
    const { id } = await createServer(rollcall, serverFile('Slugged', [], { slug: 'contested' }))
    await rollcall.admin('PATCH', `/servers/${id}`, { slug: 'left' })
    await createServer(rollcall, serverFile('Successor', [], { slug: 'contested' }))
    assert.deepEqual(refusal(await rollback(id, 1)), { status: 409, code: 'slug_taken' })
    assert.equal(await revisionOf(rollcall, id), 2)
  })

  it('names what is wrong with a rollback', async () => {
    const { id } = await createServer(rollcall, serverFile('Refusing'))
    const post = (body: object) => rollcall.admin('POST', `/servers/${id}/rollback`, body)
    assert.deepEqual(wrongFields(await post({})), ['revision'])
    assert.deepEqual(wrongFields(await post({ revision: 0 })), ['revision'])
    assert.deepEqual(wrongFields(await post({ revision: '1', to: 1 })).toSorted(), [
      'revision',
      'to',
    ])
    assert.deepEqual(refusal(await rollback(id, 9)), { status: 404, code: 'revision_not_found' })
  })
})
