/** The tools of a remote server in the admin API: what the operator may say of them, and what not. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  listedNames,
  readServer,
  refusal,
  revisionOf,
  toolNames,
  untilPublished,
  wrongFields,
} from '../support/admin.ts'
import { legacy, LIST } from '../support/messages.ts'
import { applySnapshot, readOnce, remoteTool, snapshot } from '../support/remotes.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { tool } from '../support/servers.ts'

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall()
})
after(() => rollcall.close())

const read = (tools: readonly object[], members: object = {}) => readOnce(rollcall, tools, members)
const serverOf = (id: string) => readServer(rollcall, id)
const patchTool = (id: string, name: string, patch: object) =>
  rollcall.admin('PATCH', `/servers/${id}/tools/${name}`, patch)

describe('the tools of a remote server', () => {
  it('are listed and found, paused ones too, with their handlers', async () => {
    const { id } = await read([remoteTool('a')], { overrides: { a: { status: 'paused' } } })
    const expected = {
      ...remoteTool('a'),
      status: 'paused',
      sortOrder: 1_000_000,
      handler: { kind: 'mcp', name: 'a' },
    }
    const list = await rollcall.admin('GET', `/servers/${id}/tools`)
    assert.deepEqual(list.json.items, [expected])
    assert.deepEqual((await rollcall.admin('GET', `/servers/${id}/tools/a`)).json, expected)
  })

  it('are not ours to add, replace or take away', async () => {
    const { id } = await read([remoteTool('a')])
    const answers = [
      await rollcall.admin('POST', `/servers/${id}/tools`, tool('b')),
      await rollcall.admin('PUT', `/servers/${id}/tools/a`, tool('a')),
      await rollcall.admin('DELETE', `/servers/${id}/tools/a`),
    ]
    for (const answer of answers) {
      assert.deepEqual(refusal(answer), { status: 409, code: 'remote_tools' })
    }
    assert.deepEqual(await toolNames(rollcall, id), ['a'])
  })

  it('are shown as the operator says, through refreshes, until that is taken back', async () => {
    const { id, endpoint } = await read([remoteTool('get it'), remoteTool('b')])
    const [made = ''] = await toolNames(rollcall, id)
    const patched = await patchTool(id, made, { name: 'get', title: 'Get', sortOrder: 7 })
    assert.equal(patched.status, 200, patched.text)
    assert.deepEqual(patched.json, {
      ...remoteTool('get it'),
      name: 'get',
      title: 'Get',
      status: 'active',
      sortOrder: 7,
      handler: { kind: 'mcp', name: 'get it' },
    })
    const changed = remoteTool('get it', { description: 'Better' })
    await applySnapshot(rollcall, id, snapshot([remoteTool('b'), changed]))
    const headers = { 'mcp-protocol-version': '2025-06-18' }
    const { json } = await rollcall.post(endpoint, LIST, headers)
    assert.deepEqual(json.result.tools, [
      { ...changed, name: 'get', title: 'Get' },
      remoteTool('b'),
    ])
    const back = await patchTool(id, 'get', { name: null, title: null, sortOrder: null })
    assert.equal(back.json.name, made)
    assert.equal('title' in back.json, false)
    assert.equal('overrides' in (await serverOf(id)), false)
  })

  it('are paused, and then are neither listed nor called', async () => {
    const { id, endpoint } = await read([remoteTool('a'), remoteTool('b')])
    assert.equal((await patchTool(id, 'a', { status: 'paused' })).json.status, 'paused')
    assert.deepEqual(await listedNames(rollcall, endpoint), ['b'])
    const called = await rollcall.post(endpoint, legacy('tools/call', { name: 'a' }))
    assert.equal(called.json.error.message, 'Tool not found: a')
    assert.equal((await patchTool(id, 'a', { status: 'active' })).json.status, 'active')
    assert.equal('overrides' in (await serverOf(id)), false)
  })

  it('are changed in nothing else, and to no name that is taken', async () => {
    const { id } = await read([remoteTool('a'), remoteTool('b')])
    const wrong = await patchTool(id, 'a', { inputSchema: {}, handler: {}, name: 'not valid' })
    assert.deepEqual(wrongFields(wrong).toSorted(), ['handler', 'inputSchema', 'name'])
    const taken = await patchTool(id, 'a', { name: 'b' })
    assert.deepEqual(refusal(taken), { status: 409, code: 'tool_name_taken' })
    const overrides = { a: { name: 'b' } }
    const patched = await rollcall.admin('PATCH', `/servers/${id}`, { overrides })
    assert.deepEqual(wrongFields(patched), ['overrides.a.name'])
    const swapped = { a: { name: 'b' }, b: { name: 'a' } }
    const swap = await rollcall.admin('PATCH', `/servers/${id}`, { overrides: swapped })
    assert.equal(swap.status, 200, swap.text)
    assert.deepEqual(refusal(await patchTool(id, 'gone', {})), {
      status: 404,
      code: 'tool_not_found',
    })
  })

  it('are ordered: the named ones first, then those that had an order, then as they come', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    const { id } = await read(names.map((name) => remoteTool(name)))
    const reorder = (first: string[]) =>
      rollcall.admin('POST', `/servers/${id}/tools/reorder`, { names: first })
    assert.deepEqual((await reorder(['d'])).json.names, ['d', 'a', 'b', 'c', 'e'])
    const again = await reorder(['b', 'e'])
    assert.deepEqual(again.json.names, ['b', 'e', 'd', 'a', 'c'])
    assert.equal(again.headers.get('etag'), `"${await revisionOf(rollcall, id)}"`)
    await applySnapshot(rollcall, id, snapshot(names.toReversed().map((name) => remoteTool(name))))
    assert.deepEqual(await toolNames(rollcall, id), ['b', 'e', 'd', 'c', 'a'])
    assert.deepEqual(wrongFields(await reorder(['x'])), ['names[0]'])
  })

  it('come back with a rollback as they were shown, of the lists of now', async () => {
    const { id } = await read([remoteTool('a')])
    const { json } = await rollcall.admin('PATCH', `/servers/${id}`, {
      overrides: { a: { title: 'First' } },
    })
    await untilPublished(rollcall, id)
    await rollcall.admin('PATCH', `/servers/${id}`, { overrides: null })
    await applySnapshot(rollcall, id, snapshot([remoteTool('a'), remoteTool('b')]))
    const body = { revision: json.revision }
    const rolled = await rollcall.admin('POST', `/servers/${id}/rollback`, body)
    assert.equal(rolled.status, 200, rolled.text)
    const { json: list } = await rollcall.admin('GET', `/servers/${id}/tools`)
    assert.deepEqual(
      list.items.map(({ name, title }: { name: string; title?: string }) => [name, title]),
      [
        ['a', 'First'],
        ['b', undefined],
      ],
    )
  })
})
