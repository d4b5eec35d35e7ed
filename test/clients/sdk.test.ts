/** The client of `@modelcontextprotocol/sdk` 1, which most applications still have. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { keepContent } from '../support/content.ts'
import { createKey, createServer } from '../support/admin.ts'
import { createInbox } from '../support/inbox.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { prompt, resource, tool } from '../support/servers.ts'
import { INSTRUCTIONS, NOTES, showcase, TOOL_NAMES } from '../support/showcase.ts'

type TransportOptions = ConstructorParameters<typeof StreamableHTTPClientTransport>[1]

const said = (text: string) => [{ type: 'text', text }]
const isCode = (code: number) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code

describe('The client of SDK 1', { timeout: 20_000, concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
  })
  after(() => rollcall.close())

  /** A client that is connected, content to the end of its test, and then closed. */
  const connect = async (t: TestContext, endpoint: string, options: TransportOptions = {}) => {
    const client = new Client({ name: 'sdk-1', version: '1.2.3' })
    const transport = new StreamableHTTPClientTransport(new URL(rollcall.url + endpoint), options)
    const errors = keepContent(t, client)
    await client.connect(transport)
    return { client, transport, errors }
  }
  const visit = async (t: TestContext, name: string, members: Record<string, unknown> = {}) => {
    const { id, endpoint } = await createServer(rollcall, showcase(name, members))
    const server = `/servers/${id}`
    return { id, endpoint, server, ...(await connect(t, endpoint)) }
  }

  it('connects with a session, and learns who serves what', async (t) => {
    const { id, client, transport } = await visit(t, 'Connect')
    assert.match(transport.sessionId ?? '', /^[0-9a-f]{64}$/)
    assert.equal(transport.protocolVersion, '2025-11-25')
    assert.equal(client.getServerVersion()?.name, 'Connect')
    assert.equal(client.getInstructions(), INSTRUCTIONS)
    assert.deepEqual(client.getServerCapabilities(), {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    })
    const { json } = await rollcall.admin('GET', `/sessions?server=${id}`)
    assert.deepEqual(
      json.items.map((one: Record<string, unknown>) => [one['id'], one['clientInfo']]),
      [[transport.sessionId, { name: 'sdk-1', version: '1.2.3' }]],
    )
    assert.deepEqual(await client.ping(), {})
  })

  it('lists the tools on one page, and page by page where the server has a page size', async (t) => {
    const { client } = await visit(t, 'One page')
    const { tools, nextCursor } = await client.listTools()
    assert.deepEqual([tools.map(({ name }) => name), nextCursor], [TOOL_NAMES, undefined])
    const { client: pager } = await visit(t, 'Pages', { pageSize: 2 })
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await pager.listTools({ cursor })
      pages.push(page.tools.map(({ name }) => name))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    assert.deepEqual(pages, [['greet', 'measure'], ['talk', 'endless'], ['regional']])
    await assert.rejects(pager.listTools({ cursor: 'made up' }), isCode(-32602))
  })

  it('calls tools, and checks what they answer against the schema it was listed', async (t) => {
    const { client } = await visit(t, 'Calls')
    const greeted = await client.callTool({ name: 'greet', arguments: { name: 'Zoë' } })
    assert.deepEqual(greeted, { content: said('Hello, Zoë!') })
    await client.listTools() // after which it checks structured content
    const measured = await client.callTool({ name: 'measure', arguments: { what: 'depth' } })
    assert.deepEqual(measured.structuredContent, { what: 'depth', value: 42 })
    const refused = await client.callTool({ name: 'greet', arguments: {} })
    assert.equal(refused.isError, true)
    assert.match(JSON.stringify(refused.content), /name/)
    await assert.rejects(client.callTool({ name: 'nothing' }), isCode(-32602))
  })

  it('is told of progress and sent logs while a tool works, from the level it set', async (t) => {
    const { client } = await visit(t, 'Talks')
    const logs: unknown[] = []
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
      logs.push(params)
    })
    const talk = async () => {
      const seen: unknown[] = []
      const onprogress = (progress: unknown) => seen.push(progress)
      const { content } = await client.callTool({ name: 'talk' }, undefined, { onprogress })
      assert.deepEqual(content, said('talked'))
      return seen
    }
    const steps = [
      { progress: 1, total: 3, message: 'begun' },
      { progress: 2, total: 3 },
      { progress: 3, total: 3 },
    ]
    const half = { level: 'info', logger: 'talk', data: 'half way' }
    const almost = { level: 'error', logger: 'talk', data: { almost: true } }
    assert.deepEqual(await talk(), steps)
    assert.deepEqual(logs.splice(0), [half, almost])
    await client.setLoggingLevel('warning')
    assert.deepEqual(await talk(), steps)
    assert.deepEqual(logs, [almost])
  })

  it('gives up a call, and goes on with the next', async (t) => {
    const { client } = await visit(t, 'Gives up')
    const abort = new AbortController()
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') }
    await assert.rejects(client.callTool({ name: 'endless' }, undefined, options), /enough/)
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'again' } })
    assert.deepEqual(content, said('Hello, again!'))
  })

  it('is told on its stream when a tool is added or changed, and then lists the newer tools', async (t) => {
    const { client, server } = await visit(t, 'Changes')
    const notices = createInbox<string>()
    client.setNotificationHandler(ToolListChangedNotificationSchema, ({ method }) =>
      notices.put(method),
    )
    await rollcall.admin('POST', `${server}/tools`, tool('added'))
    await notices.next()
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      [...TOOL_NAMES, 'added'],
    )
    await rollcall.admin('PATCH', `${server}/tools/greet`, { description: 'Says hello' })
    await notices.next()
    assert.equal((await client.listTools()).tools[0]?.description, 'Says hello')
  })

  it('is told of the lists that changed, and of no other', async (t) => {
    const { client, server } = await visit(t, 'Kinds')
    const notices = createInbox<string>()
    for (const schema of [
      ToolListChangedNotificationSchema,
      PromptListChangedNotificationSchema,
      ResourceListChangedNotificationSchema,
    ]) {
      client.setNotificationHandler(schema, ({ method }) => notices.put(method))
    }
    const prompts = [prompt('other')]
    await rollcall.admin('PUT', server, showcase('Kinds', { prompts }))
    assert.equal(await notices.next(), 'notifications/prompts/list_changed')
    const listed = await client.listPrompts()
    assert.deepEqual(listed, { prompts: [{ name: 'other' }] })
    const resources = [resource('notes://new')]
    const tools = [tool('other')]
    await rollcall.admin('PUT', server, showcase('Kinds', { prompts, resources, tools }))
    const both = [await notices.next(), await notices.next()]
    assert.deepEqual(both.toSorted(), [
      'notifications/resources/list_changed',
      'notifications/tools/list_changed',
    ])
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['other'],
    )
  })

  it('lists nothing of a kind whose last item has gone, having been told that there is some', async (t) => {
    const { client, server } = await visit(t, 'Emptied')
    const notices = createInbox<string>()
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => notices.put('tools'))
    client.setNotificationHandler(PromptListChangedNotificationSchema, () => notices.put('prompts'))
    await rollcall.admin('PUT', server, showcase('Emptied', { tools: [], prompts: [] }))
    assert.deepEqual([await notices.next(), await notices.next()], ['tools', 'prompts'])
    assert.deepEqual(await client.listTools(), { tools: [] })
    assert.deepEqual(await client.listPrompts(), { prompts: [] })
  })

  it('gets prompts, reads resources, fills templates and completes arguments', async (t) => {
    const { client } = await visit(t, 'Reads')
    const { prompts } = await client.listPrompts()
    assert.deepEqual(prompts, [
      { name: 'welcome', arguments: [{ name: 'language', required: true }] },
    ])
    const got = await client.getPrompt({ name: 'welcome', arguments: { language: 'French' } })
    assert.deepEqual(got.messages, [
      { role: 'user', content: { type: 'text', text: 'Welcome in French' } },
    ])
    const { resources } = await client.listResources()
    assert.deepEqual(resources, [{ uri: NOTES, name: NOTES, mimeType: 'text/plain' }])
    const { contents } = await client.readResource({ uri: NOTES })
    assert.deepEqual(contents, [{ uri: NOTES, mimeType: 'text/plain', text: 'the first text' }])
    const { resourceTemplates } = await client.listResourceTemplates()
    const uri = resourceTemplates[0]?.uriTemplate ?? ''
    const filled = await client.readResource({ uri: uri.replace('{day}', 'monday') })
    assert.deepEqual(filled.contents, [{ uri: 'notes://monday/all', text: 'notes of monday' }])
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'welcome' },
      argument: { name: 'language', value: 'e' },
    })
    assert.deepEqual(completion, { values: ['English', 'Estonian'], total: 2, hasMore: false })
    const days = await client.complete({
      ref: { type: 'ref/resource', uri },
      argument: { name: 'day', value: '' },
    })
    assert.deepEqual(days.completion.values, ['monday'])
    await assert.rejects(client.readResource({ uri: 'notes://none' }), isCode(-32002))
  })

  it('is told of another text of a resource it subscribed to, until it unsubscribes', async (t) => {
    const { client, server } = await visit(t, 'Subscribes')
    const updates = createInbox<string>()
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
      updates.put(params.uri),
    )
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => updates.put('tools'))
    await client.subscribeResource({ uri: NOTES })
    const put = (text: string, members: object = {}) =>
      rollcall.admin(
        'PUT',
        server,
        showcase('Subscribes', {
          resources: [resource(NOTES, { mimeType: 'text/plain', text })],
          ...members,
        }),
      )
    await put('the second text')
    assert.equal(await updates.next(), NOTES)
    const { contents } = await client.readResource({ uri: NOTES })
    assert.deepEqual(contents, [{ uri: NOTES, mimeType: 'text/plain', text: 'the second text' }])
    await client.unsubscribeResource({ uri: NOTES })
    await put('the third text', { tools: [] })
    assert.equal(await updates.next(), 'tools')
  })

  it('ends its session, which nobody can use from then on', async (t) => {
    const { client, transport, endpoint } = await visit(t, 'Ends')
    const sessionId = transport.sessionId ?? ''
    const other = await connect(t, endpoint, { sessionId })
    assert.equal((await other.client.listTools()).tools.length, TOOL_NAMES.length)
    await transport.terminateSession()
    assert.equal(transport.sessionId, undefined)
    await assert.rejects(other.client.listTools(), isCode(404))
    await assert.rejects(other.transport.terminateSession(), isCode(404))
    assert.ok(other.errors.splice(0).every(isCode(404)))
    // It has forgotten the id; what it asks now is answered without a session (`surfaces.md` D1).
    assert.equal((await client.listTools()).tools.length, TOOL_NAMES.length)
  })

  it('needs the key of a server that has one', async (t) => {
    const file = showcase('Keyed', { auth: 'key' })
    const { id, endpoint } = await createServer(rollcall, file)
    const { secret } = await createKey(rollcall, id, { tools: ['greet', 'talk'] })
    const stranger = new Client({ name: 'stranger', version: '1' })
    t.after(() => stranger.close())
    const transport = new StreamableHTTPClientTransport(new URL(rollcall.url + endpoint))
    await assert.rejects(stranger.connect(transport), isCode(401))
    const headers = { authorization: `Bearer ${secret}` }
    const { client } = await connect(t, endpoint, { requestInit: { headers } })
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['greet', 'talk'],
    )
    await assert.rejects(
      client.callTool({ name: 'measure', arguments: { what: 'depth' } }),
      isCode(-32602),
    )
  })
})
