import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { listAll, type ListBounds } from '../../../src/upstream/mcp/list-all.ts'
import {
  eventOf,
  legacyConnection,
  modernConnection,
  sendError,
  sendEvents,
  sendResult,
  startRemote,
  type Remote,
  type Write,
} from '../../support/remote-mcp.ts'

const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

const MODERN = modernConnection()
const tool = (name: string, members: object = {}) => ({
  name,
  inputSchema: { type: 'object' },
  ...members,
})

/** A server whose pages go by the cursor asked for; what is a function writes the answer itself. */
async function remoteOf(pages: Record<string, object | Write>): Promise<Remote> {
  const remote = await startRemote({
    'tools/list': (seen, to) => {
      const { cursor } = seen.body.params
      const page = pages[cursor === undefined ? 'first' : `cursor ${cursor}`]
      if (typeof page === 'function') return page(seen, to)
      if (page !== undefined) return sendResult(seen, to, page)
      return sendError(seen, to, { code: -32602, message: 'Invalid cursor' })
    },
  })
  open.push(remote)
  return remote
}

const list = ({ post }: Remote, bounds: ListBounds = {}, connection = MODERN) =>
  listAll(post, connection, 'tools', bounds)
const namesOf = ({ items }: { items: Record<string, unknown>[] }) => items.map(({ name }) => name)
const invalidCursor: Write = (seen, to) =>
  sendError(seen, to, { code: -32602, message: 'Invalid cursor' })

describe('listAll', () => {
  it('goes through all pages, by the empty cursor too, and takes null for the end', async () => {
    const remote = await remoteOf({
      first: { tools: [tool('a', { kept: 1 })], nextCursor: '' },
      'cursor ': { tools: [tool('b')], nextCursor: '2' },
      'cursor 2': { tools: [tool('c')], nextCursor: null },
    })
    const listed = await list(remote)
    assert.deepEqual(namesOf(listed), ['a', 'b', 'c'])
    assert.deepEqual(listed.items[0], tool('a', { kept: 1 }))
    assert.equal(listed.isTruncated, false)
    assert.ok(!('cursor' in remote.messages()[0].params))
  })

  it('70: stops at a repeated cursor with what is there', async () => {
    const remote = await remoteOf({
      first: { tools: [tool('a')], nextCursor: 'x' },
      'cursor x': { tools: [tool('b')], nextCursor: 'y' },
      'cursor y': { tools: [tool('c')], nextCursor: 'x' },
    })
    const listed = await list(remote)
    assert.deepEqual([namesOf(listed), listed.isTruncated], [['a', 'b', 'c'], true])
    assert.equal(remote.requests.length, 3)
  })

  it('70: stops after so many pages, items or bytes', async () => {
    const remote = await startRemote({
      'tools/list': (seen, to) => {
        const page = Number(seen.body.params.cursor ?? 0)
        const tools = [tool(`a${page}`), tool(`b${page}`)]
        sendResult(seen, to, { tools, nextCursor: String(page + 1) })
      },
    })
    open.push(remote)
    const counted = async (bounds: ListBounds) => {
      const { items, isTruncated } = await list(remote, bounds)
      assert.equal(isTruncated, true)
      return items.length
    }
    assert.equal(await counted({ maxPages: 3 }), 6)
    assert.equal(await counted({ maxItems: 5 }), 5)
    assert.equal(await counted({ maxBytes: 400 }), 6)
    assert.equal(await counted({}), 1000)
  })

  it('says no more than it read where a later page is too large, and fails at the first', async () => {
    const big = { tools: [tool('big', { description: 'x'.repeat(5000) })] }
    const later = await remoteOf({
      first: { tools: [tool('a')], nextCursor: '2' },
      'cursor 2': big,
    })
    const listed = await list(later, { maxBytes: 3000 })
    assert.deepEqual([namesOf(listed), listed.isTruncated], [['a'], true])
    await assert.rejects(list(await remoteOf({ first: big }), { maxBytes: 3000 }), {
      kind: 'too_large',
    })
  })

  it('starts over once when a cursor has become invalid', async () => {
    let lists = 0
    const remote = await remoteOf({
      first: (seen, to) => {
        lists += 1
        sendResult(seen, to, { tools: [tool(`a${lists}`)], nextCursor: `${lists}` })
      },
      'cursor 1': invalidCursor,
      'cursor 2': { tools: [tool('b')] },
    })
    assert.deepEqual(namesOf(await list(remote)), ['a2', 'b'])

    const never = await remoteOf({ first: { tools: [], nextCursor: 'x' } })
    await assert.rejects(list(never), { kind: 'rpc', code: -32602 })
    assert.equal(never.requests.length, 4)
  })

  it('fails where the first page does, without starting over', async () => {
    const remote = await remoteOf({ first: invalidCursor })
    await assert.rejects(list(remote), { kind: 'rpc', code: -32602 })
    assert.equal(remote.requests.length, 1)
    await assert.rejects(list(await remoteOf({ first: { prompts: [] } })), { kind: 'malformed' })
  })

  it('starts over once when the list changes under it', async () => {
    const remote = await remoteOf({
      first: { tools: [tool('a')], nextCursor: '2' },
      'cursor 2': (seen, to) =>
        sendEvents(
          to,
          eventOf({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }),
          eventOf({ jsonrpc: '2.0', id: seen.body.id, result: { tools: [tool('b')] } }),
        ),
    })
    assert.deepEqual(namesOf(await list(remote)), ['a', 'b'])
    assert.equal(remote.requests.length, 4)
  })

  it('71: leaves out what is unfit with a reason, and keeps the others', async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`)
    const tools = [
      tool('good'),
      tool('good', { description: 'the second of its name' }),
      null,
      'text',
      [],
      { inputSchema: { type: 'object' } },
      tool(''),
      tool('no-schema', { inputSchema: undefined }),
      tool('null-schema', { inputSchema: null }),
      tool('true-schema', { inputSchema: true }),
      tool('deep', { inputSchema: deep }),
      tool('long-schema', { inputSchema: { description: 'x'.repeat(256 * 1024) } }),
      tool('long', { description: 'é'.repeat(600 * 1024) }),
      tool('header', {
        inputSchema: { properties: { a: { type: 'number', 'x-mcp-header': 'A' } } },
      }),
      tool('fine', { description: 'x'.repeat(300 * 1024) }),
      tool('bad\nname'),
    ]
    const listed = await list(await remoteOf({ first: { tools } }))
    assert.deepEqual(namesOf(listed), ['good', 'fine', 'bad\nname'])
    assert.equal(listed.items[0]?.['description'], undefined)
    assert.deepEqual(
      listed.left.map(({ name, reason }) => `${name} ${reason}`),
      [
        'good stands twice',
        '#2 is no object',
        '#3 is no object',
        '#4 is no object',
        '#5 has no name',
        '#6 has no name',
        'no-schema has no object as its inputSchema',
        'null-schema has no object as its inputSchema',
        'true-schema has no object as its inputSchema',
        'deep nests deeper than 64',
        'long-schema has an inputSchema larger than 256 KiB',
        'long is larger than 1 MiB',
        'header inputSchema.properties.a.x-mcp-header needs type "string", "integer" or "boolean"',
      ],
    )
  })

  it('71: keeps a tool with an invalid header of a legacy server, where it has no meaning', async () => {
    const bad = tool('a', { inputSchema: { properties: { a: { 'x-mcp-header': 7 } } } })
    const remote = await remoteOf({ first: { tools: [bad] } })
    assert.deepEqual((await listAll(remote.post, legacyConnection(), 'tools')).items, [bad])
  })

  it('gives the least time that all pages may be kept, if each says one', async () => {
    const pagesOf = (...ttls: (number | undefined)[]) =>
      Object.fromEntries(
        ttls.map((ttlMs, page) => [
          page === 0 ? 'first' : `cursor ${page}`,
          { tools: [], ttlMs, ...(page < ttls.length - 1 && { nextCursor: `${page + 1}` }) },
        ]),
      )
    const ttlOf = async (...ttls: (number | undefined)[]) =>
      (await list(await remoteOf(pagesOf(...ttls)))).ttlMs
    assert.equal(await ttlOf(500), 500)
    assert.equal(await ttlOf(500, 100, 300), 100)
    assert.equal(await ttlOf(500, 0), undefined)
    assert.equal(await ttlOf(undefined, 100), undefined)
    assert.equal(await ttlOf(500, undefined), undefined)
  })

  it('lists prompts, resources and templates by their own keys', async () => {
    const remote = await startRemote({
      'prompts/list': { prompts: [{ name: 'p' }, {}] },
      'resources/list': { resources: [{ uri: 'a:b', name: 'r' }, { name: 'r' }] },
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'a:{b}' }, {}] },
    })
    open.push(remote)
    for (const kind of ['prompts', 'resources', 'resourceTemplates'] as const) {
      const { items, left } = await listAll(remote.post, MODERN, kind)
      assert.deepEqual([items.length, left.length], [1, 1])
    }
  })
})
