import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import {
  allItems,
  createServer,
  listedNames,
  refusal,
  revisionOf,
  toolNames,
  wrongFields,
} from '../support/admin.ts'
import { LIST } from '../support/messages.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

describe('tools of the admin API', () => {
  let rollcall: Rollcall
  let id: string
  let path: string
  let endpoint: string
  before(async () => {
    rollcall = await startRollcall()
  })
  beforeEach(async () => {
    const file = serverFile('Tools', [tool('a'), tool('b'), tool('c')])
    ;({ id, endpoint } = await createServer(rollcall, file))
    path = `/servers/${id}/tools`
  })
  after(() => rollcall.close())

  const names = () => toolNames(rollcall, id)
  const reorder = (body: object) => rollcall.admin('POST', `${path}/reorder`, body)

  it('lists tools in order with our members beside theirs, page by page', async () => {
    const whole = await allItems(rollcall, path, 1000)
    assert.deepEqual(whole[0], { ...tool('a'), status: 'active', sortOrder: 0 })
    for (const limit of [1, 2, 3]) {
      assert.deepEqual(await allItems(rollcall, path, limit), whole)
    }
    for (const cursor of ['%21', 'bm90IGEgbnVtYmVy', 'LTE']) {
      const answer = await rollcall.admin('GET', `${path}?cursor=${cursor}`)
      assert.deepEqual(wrongFields(answer), ['cursor'], cursor)
    }
  })

  it('adds a tool last, and elsewhere where it says so', async () => {
    const made = await rollcall.admin('POST', path, tool('d'))
    assert.equal(made.status, 201, made.text)
    assert.deepEqual(made.json, { ...tool('d'), status: 'active', sortOrder: 3 })
    assert.equal(made.headers.get('etag'), '"2"')
    await rollcall.admin('POST', path, tool('first', { sortOrder: 0 }))
    assert.deepEqual(await names(), ['a', 'first', 'b', 'c', 'd'])
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a', 'first', 'b', 'c', 'd'])
  })

  it('refuses a name that is taken', async () => {
    const answer = await rollcall.admin('POST', path, tool('a', { title: 'Another' }))
    assert.deepEqual(refusal(answer), { status: 409, code: 'tool_name_taken' })
  })

  it('answers one tool, or 404', async () => {
    const { json } = await rollcall.admin('GET', `${path}/b`)
    assert.deepEqual(json, { ...tool('b'), status: 'active', sortOrder: 1 })
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      const body = method === 'PATCH' ? {} : undefined
      const answer = await rollcall.admin(method, `${path}/none`, body)
      assert.deepEqual(refusal(answer), { status: 404, code: 'tool_not_found' }, method)
    }
  })

  it('puts a tool in place of another, or adds it', async () => {
    const replaced = await rollcall.admin('PUT', `${path}/a`, tool('a', { title: 'New' }))
    assert.equal(replaced.status, 200, replaced.text)
    assert.deepEqual(replaced.json, {
      ...tool('a', { title: 'New' }),
      status: 'active',
      sortOrder: 0,
    })
    const { name: _, ...nameless } = tool('d')
    const added = await rollcall.admin('PUT', `${path}/d`, nameless)
    assert.equal(added.status, 201, added.text)
    assert.deepEqual(await names(), ['a', 'b', 'c', 'd'])
    const other = await rollcall.admin('PUT', `${path}/a`, tool('z'))
    assert.deepEqual(wrongFields(other), ['name'])
  })

  it('keeps the revision where a tool that is put or patched is what it was', async () => {
    const put = await rollcall.admin('PUT', `${path}/a`, tool('a'))
    assert.equal(put.headers.get('etag'), '"1"')
    const patched = await rollcall.admin('PATCH', `${path}/a`, { description: 'The tool a' })
    assert.equal(patched.headers.get('etag'), '"1"')
  })

  it('changes the members a patch names and takes away those that are null', async () => {
    const patch = (body: object) => rollcall.admin('PATCH', `${path}/a`, body)
    const { json } = await patch({ title: 'A', description: null, 'x-vendor': [1] })
    const { description: _, ...rest } = tool('a', { title: 'A', 'x-vendor': [1] })
    assert.deepEqual(json, { ...rest, status: 'active', sortOrder: 0 })
    assert.equal((await patch({ 'x-vendor': null, status: 'paused' })).json['x-vendor'], undefined)
    assert.deepEqual(await listedNames(rollcall, endpoint), ['b', 'c'])
    assert.equal((await patch({ status: null })).json.status, 'active')
    assert.equal((await patch({ sortOrder: 9 })).json.sortOrder, 9)
    assert.deepEqual(await names(), ['b', 'c', 'a'])
    assert.deepEqual(wrongFields(await patch({ inputSchema: null, handler: null })).toSorted(), [
      'handler',
      'inputSchema',
    ])
  })

  it('renames a tool in its place, and not onto another', async () => {
    const renamed = await rollcall.admin('PATCH', `${path}/b`, { name: 'z' })
    assert.equal(renamed.status, 200, renamed.text)
    assert.deepEqual(renamed.json, { ...tool('b', { name: 'z' }), status: 'active', sortOrder: 1 })
    assert.deepEqual(await names(), ['a', 'z', 'c'])
    assert.equal((await rollcall.admin('GET', `${path}/b`)).status, 404)
    const taken = await rollcall.admin('PATCH', `${path}/z`, { name: 'a' })
    assert.deepEqual(refusal(taken), { status: 409, code: 'tool_name_taken' })
    assert.deepEqual(wrongFields(await rollcall.admin('PATCH', `${path}/z`, { name: 'no name' })), [
      'name',
    ])
  })

  it('deletes a tool', async () => {
    const gone = await rollcall.admin('DELETE', `${path}/b`)
    assert.deepEqual([gone.status, gone.text], [204, ''])
    assert.deepEqual(await names(), ['a', 'c'])
    assert.deepEqual(await listedNames(rollcall, endpoint), ['a', 'c'])
  })

  it('reorders: the named first, the rest behind them in their old order', async () => {
    const some = await reorder({ names: ['c'] })
    assert.equal(some.status, 200, some.text)
    assert.deepEqual(some.json, { names: ['c', 'a', 'b'] })
    assert.deepEqual((await reorder({ names: ['b', 'a'] })).json.names, ['b', 'a', 'c'])
    assert.deepEqual(await names(), ['b', 'a', 'c'])
    assert.deepEqual(await listedNames(rollcall, endpoint), ['b', 'a', 'c'])
    const same = await reorder({ names: [] })
    assert.deepEqual(same.json.names, ['b', 'a', 'c'])
    assert.equal(same.headers.get('etag'), '"3"')
  })

  it('refuses an order with unknown or repeated names, naming each', async () => {
    const answer = await reorder({ names: ['c', 'x', 'c', 'a', 'y'] })
    assert.deepEqual(wrongFields(answer), ['names[1]', 'names[2]', 'names[4]'])
    assert.deepEqual(wrongFields(await reorder({})), ['names'])
    assert.deepEqual(wrongFields(await reorder({ names: ['a', 1] })), ['names[1]'])
    assert.deepEqual(await names(), ['a', 'b', 'c'])
  })

  it('keeps members that MCP does not know as they were sent, to the byte', async () => {
    const definition =
      '{"x-first":{"b":1,"a":[1.5,-0.25,1e-7,true,null,{}],"__proto__":{"c":""}},"name":"raw",' +
      '"inputSchema":{"type":"object","$defs":{},"x-in":[[]]},"annotations":{"vendor":{"z":0}},' +
      String.raw`"x-text":"\u0000\u0007\\/\"天気🌦\ud800","constructor":{"toString":null}}`
    const body = `${definition.slice(0, -1)},"handler":${JSON.stringify(tool('raw').handler)}}`
    const made = await rollcall.admin('POST', path, body)
    assert.equal(made.status, 201, made.text)
    const list = await rollcall.post(endpoint, LIST, { 'mcp-protocol-version': '2025-11-25' })
    for (const [where, { text }] of Object.entries<Answer>({ made, list })) {
      const kept = String.raw`"x-text":"\u0000\u0007\\/\"天気🌦\ud800"`
      assert.ok(text.includes(kept), `${where}: ${text}`)
      assert.ok(text.includes(definition.slice(0, -1)), `${where}: ${text}`)
    }
  })

  // A patch took every null of the tool away, not only those it named.
  it('keeps a member that is null where a patch does not name it', async () => {
    await rollcall.admin('PUT', `${path}/a`, tool('a', { 'x-null': null }))
    const { json } = await rollcall.admin('PATCH', `${path}/a`, { title: 'A' })
    assert.deepEqual(json, {
      ...tool('a', { 'x-null': null, title: 'A' }),
      status: 'active',
      sortOrder: 0,
    })
  })

  it('raises the revision by one with every write, and says so in the audit log', async () => {
    const writes: [
      method: string,
      path: string,
      body: object | undefined,
      act: string,
      target: string,
    ][] = [
      ['POST', path, tool('d'), 'tools.create', `${id}/d`],
      ['PUT', `${path}/e`, tool('e'), 'tools.put', `${id}/e`],
      ['PATCH', `${path}/e`, { title: 'E' }, 'tools.patch', `${id}/e`],
      ['PATCH', `${path}/e`, { name: 'f' }, 'tools.patch', `${id}/f`],
      ['DELETE', `${path}/f`, undefined, 'tools.delete', `${id}/f`],
      ['POST', `${path}/reorder`, { names: ['c'] }, 'tools.reorder', id],
    ]
    for (const [n, [method, at, body, act, target]] of writes.entries()) {
      const answer = await rollcall.admin(method, at, body)
      assert.ok(answer.status < 300, answer.text)
      const revision = n + 2
      assert.equal(await revisionOf(rollcall, id), revision)
      const audit = await rollcall.admin('GET', '/audit?limit=1')
      const [{ actor, at: when, ...row }] = audit.json.items
      assert.equal(actor, 'operator')
      assert.ok(Math.abs(Date.parse(when) - Date.now()) < 60_000)
      assert.deepEqual([row.act, row.target, row.detail], [act, target, { revision }])
    }
  })
})
