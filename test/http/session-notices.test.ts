/** Change notices: who is told, of what, and how often (`design.md` §2, "Streams"). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStream } from '../support/event-stream.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import { listenRequest } from '../support/talking.ts'

const CHANGED = 'notifications/tools/list_changed'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

describe('Change notices', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { STREAM_KEEPALIVE_SECONDS: '1' } })
  })
  after(() => rollcall.close())

  const make = async (name: string, members: object = {}) => {
    const file = serverFile(
      name,
      [tool('a'), tool('b', { icons: [{ src: 'https://example.com/i' }] })],
      members,
    )
    const { json } = await rollcall.admin('POST', '/servers', file)
    const add = (tool_: object) => rollcall.admin('POST', `/servers/${json.id}/tools`, tool_)
    return { id: json.id as string, path: json.endpoint as string, add }
  }
  const listen = (
    path: string,
    filter: object,
    id: string | number = 1,
    headers: Record<string, string> = {},
  ) => openStream(rollcall.url + path, listenRequest(filter, id, headers))

  it('tells a session of a change, and a list after it is never older', async () => {
    const { path, add } = await make('One')
    const session = await openSession(rollcall, path)
    const stream = await session.listen()
    assert.equal(stream.status, 200)
    assert.equal((await stream.nextAny())?.retry, '3000')
    await add(tool('c'))
    assert.deepEqual(await stream.message(), { jsonrpc: '2.0', method: CHANGED, params: {} })
    const names = (await session.post(legacy('tools/list'))).json.result.tools.map(
      (t: { name: string }) => t.name,
    )
    assert.deepEqual(names, ['a', 'b', 'c'])
    stream.close()
  })

  it('tells a session, when its stream opens, of what it missed', async () => {
    const { path, add } = await make('Missed')
    const session = await openSession(rollcall, path)
    await add(tool('c'))
    const stream = await session.listen()
    assert.equal((await stream.message()).method, CHANGED)
    stream.close()
    const again = await session.listen()
    await add(tool('d'))
    assert.equal((await again.message()).method, CHANGED)
    again.close()
  })

  it('§9.2 #29: tells a session with several streams on exactly one of them', async () => {
    const { path, add } = await make('Several')
    const session = await openSession(rollcall, path)
    const streams = [await session.listen(), await session.listen(), await session.listen()]
    for (const stream of streams) await stream.nextAny()
    await add(tool('c'))
    const first = await Promise.race(
      streams.map(async (stream, n) => [n, await stream.message()] as const),
    )
    assert.equal(first[1].method, CHANGED)
    for (const [n, stream] of streams.entries()) {
      if (n !== first[0]) assert.equal((await stream.nextAny())?.comment, 'keepalive')
      stream.close()
    }
  })

  it('makes one notice of a burst of changes', async () => {
    const { path, add } = await make('Burst')
    const session = await openSession(rollcall, path)
    const stream = await session.listen()
    await Promise.all(['c', 'd', 'e', 'f', 'g', 'h'].map((name) => add(tool(name))))
    assert.equal((await stream.message()).method, CHANGED)
    // KV takes a write a second: the burst is at most the first change and all the others.
    let extra = 0
    for (let comments = 0; comments < 3;) {
      const event = await stream.nextAny()
      if (event?.comment === 'keepalive') comments++
      else extra++
    }
    assert.ok(extra <= 1, `${extra} more`)
    stream.close()
  })

  it('tells nobody of a change that does not alter what they are shown', async () => {
    const { path, id, add } = await make('Quiet')
    const old = await openSession(rollcall, path, { revision: '2025-06-18' })
    const stream = await old.listen()
    await stream.nextAny()
    const patch = (name: string, body: object) =>
      rollcall.admin('PATCH', `/servers/${id}/tools/${name}`, body)
    await patch('a', { handler: { kind: 'static', result: { content: [] } } })
    await patch('b', { icons: null }) // which this revision has never seen
    await rollcall.admin('PATCH', `/servers/${id}`, { description: 'new' })
    await add(tool('hidden', { status: 'paused' }))
    await published(id)
    assert.equal((await stream.nextAny())?.comment, 'keepalive')
    assert.equal((await stream.nextAny())?.comment, 'keepalive')
    await patch('hidden', { status: 'active' })
    assert.equal((await stream.message()).method, CHANGED)
    stream.close()
  })

  it('tells a key with tools only of those', async () => {
    const { path, id, add } = await make('Keyed', { auth: 'key' })
    const { json } = await rollcall.admin('POST', '/keys', {
      name: 'k',
      server: id,
      tools: ['a', 'c'],
    })
    const headers = { authorization: `Bearer ${json.secret}` }
    const stream = await listen(path, { toolsListChanged: true }, 1, headers)
    assert.match((await stream.message()).method, /acknowledged/)
    await add(tool('x'))
    await published(id)
    assert.equal((await stream.nextAny())?.comment, 'keepalive')
    await add(tool('c'))
    assert.equal((await stream.message()).method, CHANGED)
    await rollcall.admin('DELETE', `/keys/${json.id}`)
    const last = await stream.message()
    assert.deepEqual([last.id, last.result.resultType], [1, 'complete'])
    assert.equal(await stream.message(), undefined)
  })

  it('§9.2 #38: acknowledges a subscription first, tags all with its id, and tells only what was asked', async () => {
    const { path, add } = await make('Listen')
    for (const id of [7, 'seven', 0, '']) {
      const stream = await listen(
        path,
        { toolsListChanged: true, promptsListChanged: false, other: 1 },
        id,
      )
      assert.deepEqual(await stream.message(), {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: { [SUBSCRIPTION]: id } },
      })
      await add(tool(`t${typeof id}${id}`))
      const notice = await stream.message()
      assert.deepEqual([notice.method, notice.params._meta], [CHANGED, { [SUBSCRIPTION]: id }])
      stream.close()
    }
    const silent = await listen(path, {})
    assert.deepEqual((await silent.message()).params.notifications, {})
    await add(tool('more'))
    assert.equal((await silent.nextAny())?.comment, 'keepalive')
    silent.close()
  })

  it('§9.2 #38: refuses a subscription without a filter', async () => {
    const { path } = await make('Unfiltered')
    const answer = await rollcall.post(
      path,
      modern('subscriptions/listen'),
      modernHeaders('subscriptions/listen'),
    )
    assert.deepEqual([answer.status, answer.json.error.code], [200, -32602])
  })

  it('ends the streams of a server that is deleted', async () => {
    const { path, id } = await make('Gone')
    const stream = await listen(path, { toolsListChanged: true })
    const session = await (await openSession(rollcall, path)).listen()
    await rollcall.admin('DELETE', `/servers/${id}`)
    assert.equal((await stream.rest()).at(-1)?.data?.includes('"resultType":"complete"'), true)
    assert.deepEqual(
      (await session.rest()).filter(({ data }) => data),
      [],
    )
  })

  it('ends the streams of a session that ends', async () => {
    const { path } = await make('Ended')
    const session = await openSession(rollcall, path)
    const stream = await session.listen()
    await stream.nextAny()
    await session.send('DELETE')
    assert.deepEqual(await stream.rest(), [])
  })

  it('advertises and serves no notices where a server has none', async () => {
    const { path } = await make('Mute', { notifications: false })
    const opened = await rollcall.post(
      path,
      legacy('initialize', { protocolVersion: '2025-11-25' }),
    )
    assert.deepEqual(opened.json.result.capabilities.tools, {})
    const session = await openSession(rollcall, path)
    assert.equal((await session.listen()).status, 405)
    const answer = await rollcall.post(
      path,
      modern('subscriptions/listen', { notifications: {} }),
      modernHeaders('subscriptions/listen'),
    )
    assert.deepEqual([answer.status, answer.json.error.code], [404, -32601])
  })

  async function published(id: string): Promise<void> {
    for (;;) {
      const { json } = await rollcall.admin('GET', `/servers/${id}`)
      if (json.revision === json.publishedRevision) return
    }
  }
})
