/** The tricks of the crooked upstreams are real, and their good side is what the official client takes. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { CALLS, type CallName } from '../support/upstreams/crooked-calls.ts'
import { FRAMINGS, type FramingName } from '../support/upstreams/crooked-framing.ts'
import { LISTS, type ListName } from '../support/upstreams/crooked-lists.ts'
import { closedUrl, PROBES, type ProbeName } from '../support/upstreams/crooked-probes.ts'
import {
  startCrookedMcp,
  type CrookedBehaviour,
  type CrookedMcp,
} from '../support/upstreams/mcp-crooked.ts'

const REVISION = '2026-07-28'
/** What never ends, and so is looked at by itself. */
const ENDLESS = new Set<string>([
  'no answer',
  'silent stream',
  'endless line',
  'progress for ever',
  'asks and waits',
])

/** Legacy by mcp-protocol.md §8.1; the official client calls the first unusable and waits at the second. */
const NOT_SO_TO_THE_CLIENT = new Set<string>(['HTML 200', 'empty 202'])

/** No answer to the official client: the first by the standard, the second since it waits for an LF. */
const NOT_SO_UNDERSTOOD = new Set<string>(['sse-cut', 'sse-cr-end'])

async function start(t: TestContext, behaviour: CrookedBehaviour = {}) {
  const upstream = await startCrookedMcp(behaviour)
  t.after(() => upstream.close())
  return upstream
}

async function connect(t: TestContext, upstream: CrookedMcp) {
  const client = new Client(
    { name: 'client', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' } },
  )
  t.after(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(upstream.url)))
  return client
}

/** One request by hand, of the stateless era unless its parameters say otherwise. */
function post(upstream: CrookedMcp, body: object, init: RequestInit = {}) {
  return fetch(upstream.url, {
    ...init,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  })
}

const _meta = { 'io.modelcontextprotocol/protocolVersion': REVISION }
const list = (cursor?: unknown) => ({ method: 'tools/list', params: { cursor, _meta } })
const call = { method: 'tools/call', params: { name: 'x', arguments: {}, _meta } }

/** The page of a list. */
async function pageOf(upstream: CrookedMcp, cursor?: unknown) {
  const { result } = await (
    await post(upstream, list(cursor))
  ).json<{
    result: { tools: { name: string }[]; nextCursor?: unknown }
  }>()
  return result
}

describe('The crooked upstreams of the tests', { timeout: 20_000, concurrency: true }, () => {
  for (const [name, { verdict }] of Object.entries(PROBES)) {
    if (verdict !== 'modern' && verdict !== 'legacy') continue
    if (NOT_SO_TO_THE_CLIENT.has(name)) continue
    it(`are ${verdict} to the official client where the probe says ${name}`, async (t) => {
      const upstream = await start(t, { probe: name as ProbeName })
      const client = await connect(t, upstream)
      assert.equal(client.getProtocolEra(), verdict)
      const { content } = await client.callTool({ name: 'good' })
      assert.deepEqual(content, [{ type: 'text', text: 'called good' }])
    })
  }

  it('are no upstream where the connection fails', async (t) => {
    await assert.rejects(connect(t, await start(t, { probe: 'the connection ends' })))
    await assert.rejects(connect(t, await start(t, { probe: '503' })))
    await assert.rejects(fetch(await closedUrl()))
  })

  for (const name of Object.keys(FRAMINGS) as FramingName[]) {
    if (NOT_SO_UNDERSTOOD.has(name)) continue
    it(`are understood by the official client with ${name}`, async (t) => {
      const client = await connect(t, await start(t, { framing: name }))
      assert.deepEqual(
        (await client.listTools()).tools.map((one) => one.name),
        ['good', 'other', 'third'],
      )
      const { content } = await client.callTool({ name: 'good' })
      assert.deepEqual(content, [{ type: 'text', text: 'called good' }])
    })
  }

  it('page as they are told', async (t) => {
    const cursors = async (name: ListName, ...asked: unknown[]) => {
      const upstream = await start(t, { list: name })
      const pages = []
      for (const cursor of [undefined, ...asked]) pages.push(await pageOf(upstream, cursor))
      return pages.map(({ nextCursor }) => nextCursor)
    }
    assert.deepEqual(await cursors('endless', 'page-0'), ['page-0', 'page-1'])
    assert.deepEqual(await cursors('repeated cursor', 'same'), ['same', 'same'])
    assert.deepEqual(await cursors('cycle', 'a', 'b'), ['a', 'b', 'a'])
    assert.deepEqual(await cursors('empty cursor', ''), ['', undefined])
    assert.deepEqual(await cursors('null cursor'), [null])
    assert.deepEqual(await cursors('many', '99000'), ['1000', undefined])
  })

  it('answer every list and every call in a bounded time, but for those that say they do not', async (t) => {
    for (const name of Object.keys(LISTS) as ListName[]) {
      if (ENDLESS.has(name) || name === 'huge') continue
      const upstream = await start(t, { list: name })
      const answer = post(upstream, list()).then((response) => response.text())
      await (name === 'the connection ends' ? assert.rejects(answer) : answer)
    }
    const broken = new Set(['the connection ends', 'ends within'])
    for (const name of Object.keys(CALLS) as CallName[]) {
      if (ENDLESS.has(name) || name === 'huge') continue
      const upstream = await start(t, { call: name })
      const answer = post(upstream, call).then((response) => response.text())
      await (broken.has(name) ? assert.rejects(answer) : answer)
    }
  })

  for (const name of ['no answer', 'silent stream', 'endless line', 'progress for ever'] as const) {
    it(`see the client leave: ${name}`, async (t) => {
      const upstream = await start(t, { call: name })
      const abort = new AbortController()
      const answer = post(upstream, call, { signal: abort.signal }).then((response) =>
        response.text(),
      )
      const seen = await upstream.untilRequest(({ body }) => body?.method === 'tools/call')
      abort.abort()
      await assert.rejects(answer)
      await seen.aborted
    })
  }

  it('wait for the answers to what they ask', async (t) => {
    const upstream = await start(t, { call: 'asks and waits' })
    const answer = post(upstream, call).then((response) => response.text())
    await upstream.untilRequest(({ body }) => body?.method === 'tools/call')
    const reply = { id: 'ping-1', result: {} }
    await post(upstream, reply)
    await post(upstream, { id: 'sample-1', error: { code: -32601, message: 'no' } })
    assert.match(await answer, /ping-1.*sample-1.*-32601/)
  })

  it('give the answer of a stream that ended to a GET that names its event', async (t) => {
    const upstream = await start(t, { probe: '-32601 at 200', call: 'ends, resumable' })
    const first = await (await post(upstream, call)).text()
    const [, id = ''] = /id: (.+)/.exec(first) ?? []
    const again = await fetch(upstream.url, { headers: { 'last-event-id': id } })
    assert.match(await again.text(), /called resumed/)
    const lost = await fetch(upstream.url, { headers: { 'last-event-id': 'lost' } })
    assert.equal(lost.status, 404)
  })

  it('lose a session once, and change while they run', async (t) => {
    const upstream = await start(t, { call: 'session lost', probe: '-32601 at 200' })
    const legacyCall = { method: 'tools/call', params: { name: 'x' } }
    assert.equal((await post(upstream, legacyCall)).status, 404)
    assert.equal((await post(upstream, legacyCall)).status, 200)
    upstream.behaviour.call = '-32021'
    assert.equal((await post(upstream, legacyCall)).status, 400)
    assert.deepEqual(upstream.methods(), ['tools/call', 'tools/call', 'tools/call'])
  })
})
