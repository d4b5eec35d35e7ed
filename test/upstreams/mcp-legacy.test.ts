/** The session-era upstreams of the tests, met by the official client of SDK v1. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createInbox } from '../support/inbox.ts'
import {
  startLegacyMcp,
  type LegacyMcp,
  type LegacyOptions,
} from '../support/upstreams/mcp-legacy.ts'

const KINDS = ['sessions', 'json', 'stateless', 'sse'] as const

const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }

async function meet(t: TestContext, options: LegacyOptions) {
  const upstream = await startLegacyMcp(options)
  t.after(() => upstream.close())
  return { upstream, ...(await connect(t, upstream, options)) }
}

async function connect(t: TestContext, upstream: LegacyMcp, { kind }: LegacyOptions) {
  const client = new Client({ name: 'client', version: '1.0.0' }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }))
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'm',
    role: 'assistant',
    content: { type: 'text', text: 'an idea' },
  }))
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///home' }] }))
  const url = new URL(upstream.url)
  const transport =
    kind === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url)
  await client.connect(transport)
  t.after(() => client.close())
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args })
    const [block] = result.content as { text: string }[]
    return block?.text
  }
  return { client, call }
}

describe('The session-era upstreams of the tests', { timeout: 20_000 }, () => {
  for (const kind of KINDS) {
    it(`offer tools, prompts, resources and completion with ${kind}`, async (t) => {
      const { client, call } = await meet(t, { kind, pageSize: 2 })
      const first = await client.listTools()
      assert.deepEqual(
        first.tools.map(({ name }) => name),
        ['echo', 'add'],
      )
      const second = await client.listTools({ cursor: first.nextCursor ?? '' })
      assert.equal(second.tools[0]?.name, 'progress')
      await assert.rejects(client.listTools({ cursor: 'junk' }), { code: -32602 })
      assert.equal(await call('echo', { text: 'hello' }), 'hello')
      const sum = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
      assert.deepEqual(sum.structuredContent, { sum: 3 })
      assert.equal((await client.callTool({ name: 'fails' })).isError, true)
      await assert.rejects(client.callTool({ name: 'throws' }), { code: -32603 })
      await assert.rejects(client.callTool({ name: 'unknown' }), { code: -32602 })
      for (const name of ['image', 'audio', 'link', 'embedded']) {
        const { content } = await client.callTool({ name })
        assert.equal((content as object[]).length, 1)
      }
      const greeting = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })
      assert.deepEqual(greeting.messages[0]?.content, { type: 'text', text: 'Greet Ada, plainly' })
      const note = await client.readResource({ uri: 'memo://notes/7' })
      assert.deepEqual(note.contents, [
        { uri: 'memo://notes/7', mimeType: 'text/plain', text: 'note 7' },
      ])
      await assert.rejects(client.readResource({ uri: 'memo://none' }), { code: -32002 })
      const completed = await client.complete({
        ref: { type: 'ref/prompt', name: 'greet' },
        argument: { name: 'name', value: 'A' },
      })
      assert.deepEqual(completed.completion.values, ['Ada', 'Alan'])
    })
  }

  for (const kind of ['sessions', 'sse'] as const) {
    it(`talk back during a call with ${kind}`, async (t) => {
      const { client, call } = await meet(t, { kind })
      const progress: unknown[] = []
      const logs: unknown[] = []
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        logs.push(params.data)
      })
      client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
        progress.push(params.progress)
      })
      await client.callTool({ name: 'progress', _meta: { progressToken: 'p' } })
      assert.deepEqual(progress, [1, 2, 3])
      assert.deepEqual(logs, ['did step 1', 'did step 2', 'did step 3'])
      const who = { action: 'accept', content: { name: 'Ada' } }
      const idea = { model: 'm', role: 'assistant', content: { type: 'text', text: 'an idea' } }
      const where = { roots: [{ uri: 'file:///home' }] }
      assert.deepEqual(JSON.parse((await call('elicit')) ?? ''), { who })
      assert.deepEqual(JSON.parse((await call('several')) ?? ''), { who, idea, where })
      assert.deepEqual(JSON.parse((await call('rounds')) ?? ''), { first: who, second: idea })
      assert.deepEqual(JSON.parse((await call('state_only')) ?? ''), { again: true })
      const read = await client.readResource({ uri: 'memo://asking' })
      assert.deepEqual(JSON.parse((read.contents[0] as { text: string }).text), { who })
    })

    it(`tell of changes with ${kind}`, async (t) => {
      const { client, upstream } = await meet(t, { kind })
      const told = createInbox<string>()
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => told.put('tools'))
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        told.put(params.uri),
      )
      if (kind === 'sessions') await upstream.untilRequest(({ method }) => method === 'GET')
      await client.subscribeResource({ uri: 'memo://one' })
      await upstream.world.addTool('later')
      assert.equal(await told.next(), 'tools')
      await upstream.world.updateResource('memo://blob')
      await upstream.world.updateResource('memo://one')
      assert.equal(await told.next(), 'memo://one')
      const { tools } = await client.listTools()
      assert.equal(tools.at(-1)?.name, 'later')
    })
  }

  it('see a slow call cancelled, and let another finish', async (t) => {
    const { client, upstream, call } = await meet(t, { kind: 'sessions' })
    const abort = new AbortController()
    const args = { name: 'slow', arguments: { key: 'a' } }
    const cancelled = client.callTool(args, undefined, { signal: abort.signal })
    assert.equal(await upstream.world.started.next(), 'a')
    abort.abort()
    await assert.rejects(cancelled)
    assert.equal(await upstream.world.cancelled.next(), 'a')
    const finished = call('slow', { key: 'b' })
    assert.equal(await upstream.world.started.next(), 'b')
    upstream.world.release('b')
    assert.equal(await finished, 'b finished')
  })

  it('end a stream before its answer, which is taken up with Last-Event-ID', async (t) => {
    const { upstream, call } = await meet(t, { kind: 'sessions', retryMs: 20 })
    const answer = call('poll', { key: 'a' })
    const again = await upstream.untilRequest(({ headers }) => 'last-event-id' in headers)
    assert.equal(again.method, 'GET')
    upstream.world.release('a')
    assert.equal(await answer, 'a finished')
  })

  it('ask nothing of a client that they know nothing of', async (t) => {
    const { client } = await meet(t, { kind: 'stateless' })
    assert.equal((await client.callTool({ name: 'elicit' })).isError, true)
    await assert.rejects(client.getPrompt({ name: 'asking' }))
  })

  it('lose their sessions when told to', async (t) => {
    const { client, upstream } = await meet(t, { kind: 'sessions' })
    assert.equal(upstream.sessionIds().length, 1)
    await upstream.loseSessions()
    await assert.rejects(client.listTools(), { code: 404 })
  })

  it('answer nothing through a gate that is shut', async (t) => {
    const { client, upstream } = await meet(t, { kind: 'json' })
    upstream.world.gate.outage = 503
    await assert.rejects(client.listTools(), { code: 503 })
    upstream.world.gate = { bearer: 'secret' }
    await assert.rejects(client.listTools())
  })
})
