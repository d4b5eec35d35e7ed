/** The client of `@modelcontextprotocol/client` 2 as it is by default: of the session era. */
import {
  Client,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type ClientOptions,
  type StreamableHTTPClientTransportOptions,
  type Tool,
} from '@modelcontextprotocol/client'
import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { keepContent } from '../support/content.ts'
import { createKey, createServer } from '../support/admin.ts'
import { createInbox } from '../support/inbox.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { resource, tool } from '../support/servers.ts'
import { INSTRUCTIONS, NOTES, showcase, TOOL_NAMES } from '../support/showcase.ts'

type Options = ClientOptions & { transport?: StreamableHTTPClientTransportOptions }

const said = (text: string) => [{ type: 'text', text }]
const namesOf = (items: readonly { name: string }[] | null) => items?.map(({ name }) => name)
const isStatus = (status: number) => (error: unknown) =>
  error instanceof SdkHttpError && error.status === status

describe('The client of SDK 2, by default', { timeout: 20_000, concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
  })
  after(() => rollcall.close())

  /** A client that is connected, content to the end of its test, and then closed. */
  const connect = async (
    t: TestContext,
    endpoint: string,
    { transport: transportOptions, ...options }: Options = {},
  ) => {
    const client = new Client({ name: 'sdk-2', version: '2.0.0' }, options)
    const url = new URL(rollcall.url + endpoint)
    const transport = new StreamableHTTPClientTransport(url, transportOptions)
    const errors = keepContent(t, client)
    await client.connect(transport)
    return { client, transport, errors }
  }
  const visit = async (
    t: TestContext,
    name: string,
    members: Record<string, unknown> = {},
    options: Options = {},
  ) => {
    const { id, endpoint } = await createServer(rollcall, showcase(name, members))
    const server = `/servers/${id}`
    return { endpoint, server, ...(await connect(t, endpoint, options)) }
  }

  it('connects with a session of the newest revision that has one', async (t) => {
    const { client, transport } = await visit(t, 'Connect')
    assert.equal(client.getProtocolEra(), 'legacy')
    assert.equal(client.getNegotiatedProtocolVersion(), '2025-11-25')
    assert.match(transport.sessionId ?? '', /^[0-9a-f]{64}$/)
    assert.equal(client.getServerVersion()?.name, 'Connect')
    assert.equal(client.getInstructions(), INSTRUCTIONS)
    assert.deepEqual(await client.ping(), {})
  })

  it('lists all tools over all pages, and one page where it names a cursor', async (t) => {
    const { client } = await visit(t, 'Pages', { pageSize: 2 })
    const all = await client.listTools()
    assert.deepEqual([namesOf(all.tools), all.nextCursor], [TOOL_NAMES, undefined])
    const prompts = await client.listPrompts()
    assert.deepEqual(namesOf(prompts.prompts), ['welcome'])
    await assert.rejects(client.listTools({ cursor: 'made up' }), { code: -32602 })
  })

  it('calls tools, with progress and logs from the level it set', async (t) => {
    const { client } = await visit(t, 'Calls')
    const logs: unknown[] = []
    client.setNotificationHandler('notifications/message', ({ params }) => {
      logs.push(params.data)
    })
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
    const talked = await client.callTool({ name: 'talk' }, { onprogress })
    assert.deepEqual([talked.content, seen], [said('talked'), [1, 2, 3]])
    assert.deepEqual(logs.splice(0), ['half way', { almost: true }])
    await client.setLoggingLevel('error')
    await client.callTool({ name: 'talk' })
    assert.deepEqual(logs, [{ almost: true }])
    await client.listTools() // after which it checks structured content
    const measured = await client.callTool({ name: 'measure', arguments: { what: 'depth' } })
    assert.deepEqual(measured.structuredContent, { what: 'depth', value: 42 })
    const refused = await client.callTool({ name: 'greet', arguments: {} })
    assert.equal(refused.isError, true)
    await assert.rejects(client.callTool({ name: 'nothing' }), { code: -32602 })
  })

  it('gives up a call, and goes on with the next', async (t) => {
    const { client } = await visit(t, 'Gives up')
    const abort = new AbortController()
    const options = { signal: abort.signal, onprogress: () => abort.abort('enough') }
    await assert.rejects(client.callTool({ name: 'endless' }, options), /enough/)
    const { content } = await client.callTool({ name: 'greet', arguments: { name: 'again' } })
    assert.deepEqual(content, said('Hello, again!'))
  })

  it('lists the newer tools by itself when it is told that they changed', async (t) => {
    const lists = createInbox<Tool[] | null>()
    const onChanged = (error: Error | null, tools: Tool[] | null) => {
      assert.equal(error, null)
      lists.put(tools)
    }
    const listChanged = { tools: { debounceMs: 0, onChanged } }
    const { server } = await visit(t, 'Changes', { pageSize: 2 }, { listChanged })
    await rollcall.admin('POST', `${server}/tools`, tool('added'))
    assert.deepEqual(namesOf(await lists.next()), [...TOOL_NAMES, 'added'])
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
  })

  it('is told of another text of a resource it subscribed to', async (t) => {
    const { client, server } = await visit(t, 'Subscribes')
    const updates = createInbox<string>()
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      updates.put(params.uri),
    )
    await client.subscribeResource({ uri: NOTES })
    const resources = [resource(NOTES, { text: 'the second text' })]
    await rollcall.admin('PUT', server, showcase('Subscribes', { resources }))
    assert.equal(await updates.next(), NOTES)
    const { contents } = await client.readResource({ uri: NOTES })
    assert.deepEqual(contents, [{ uri: NOTES, text: 'the second text' }])
  })

  it('ends its session, which nobody can use from then on', async (t) => {
    const { transport, endpoint } = await visit(t, 'Ends')
    const other = await connect(t, endpoint, {
      transport: { sessionId: transport.sessionId, protocolVersion: '2025-11-25' },
    })
    assert.deepEqual(await other.client.ping(), {})
    await transport.terminateSession()
    assert.equal(transport.sessionId, undefined)
    await assert.rejects(other.client.ping(), isStatus(404))
    assert.ok(other.errors.splice(0).every(isStatus(404)))
  })

  it('needs the key of a server that has one', async (t) => {
    const file = showcase('Keyed', { auth: 'key' })
    const { id, endpoint } = await createServer(rollcall, file)
    const { secret } = await createKey(rollcall, id)
    const stranger = new Client({ name: 'stranger', version: '1' })
    t.after(() => stranger.close())
    const transport = new StreamableHTTPClientTransport(new URL(rollcall.url + endpoint))
    await assert.rejects(stranger.connect(transport), isStatus(401))
    const authProvider = { token: async () => secret as string }
    const { client } = await connect(t, endpoint, { transport: { authProvider } })
    assert.deepEqual(namesOf((await client.listTools()).tools), TOOL_NAMES)
  })
})
