/** The client of `@modelcontextprotocol/client` 2 where it looks for, or insists on, the stateless era. */
import {
  Client,
  LOG_LEVEL_META_KEY,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type FetchLike,
  type Tool,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { keepContent } from '../support/content.ts'
import { createKey, createServer } from '../support/admin.ts'
import { createInbox } from '../support/inbox.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { resource, tool } from '../support/servers.ts'
import { INSTRUCTIONS, NOTES, showcase, TOOL_NAMES } from '../support/showcase.ts'

type Sent = { verb: string; method: string; headers: Headers }

const REVISION = '2026-07-28'
const MODES: readonly (readonly [string, VersionNegotiationMode])[] = [
  ['looking which era there is', 'auto'],
  [`insisting on ${REVISION}`, { pin: REVISION }],
]

const said = (text: string) => [{ type: 'text', text }]
const isStatus = (status: number) => (error: unknown) =>
  error instanceof SdkHttpError && error.status === status
const namesOf = (items: readonly { name: string }[] | null) => items?.map(({ name }) => name)

describe('The client of SDK 2', { timeout: 20_000, concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  /** A client, content to the end of its test and then closed, and what it sends. */
  const create = (t: TestContext, endpoint: string, options: ClientOptions, token?: string) => {
    const sent: Sent[] = []
    const fetchAndTell: FetchLike = (url, init) => {
      const method = new Headers(init?.headers).get('mcp-method') ?? ''
      sent.push({ verb: init?.method ?? 'GET', method, headers: new Headers(init?.headers) })
      return fetch(url, init)
    }
    const client = new Client({ name: 'sdk-2', version: '2.0.0' }, options)
    const transport = new StreamableHTTPClientTransport(new URL(rollcall.url + endpoint), {
      fetch: fetchAndTell,
      ...(token !== undefined && { authProvider: { token: async () => token } }),
    })
    keepContent(t, client)
    return { client, transport, sent }
  }
  const visit = async (
    t: TestContext,
    name: string,
    members: Record<string, unknown> = {},
    options: ClientOptions = { versionNegotiation: { mode: 'auto' } },
  ) => {
    const { id, endpoint } = await createServer(rollcall, showcase(name, members))
    const created = create(t, endpoint, options)
    await created.client.connect(created.transport)
    return { server: `/servers/${id}`, endpoint, ...created }
  }

  for (const [title, mode] of MODES) {
    describe(title, { concurrency: true }, () => {
      const options = { versionNegotiation: { mode } }

      it(`lands on ${REVISION} by one request, and has no session`, async (t) => {
        const { client, transport, sent } = await visit(t, 'Connect', {}, options)
        assert.equal(client.getProtocolEra(), 'modern')
        assert.equal(client.getNegotiatedProtocolVersion(), REVISION)
        assert.equal(transport.sessionId, undefined)
        assert.equal(client.getServerVersion()?.name, 'Connect')
        assert.equal(client.getInstructions(), INSTRUCTIONS)
        assert.deepEqual(client.getDiscoverResult()?.supportedVersions, [REVISION])
        assert.deepEqual(
          sent.map(({ verb, method }) => [verb, method]),
          [['POST', 'server/discover']],
        )
      })

      it('lists all tools over all pages, and page by page', async (t) => {
        const { client } = await visit(t, 'Pages', { pageSize: 2 }, options)
        const all = await client.listTools()
        assert.deepEqual([namesOf(all.tools), all.nextCursor], [TOOL_NAMES, undefined])
        const first = await client.request({ method: 'tools/list', params: {} })
        assert.deepEqual(namesOf(first.tools), TOOL_NAMES.slice(0, 2))
        const second = await client.listTools({ cursor: first.nextCursor })
        assert.deepEqual(namesOf(second.tools), TOOL_NAMES.slice(2, 4))
        const third = await client.listTools({ cursor: second.nextCursor })
        assert.deepEqual([namesOf(third.tools), third.nextCursor], [['regional'], undefined])
        await assert.rejects(client.listTools({ cursor: 'made up' }), { code: -32602 })
      })

      it('calls tools, and reads errors of input as results', async (t) => {
        const { client } = await visit(t, 'Calls', {}, options)
        const greeted = await client.callTool({ name: 'greet', arguments: { name: 'Zoë' } })
        assert.deepEqual(greeted.content, said('Hello, Zoë!'))
        await client.listTools() // after which it checks structured content
        const measured = await client.callTool({ name: 'measure', arguments: { what: 'depth' } })
        assert.deepEqual(measured.structuredContent, { what: 'depth', value: 42 })
        const refused = await client.callTool({ name: 'greet', arguments: { name: 7 } })
        assert.equal(refused.isError, true)
        assert.match(JSON.stringify(refused.content), /name/)
        await assert.rejects(client.callTool({ name: 'nothing' }), { code: -32602 })
      })

      it('is told of progress, and sent logs where the call asks for them', async (t) => {
        const { client } = await visit(t, 'Talks', {}, options)
        const logs: unknown[] = []
        client.setNotificationHandler('notifications/message', ({ params }) => {
          logs.push(params.data)
        })
        const seen: number[] = []
        const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
        const talked = await client.callTool({ name: 'talk' }, { onprogress })
        assert.deepEqual([talked.content, seen, logs], [said('talked'), [1, 2, 3], []])
        await client.callTool({ name: 'talk', _meta: { [LOG_LEVEL_META_KEY]: 'error' } })
        assert.deepEqual(logs, [{ almost: true }])
      })

      it('lists the newer tools by itself when it is told that they changed', async (t) => {
        const lists = createInbox<Tool[] | null>()
        const onChanged = (error: Error | null, tools: Tool[] | null) => {
          assert.equal(error, null)
          lists.put(tools)
        }
        const { client, server } = await visit(
          t,
          'Changes',
          { pageSize: 2 },
          { ...options, listChanged: { tools: { debounceMs: 0, onChanged } } },
        )
        const subscription = client.autoOpenedSubscription
        assert.deepEqual(subscription?.honoredFilter, { toolsListChanged: true })
        await client.listTools() // what is fresh for now in its cache
        await rollcall.admin('POST', `${server}/tools`, tool('added'))
        assert.deepEqual(namesOf(await lists.next()), [...TOOL_NAMES, 'added'])
        await subscription?.close()
        assert.equal(await subscription?.closed, 'local')
      })
    })
  }

  it('does not connect where it insists on a revision that is not served', async (t) => {
    const { endpoint } = await createServer(rollcall, showcase('Pinned'))
    const options = { versionNegotiation: { mode: { pin: '2099-01-01' } } }
    const { client, transport } = create(t, endpoint, options)
    const data = { supported: [REVISION], requested: '2099-01-01' }
    await assert.rejects(client.connect(transport), { code: -32022, data })
  })

  it('connects without asking by what it discovered before', async (t) => {
    const { client: first, endpoint } = await visit(t, 'Before')
    const { client, transport, sent } = create(t, endpoint, {})
    const discover = first.getDiscoverResult()
    assert.ok(discover)
    await client.connect(transport, { prior: { kind: 'modern', discover } })
    assert.deepEqual(sent, [])
    assert.deepEqual(namesOf((await client.listTools()).tools), TOOL_NAMES)
  })

  it('takes a list from its cache while that is fresh', async (t) => {
    const { client, sent } = await visit(t, 'Fresh', { ttlMs: 60_000 })
    const lists = [await client.listTools(), await client.listTools(), await client.listTools()]
    assert.deepEqual(new Set(lists.map(({ tools }) => tools.length)), new Set([TOOL_NAMES.length]))
    const asked = () => sent.filter(({ method }) => method === 'tools/list').length
    assert.equal(asked(), 1)
    const { client: stale, sent: sentStale } = await visit(t, 'Stale', { ttlMs: 0 })
    await stale.listTools()
    await stale.listTools()
    assert.equal(sentStale.filter(({ method }) => method === 'tools/list').length, 2)
  })

  it('mirrors arguments into headers, and recovers where it did not know that it has to', async (t) => {
    const { client, sent } = await visit(t, 'Mirrors')
    const call = async (region: string) => {
      const { content } = await client.callTool({ name: 'regional', arguments: { region } })
      return content
    }
    assert.deepEqual(await call('west'), said('in west'))
    assert.deepEqual(
      sent.slice(1).map(({ method, headers }) => [method, headers.get('mcp-param-region')]),
      [
        ['tools/call', null],
        ['tools/list', null],
        ['tools/call', 'west'],
      ],
    )
    assert.deepEqual(await call('Zürich'), said('in Zürich'))
    assert.match(sent.at(-1)?.headers.get('mcp-param-region') ?? '', /^=\?base64\?.+\?=$/)
    assert.equal(sent.length, 5)
  })

  it('gets prompts, reads resources and completes arguments', async (t) => {
    const { client } = await visit(t, 'Reads')
    const { messages } = await client.getPrompt({
      name: 'welcome',
      arguments: { language: 'French' },
    })
    assert.deepEqual(messages, [
      { role: 'user', content: { type: 'text', text: 'Welcome in French' } },
    ])
    assert.deepEqual(namesOf((await client.listPrompts()).prompts), ['welcome'])
    assert.deepEqual(namesOf((await client.listResources()).resources), [NOTES])
    const templates = await client.listResourceTemplates()
    assert.equal(templates.resourceTemplates[0]?.uriTemplate, 'notes://{day}/all')
    const { contents } = await client.readResource({ uri: 'notes://monday/all' })
    assert.deepEqual(contents, [{ uri: 'notes://monday/all', text: 'notes of monday' }])
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'welcome' },
      argument: { name: 'language', value: 'e' },
    })
    assert.deepEqual(completion.values, ['English', 'Estonian'])
    await assert.rejects(client.readResource({ uri: 'notes://none' }), { code: -32602 })
  })

  it('is told of another text of a resource it listens for, and reads the newer one', async (t) => {
    const { client, server } = await visit(t, 'Listens')
    const updates = createInbox<string>()
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      updates.put(params.uri),
    )
    const subscription = await client.listen({ resourceSubscriptions: [NOTES, 'notes://none'] })
    assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [NOTES] })
    await client.readResource({ uri: NOTES }) // what is fresh for now in its cache
    const resources = [resource(NOTES, { text: 'the second text' })]
    await rollcall.admin('PUT', server, showcase('Listens', { resources }))
    assert.equal(await updates.next(), NOTES)
    const { contents } = await client.readResource({ uri: NOTES })
    assert.deepEqual(contents, [{ uri: NOTES, text: 'the second text' }])
  })

  it('is told when the server it listens to goes, and is not offered to listen where it cannot', async (t) => {
    const { client, server } = await visit(t, 'Goes')
    const subscription = await client.listen({ toolsListChanged: true })
    await rollcall.admin('DELETE', server)
    assert.equal(await subscription.closed, 'graceful')
    const listChanged = { tools: { onChanged: () => assert.fail() } }
    const options: ClientOptions = { versionNegotiation: { mode: 'auto' }, listChanged }
    const mute = await visit(t, 'Mute', { notifications: false }, options)
    assert.equal(mute.client.autoOpenedSubscription, undefined)
  })

  it('gives up a call, and goes on with the next', async (t) => {
    const { client } = await visit(t, 'Gives up')
    const abort = new AbortController()
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') }
    await assert.rejects(client.callTool({ name: 'endless' }, options), /enough/)
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'again' } })
    assert.deepEqual(content, said('Hello, again!'))
  })

  it('needs the key of a server that has one', async (t) => {
    const { id, endpoint } = await createServer(rollcall, showcase('Keyed', { auth: 'key' }))
    const { secret } = await createKey(rollcall, id, { tools: ['greet', 'talk'] })
    const options: ClientOptions = { versionNegotiation: { mode: 'auto' } }
    const stranger = create(t, endpoint, options)
    await assert.rejects(stranger.client.connect(stranger.transport), isStatus(401))
    const { client, transport } = create(t, endpoint, options, secret)
    await client.connect(transport)
    assert.deepEqual(namesOf((await client.listTools()).tools), ['greet', 'talk'])
  })
})
