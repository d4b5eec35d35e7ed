/** Calls that talk before they answer, in both eras: streams, replay, cancellation. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStream } from '../support/event-stream.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'

const said = (text: string) => ({ content: [{ type: 'text', text }] })
const TALK = [
  { progress: { progress: 0, total: 100 } },
  { log: { level: 'info', data: 'half way' } },
  { log: { level: 'error', logger: 'l', data: { x: 1 } } },
  { progress: { progress: 100, total: 100, message: 'done' } },
]
const TOOLS = [
  tool('plain'),
  tool('talk', { handler: { kind: 'static', result: said('talked'), steps: TALK } }),
  tool('slow', {
    handler: {
      kind: 'static',
      result: said('at last'),
      steps: [
        { log: { level: 'info', data: 'begun' } },
        { waitMs: 300 },
        { log: { level: 'info', data: 'ended' } },
      ],
    },
  }),
  tool('silent', { handler: { kind: 'static', result: said('late'), steps: [{ waitMs: 1500 }] } }),
  tool('endless', {
    handler: {
      kind: 'static',
      result: said('never'),
      steps: [{ log: { level: 'info', data: 'begun' } }, { waitMs: 60_000 }],
    },
  }),
]

describe('A call that talks', () => {
  let rollcall: Rollcall
  let path: string
  before(async () => {
    rollcall = await startRollcall()
    path = (await rollcall.admin('POST', '/servers', serverFile('Talks', TOOLS))).json.endpoint
  })
  after(() => rollcall.close())

  const call = (name: string, id: string | number = 1, meta?: object) =>
    legacy('tools/call', { name, ...(meta && { _meta: meta }) }, id)
  const modernCall = (
    name: string,
    meta: object = {},
    accept = 'application/json, text/event-stream',
  ) =>
    openStream(rollcall.url + path, {
      method: 'POST',
      headers: { ...modernHeaders('tools/call', name), 'content-type': 'application/json', accept },
      body: JSON.stringify(modern('tools/call', { name }, meta)),
    })

  it('§9.2 #30: primes a stream with an id alone from 2025-11-25 on, and never before', async () => {
    for (const [revision, primed] of [
      ['2025-11-25', true],
      ['2025-06-18', false],
      ['2025-03-26', false],
    ] as const) {
      const session = await openSession(rollcall, path, { revision })
      const stream = await session.stream(call('plain'))
      const events = await stream.rest()
      assert.equal(events.length, primed ? 2 : 1)
      assert.equal(events[0]?.data === '', primed)
      assert.equal(events[0]?.retry !== undefined, primed)
      assert.equal(events.at(-1)?.id, '1.1')
      assert.equal(JSON.parse(events.at(-1)?.data ?? '').result.content[0].text, 'plain ran')
    }
  })

  it('§9.2 #57: sends progress only under a token, rising, and then the answer', async () => {
    const session = await openSession(rollcall, path)
    const messages = (await (await session.stream(call('talk', 2, { progressToken: 'p' }))).rest())
      .filter(({ data }) => data)
      .map(({ data }) => JSON.parse(data ?? ''))
    assert.deepEqual(
      messages.map(({ method, params, id }) => method ?? id ?? params),
      [
        'notifications/progress',
        'notifications/message',
        'notifications/message',
        'notifications/progress',
        2,
      ],
    )
    assert.deepEqual(messages[0].params, { progressToken: 'p', progress: 0, total: 100 })
    const bare = (await (await session.stream(call('talk', 3))).rest()).filter(({ data }) => data)
    assert.equal(bare.length, 3)
  })

  it("sends logs from the session's level up", async () => {
    const session = await openSession(rollcall, path)
    await session.post(legacy('logging/setLevel', { level: 'warning' }))
    const stream = await session.stream(call('talk'))
    assert.equal((await stream.message()).params.level, 'error')
    assert.equal((await stream.message()).result.content[0].text, 'talked')
  })

  it('answers a client that takes JSON alone with the result alone', async () => {
    const session = await openSession(rollcall, path)
    const answer = await session.post(call('talk', 9, { progressToken: 1 }))
    assert.deepEqual(answer.json, { jsonrpc: '2.0', id: 9, result: said('talked') })
  })

  it('§9.2 #28, #30: goes on when the client leaves, and replays what it missed of that stream alone', async () => {
    const session = await openSession(rollcall, path)
    const other = await session.stream(call('talk', 'other'))
    await other.rest()
    const stream = await session.stream(call('slow', 'mine'))
    const primed = await stream.next()
    assert.equal(primed?.id, '2.0')
    assert.equal((await stream.next())?.id, '2.1')
    stream.close()
    const resumed = await session.listen({ 'last-event-id': '2.1' })
    const events = await resumed.rest()
    assert.deepEqual(
      events.map(({ id }) => id),
      ['2.2', '2.3'],
    )
    assert.equal(JSON.parse(events[1]?.data ?? '').id, 'mine')
    const whole = await (await session.listen({ 'last-event-id': '2.0' })).rest()
    assert.deepEqual(
      whole.map(({ id }) => id),
      ['2.1', '2.2', '2.3'],
    )
    assert.deepEqual(await (await session.listen({ 'last-event-id': '2.3' })).rest(), [])
  })

  it('replays after the object was evicted', async () => {
    const session = await openSession(rollcall, path)
    await (await session.stream(call('talk'))).rest()
    await rollcall.harness.getWorker().evictDurableObject('SESSION', { id: session.id })
    const events = await (await session.listen({ 'last-event-id': '1.1' })).rest()
    assert.deepEqual(
      events.map(({ id }) => id),
      ['1.2', '1.3'],
    )
    assert.match(events[1]?.data ?? '', /talked/)
  })

  it('refuses a Last-Event-ID of nonsense, of no stream, and of an event that was never sent', async () => {
    const session = await openSession(rollcall, path)
    await (await session.stream(call('plain'))).rest()
    for (const id of ['nonsense', '9.1', '1.9', '1', '1.1.1', '-1.0']) {
      assert.equal((await session.listen({ 'last-event-id': id })).status, 400, id)
    }
  })

  it('§9.2 #28: stops a cancelled call, whose stream ends without an answer', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('endless', 5))
    assert.equal((await stream.message()).params.data, 'begun')
    const cancelled = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 5 },
    }
    assert.equal((await session.post(cancelled)).status, 202)
    assert.deepEqual(await stream.rest(), [])
    assert.equal((await session.post({ ...cancelled, params: { requestId: 99 } })).status, 202)
  })

  it('ends its streams when the session is deleted', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('endless', 5))
    await stream.message()
    assert.equal((await session.send('DELETE')).status, 204)
    assert.deepEqual(await stream.rest(), [])
  })

  it('D3: answers a modern call with JSON where nothing precedes its result', async () => {
    for (const name of ['plain', 'talk', 'slow']) {
      const stream = await modernCall(name)
      assert.equal(stream.headers.get('content-type'), 'application/json', name)
    }
  })

  it('§9.2 #40: streams progress and logs to a modern client that asked for them', async () => {
    const meta = { progressToken: 4, 'io.modelcontextprotocol/logLevel': 'error' }
    const stream = await modernCall('talk', meta)
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
    const events = await stream.rest()
    assert.deepEqual(
      events.map(({ id }) => id),
      [undefined, undefined, undefined, undefined],
    )
    const messages = events.map(({ data }) => JSON.parse(data ?? ''))
    assert.deepEqual(
      messages.map(({ method, params }) => [method, params?.progressToken ?? params?.level]),
      [
        ['notifications/progress', 4],
        ['notifications/message', 'error'],
        ['notifications/progress', 4],
        [undefined, undefined],
      ],
    )
    assert.equal(messages[3].result.resultType, 'complete')
    const json = await modernCall('talk', meta, 'application/json')
    assert.equal(json.headers.get('content-type'), 'application/json')
  })

  it('D3: turns a modern call that takes longer than a second into a stream', async () => {
    const stream = await modernCall('silent')
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
    assert.equal((await stream.message()).result.content[0].text, 'late')
  })

  it('§9.2 #39: sends no request of its own on a modern stream', async () => {
    const meta = { progressToken: 4, 'io.modelcontextprotocol/logLevel': 'debug' }
    const events = await (await modernCall('talk', meta)).rest()
    const messages = events.map(({ data }) => JSON.parse(data ?? ''))
    assert.ok(messages.length > 1)
    assert.deepEqual(
      messages.filter((message) => 'method' in message && 'id' in message),
      [],
    )
  })

  it('§9.2 #43: ignores Last-Event-ID and a session id on a modern request', async () => {
    const headers = {
      ...modernHeaders('tools/list'),
      'last-event-id': '1.1',
      'mcp-session-id': 'x',
    }
    assert.equal((await rollcall.post(path, modern('tools/list'), headers)).status, 200)
  })

  it('takes ids and tokens of any characters, and refuses those over their bound', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(
      call('talk', '\u{1F680} \u2028"', { progressToken: 'Zürich' }),
    )
    assert.equal((await stream.message()).params.progressToken, 'Zürich')
    const messages = (await stream.rest()).filter(({ data }) => data)
    assert.equal(JSON.parse(messages.at(-1)?.data ?? '').id, '\u{1F680} \u2028"')
    assert.equal((await session.post(call('plain', 'x'.repeat(2000)))).status, 400)
  })
})
