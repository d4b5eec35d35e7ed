/** Results of remote servers as clients of each revision get them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { DOWNSTREAM_KINDS } from '../support/downstreams.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { startLegacyMcp, type LegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp, type ModernMcp } from '../support/upstreams/mcp-modern.ts'
import type { OfferedTool } from '../support/upstreams/mcp-world.ts'

const ODD_SCHEMA = {
  type: 'object',
  'x-vendor': { deep: [1, { a: null }] },
  properties: { n: { type: 'integer', 'x-hint': 'small' } },
  $defs: { unused: { $anchor: 'here', type: 'string' } },
}
const ODD_RESULT = {
  content: [
    {
      type: 'text',
      text: 'odd',
      annotations: { priority: 0.1 },
      _meta: { 'a.b/c': 1 },
    },
  ],
  extra: { deep: true },
  _meta: { 'a.b/c': { d: 1 }, 'io.modelcontextprotocol/related-task': { taskId: 't' } },
}
const odd = (members: object = {}): OfferedTool => ({
  definition: {
    name: 'odd',
    inputSchema: ODD_SCHEMA,
    execution: { taskSupport: 'optional' },
    ...members,
  },
  run: () => ODD_RESULT,
})
const fetching = (url: string): OfferedTool => ({
  definition: {
    name: 'fetching',
    inputSchema: { type: 'object', properties: { x: { $ref: `${url}/schema.json` } } },
    outputSchema: { type: 'object', properties: { y: { $ref: `${url}/schema.json` } } },
  },
  run: () => ({ content: [], structuredContent: { y: 1 } }),
})

const BIG_CHARACTERS = 3 * 1024 * 1024
const big: OfferedTool = {
  definition: { name: 'big', inputSchema: { type: 'object' } },
  run: () => ({ content: [{ type: 'text', text: 'ü'.repeat(BIG_CHARACTERS / 2) }] }),
}

const VALUES = [null, 0, false, '', [], [1], 'text', { a: 1 }]

describe('A result of a remote server', () => {
  let relay: Relay
  let upstream: ModernMcp
  let session: LegacyMcp
  let endpoints: Record<string, string>
  before(async () => {
    relay = await startRelay()
    upstream = await startModernMcp({ kind: 'modern' })
    session = await startLegacyMcp({ kind: 'sessions' })
    for (const { world, url } of [upstream, session]) {
      await world.setTool(odd())
      await world.setTool(big)
      await world.setTool(fetching(new URL(url).origin))
    }
    endpoints = {
      'a modern server': (await relay.serve(upstream.url)).endpoint,
      'a session server': (await relay.serve(session.url)).endpoint,
    }
  })
  after(async () => {
    await relay.close()
    await upstream.close()
    await session.close()
  })

  for (const server of ['a modern server', 'a session server']) {
    for (const [clientName, client] of Object.entries(DOWNSTREAM_KINDS)) {
      it(`52: of ${server} is what ${clientName} can read`, async () => {
        const { revision } = client
        const call = await client.connect(relay.rollcall, endpoints[server] ?? '')
        const blockOf = async (name: string) => (await call(name)).answer.result.content[0]
        const hasLinks = revision >= '2025-06-18'
        assert.equal((await blockOf('image')).type, 'image')
        assert.equal((await blockOf('audio')).type, revision > '2024-11-05' ? 'audio' : 'text')
        const link = await blockOf('link')
        if (hasLinks) assert.equal(link.uri, 'memo://one')
        else assert.deepEqual(link, { type: 'text', text: 'one: memo://one' })
        assert.equal((await blockOf('embedded')).resource.text, 'the first memo')
        const { result } = (await call('add', { a: 1, b: 2 })).answer
        assert.deepEqual(result.structuredContent, hasLinks ? { sum: 3 } : undefined)
        assert.deepEqual(result.content, [{ type: 'text', text: '{"sum":3}' }])
        assert.equal(result.resultType, revision === '2026-07-28' ? 'complete' : undefined)
        const failed = (await call('fails', { text: 'no' })).answer.result
        assert.equal(failed.isError, true)
        assert.deepEqual(failed.content, [{ type: 'text', text: 'no' }])
      })

      it(`of ${server} comes whole to ${clientName}, however long it is`, async () => {
        const call = await client.connect(relay.rollcall, endpoints[server] ?? '')
        const { answer } = await call('big')
        assert.equal(answer.result.content[0].text.length, BIG_CHARACTERS / 2)
      })

      it(`54: of ${server} keeps what nobody knows for ${clientName}, but not another hop's`, async () => {
        const call = await client.connect(relay.rollcall, endpoints[server] ?? '')
        const { result } = (await call('odd')).answer
        assert.deepEqual(result.extra, { deep: true })
        const hasMeta = client.revision >= '2025-06-18'
        assert.deepEqual(result.content[0]._meta, hasMeta ? { 'a.b/c': 1 } : undefined)
        const { 'io.modelcontextprotocol/serverInfo': info, ...meta } = result._meta
        assert.deepEqual(meta, { 'a.b/c': { d: 1 } })
        if (client.revision === '2026-07-28') assert.match(info.name, /^Remote/)
        else assert.equal(info, undefined)
      })
    }

    it(`52, 54: of ${server} is of a tool that keeps its schema, and is no task for a modern client`, async () => {
      const path = endpoints[server] ?? ''
      const toolOf = (tools: { name: string; inputSchema: object }[]) =>
        tools.find(({ name }) => name === 'odd') ?? assert.fail()
      const list = await relay.rollcall.post(
        path,
        modern('tools/list'),
        modernHeaders('tools/list'),
      )
      const tool = toolOf(list.json.result.tools)
      assert.deepEqual(tool.inputSchema, ODD_SCHEMA)
      assert.equal('execution' in tool, false)
      const inSession = await openSession(relay.rollcall, path)
      const old = toolOf((await inSession.post(legacy('tools/list'))).json.result.tools)
      assert.deepEqual(old.inputSchema, ODD_SCHEMA)
    })

    it(`55: of ${server} is had without a look at what its schemas refer to`, async () => {
      const path = endpoints[server] ?? ''
      const message = legacy('tools/call', { name: 'fetching', arguments: { x: 1 } })
      assert.equal((await relay.rollcall.post(path, message)).status, 200)
      for (const one of [upstream, session]) assert.equal(one.countOf('/schema.json'), 0)
    })
  }

  it('53: may have any structured content for a modern client, and objects alone before', async () => {
    const path = endpoints['a modern server'] ?? ''
    const client = DOWNSTREAM_KINDS['a modern client'] ?? assert.fail()
    const call = await client.connect(relay.rollcall, path)
    const inSession = await openSession(relay.rollcall, path)
    for (const value of VALUES) {
      const { result } = (await call('value', { value })).answer
      assert.ok('structuredContent' in result, JSON.stringify(value))
      assert.deepEqual(result.structuredContent, value)
      const message = legacy('tools/call', { name: 'value', arguments: { value } })
      const old = (await inSession.post(message)).json.result
      const isObject = JSON.stringify(value).startsWith('{')
      assert.deepEqual(old.structuredContent, isObject ? value : undefined)
      assert.equal(old.content[0].text, JSON.stringify(value))
    }
    const { tools } = (await inSession.post(legacy('tools/list'))).json.result
    const { outputSchema } = tools.find(({ name }: { name: string }) => name === 'value')
    assert.equal(outputSchema, undefined)
  })
})
