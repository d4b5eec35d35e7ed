/** Streams that break or end under the official clients, which come back for the rest by themselves. */
import { Client, StreamableHTTPClientTransport, type FetchLike } from '@modelcontextprotocol/client'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { createServer } from '../support/admin.ts'
import { createInbox, type Inbox } from '../support/inbox.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { tool } from '../support/servers.ts'
import { showcase, TOOL_NAMES } from '../support/showcase.ts'

type Progress = { progress: number }
type Options = { fetch: FetchLike; onToolsChanged?: () => void }

/** One client, as far as these tests need it. */
type Visitor = {
  call: (name: string, onprogress: (progress: Progress) => void) => Promise<unknown>
  toolNames: () => Promise<string[]>
}

const namesOf = ({ tools }: { tools: readonly { name: string }[] }) => tools.map(({ name }) => name)

/** The clients of both SDKs with a session, closed with their test. */
const CLIENTS: Readonly<
  Record<string, (t: TestContext, url: URL, options: Options) => Promise<Visitor>>
> = {
  async 'SDK 1'(t, url, { fetch: fetchLike, onToolsChanged = () => {} }) {
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } }
    const client = new Client1({ name: 'sdk-1', version: '1' }, { listChanged })
    t.after(() => client.close())
    await client.connect(new Transport1(url, { fetch: fetchLike }))
    return {
      call: async (name, onprogress) =>
        (await client.callTool({ name }, undefined, { onprogress })).content,
      toolNames: async () => namesOf(await client.listTools()),
    }
  },
  async 'SDK 2'(t, url, { fetch: fetchLike, onToolsChanged = () => {} }) {
    const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } }
    const client = new Client({ name: 'sdk-2', version: '1' }, { listChanged })
    t.after(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: fetchLike }))
    return {
      call: async (name, onprogress) => (await client.callTool({ name }, { onprogress })).content,
      toolNames: async () => namesOf(await client.listTools()),
    }
  },
}

/** Breaks the first stream that answers a call, after the first message on it. */
function breaking(resumed: Inbox<string | null>): FetchLike {
  let isBroken = false
  return async (url, init) => {
    const isCall = typeof init?.body === 'string' && init.body.includes('"tools/call"')
    const lastEventId = new Headers(init?.headers).get('last-event-id')
    if (lastEventId !== null) resumed.put(lastEventId)
    if (!isCall || isBroken) return fetch(url, init)
    isBroken = true
    const abort = new AbortController()
    const response = await fetch(url, { ...init, signal: abort.signal })
    let text = ''
    const decoder = new TextDecoder()
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        text += decoder.decode(chunk, { stream: true })
        const message = /^data: .+\n\n/m.exec(text)
        if (message === null) return
        const end = message.index + message[0].length
        controller.enqueue(new TextEncoder().encode(text.slice(0, end)))
        controller.terminate()
        abort.abort()
      },
    })
    const body = response.body?.pipeThrough(cut)
    return new Response(body, response)
  }
}

/**
 * Tells when the session's own stream opens and ends; the client then comes back when it may, and
 * not after the three seconds it is asked to wait.
 */
function watching(streams: Inbox<'opened' | 'ended'>, mayReturn: Promise<void>): FetchLike {
  let isReturning = false
  return async (url, init) => {
    if (init?.method !== 'GET') return fetch(url, init)
    if (isReturning) await mayReturn
    isReturning = true
    const response = await fetch(url, init)
    streams.put('opened')
    const hurry = new TransformStream<string, string>({
      transform: (text, controller) => controller.enqueue(text.replace('retry: 3000', 'retry: 10')),
      flush: () => streams.put('ended'),
    })
    const body = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(hurry)
      .pipeThrough(new TextEncoderStream())
    return new Response(body, response)
  }
}

describe('A stream', { timeout: 20_000, concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { STREAM_MAX_AGE_SECONDS: '1' } })
  })
  after(() => rollcall.close())

  for (const [name, connect] of Object.entries(CLIENTS)) {
    it(`of a call that breaks: ${name} comes back and is sent the rest, and nothing twice`, async (t) => {
      const steps = [
        { progress: { progress: 1 } },
        { waitMs: 200 },
        { progress: { progress: 2 } },
        { progress: { progress: 3 } },
      ]
      const result = { content: [{ type: 'text', text: 'at last' }] }
      const slow = tool('slow', { handler: { kind: 'static', result, steps } })
      const { endpoint } = await createServer(rollcall, showcase('Breaks', { tools: [slow] }))
      const resumed = createInbox<string | null>()
      const visitor = await connect(t, new URL(rollcall.url + endpoint), {
        fetch: breaking(resumed),
      })
      const seen: number[] = []
      const content = await visitor.call('slow', ({ progress }) => seen.push(progress))
      assert.deepEqual(content, result.content)
      assert.deepEqual(seen, [1, 2, 3])
      assert.match((await resumed.next()) ?? '', /^\d+\.1$/)
    })

    it(`of a session that ends by itself: ${name} comes back and is told what changed meanwhile`, async (t) => {
      const { id, endpoint } = await createServer(rollcall, showcase('Ages'))
      const streams = createInbox<'opened' | 'ended'>()
      const notices = createInbox<'changed'>()
      const written = Promise.withResolvers<void>()
      const visitor = await connect(t, new URL(rollcall.url + endpoint), {
        fetch: watching(streams, written.promise),
        onToolsChanged: () => notices.put('changed'),
      })
      assert.deepEqual([await streams.next(), await streams.next()], ['opened', 'ended'])
      await rollcall.admin('POST', `/servers/${id}/tools`, tool('added'))
      written.resolve()
      assert.equal(await streams.next(), 'opened')
      await notices.next()
      assert.deepEqual(await visitor.toolNames(), [...TOOL_NAMES, 'added'])
    })
  }

  it('of a stateless client that ends by itself says so, and the client listens anew', async (t) => {
    const { id, endpoint } = await createServer(rollcall, showcase('Anew'))
    const client = new Client(
      { name: 'sdk-2', version: '1' },
      { versionNegotiation: { mode: 'auto' } },
    )
    t.after(() => client.close())
    const notices = createInbox<string>()
    client.setNotificationHandler('notifications/tools/list_changed', ({ method }) =>
      notices.put(method),
    )
    await client.connect(new StreamableHTTPClientTransport(new URL(rollcall.url + endpoint)))
    const subscription = await client.listen({ toolsListChanged: true })
    assert.equal(await subscription.closed, 'graceful')
    const again = await client.listen({ toolsListChanged: true })
    await rollcall.admin('POST', `/servers/${id}/tools`, tool('added'))
    await notices.next()
    await again.close()
  })
})
