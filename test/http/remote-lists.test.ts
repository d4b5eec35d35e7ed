import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { toolNames } from '../support/admin.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { refresh, serverOf, untilServer } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { FRAMINGS, type FramingName } from '../support/upstreams/crooked-framing.ts'
import { LISTS, ODD_NAMES, type ListName } from '../support/upstreams/crooked-lists.ts'
import {
  startCrookedMcp,
  type CrookedBehaviour,
  type CrookedMcp,
} from '../support/upstreams/mcp-crooked.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: CrookedMcp[] = []
after(() => Promise.all(open.map((upstream) => upstream.close())))

async function serve(behaviour: CrookedBehaviour) {
  const upstream = await startCrookedMcp(behaviour)
  open.push(upstream)
  return { upstream, server: await relay.serve(upstream.url) }
}

const namesOf = (id: string): Promise<string[]> => toolNames(relay.rollcall, id)
const leftOf = ({ upstream }: { upstream: { left: { name: string; reason: string }[] } }) =>
  upstream.left.map(({ name, reason }) => `${name} ${reason}`)
const call = async ({ endpoint }: { endpoint: string }, name = 'good') =>
  (await relay.rollcall.post(endpoint, legacy('tools/call', { name }))).json.result
const listings = (upstream: CrookedMcp) =>
  upstream.methods().filter((method) => method === 'tools/list').length

/** The tools that are shown of each list, which none of them can keep from being served. */
const SHOWN: Partial<Record<ListName, readonly string[]>> = {
  plain: ['good', 'other', 'third'],
  'repeated cursor': ['tool_0', 'tool_1'],
  'empty cursor': ['tool_0', 'tool_1'],
  'null cursor': ['tool_0'],
  'number cursor': ['tool_0'],
  'invalid cursor once': ['one', 'two'],
  'no names': ['good'],
  'no schema': ['good'],
  'null schema': ['good'],
  'deep schema': ['good'],
  'large schema': ['good'],
  'bad headers': ['good'],
  'no objects': ['good'],
  duplicates: ['good', 'same'],
  bare: ['good'],
}

/** What is wrong with lists of which nothing can be shown. */
const PROBLEMS: Partial<Record<ListName, RegExp>> = {
  'invalid cursor': /-32602/,
  'breaks later': /500/,
  'no tools': /no list/,
  'tools no list': /no list/,
  huge: /larger|large|MiB/,
  task: /unknown type/,
  error: /-32603/,
  '500': /500/,
  'the connection ends': /cannot be reached/,
}

describe('The lists of a remote server', () => {
  for (const [name, shown] of Object.entries(SHOWN)) {
    it(`70, 71: are shown as far as they are fit: ${name}`, async () => {
      const { server } = await serve({ list: name as ListName })
      assert.deepEqual(await namesOf(server.id), shown)
      assert.equal('problem' in server.upstream, false)
      const [first = ''] = shown
      assert.equal((await call(server, first)).content[0].text, `called ${first}`)
    })
  }

  for (const name of [
    'odd schemas',
    'doubling refs',
    'doubling allOf',
    'cyclic refs',
    'slow pattern',
    'remote ref',
  ] as const) {
    it(`55: do nobody harm by their schemas: ${name}`, async () => {
      const { upstream, server } = await serve({ list: name })
      const names = await namesOf(server.id)
      const startedAt = Date.now()
      for (const one of names) await call(server, one)
      assert.ok(Date.now() - startedAt < 5000)
      assert.equal(
        upstream.requests.every(({ path }) => path === '/mcp'),
        true,
      )
    })
  }

  for (const [name, problem] of Object.entries(PROBLEMS)) {
    it(`70: are none, with the problem told, where nothing can be read: ${name}`, async () => {
      const { server } = await serve({ list: name as ListName })
      assert.match(server.upstream.problem, problem)
      assert.equal(server.toolCount, 0)
    })
  }

  it('have all been tried here', () => {
    const apart = [
      'endless',
      'cycle',
      'many',
      'names',
      'session lost',
      'session refused',
      '-32020',
      'no answer',
      'odd schemas',
      'doubling refs',
      'doubling allOf',
      'cyclic refs',
      'slow pattern',
      'remote ref',
    ]
    const tried = [...Object.keys(SHOWN), ...Object.keys(PROBLEMS), ...apart]
    assert.deepEqual(tried.toSorted(), Object.keys(LISTS).toSorted())
  })

  it('70: end somewhere where their pages do not', async () => {
    for (const [list, most] of [
      ['endless', 500],
      ['cycle', 3],
    ] as const) {
      const { upstream, server } = await serve({ list })
      const read = await untilServer(relay.rollcall, server.id, (one) => one.upstream.refreshedAt)
      assert.equal(read.upstream.truncated, true)
      assert.equal(read.toolCount, most)
      assert.equal(listings(upstream), most)
    }
  })

  it('70: of 100,000 tools have as many as a server may', async () => {
    const { upstream, server } = await serve({ list: 'many' })
    const read = await untilServer(relay.rollcall, server.id, (one) => one.upstream.refreshedAt)
    assert.equal(read.upstream.truncated, true)
    assert.equal(read.toolCount, 20_000)
    assert.ok(listings(upstream) <= 21)
  })

  it('tell what is left out, and why', async () => {
    const rows: [ListName, readonly string[]][] = [
      ['duplicates', ['same stands twice']],
      ['no schema', ['bad has no object as its inputSchema']],
      ['no names', ['#0 has no name', '#1 has no name', '#2 has no name', '#3 has no name']],
      ['no objects', ['#0 is no object', '#1 is no object', '#2 is no object', '#3 is no object']],
    ]
    for (const [list, left] of rows) {
      const { server } = await serve({ list })
      assert.deepEqual(leftOf(server), left)
      assert.equal(server.upstream.leftCount, left.length)
    }
    const { server } = await serve({ list: 'bad headers' })
    assert.ok(leftOf(server).every((line) => line.includes('x-mcp-header')))
    const { server: older } = await serve({ list: 'bad headers', probe: '-32601 at 200' })
    assert.equal(older.upstream.leftCount, 0) // where they mean nothing
  })

  it('51: have odd names made valid, the same each time, and calls find their way back', async () => {
    const { upstream, server } = await serve({ list: 'names' })
    const names = await namesOf(server.id)
    assert.equal(new Set(names).size, names.length)
    for (const name of names) assert.match(name, /^[A-Za-z0-9_.-]{1,64}$/)
    const left = new Set(['', '__proto__'])
    assert.equal(names.length, ODD_NAMES.length + 1 - left.size)
    const { items } = (await relay.rollcall.admin('GET', `/servers/${server.id}/tools`)).json
    for (const { name, handler } of items) {
      assert.equal((await call(server, name)).content[0].text, `called ${handler.name}`)
      assert.equal(upstream.requests.at(-1)?.body.params.name, handler.name)
    }
    await refresh(relay.rollcall, server.id)
    assert.deepEqual(await namesOf(server.id), names)
    assert.equal((await serverOf(relay.rollcall, server.id)).revision, server.revision)
  })

  for (const framing of Object.keys(FRAMINGS)) {
    it(`68: and calls are read in whatever way they are framed: ${framing}`, async () => {
      const { server } = await serve({ framing: framing as FramingName })
      if (framing === 'sse-cut') return assert.equal(server.toolCount, 0)
      assert.deepEqual(await namesOf(server.id), ['good', 'other', 'third'])
      assert.equal((await call(server)).content[0].text, 'called good')
    })
  }

  it('71: are read again where a call has the wrong headers, and it goes out once more', async () => {
    const { upstream, server } = await serve({ call: '-32020 once' })
    const answer = await relay.rollcall.post(
      server.endpoint,
      modern('tools/call', { name: 'good' }),
      modernHeaders('tools/call', 'good'),
    )
    assert.equal(answer.json.result.content[0].text, 'called good')
    assert.equal(listings(upstream), 2)
    upstream.behaviour.call = '-32020'
    const refused = await call(server)
    assert.equal(refused.isError, true)
    assert.equal(upstream.methods().filter((method) => method === 'tools/call').length, 4)
  })
})
