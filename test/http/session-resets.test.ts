/** Objects that are reset under streams, and a runtime that is started anew (`platform.md` §3, §4). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import {
  channelOf,
  evictChannel,
  indexedSessions,
  resetObject,
  restart,
} from '../support/objects.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import {
  call,
  ENDLESS,
  LIST_CHANGED,
  listenTo,
  log,
  messagesOf,
  requireSilence,
  talking,
} from '../support/talking.ts'

const TOOLS = [tool('a'), ENDLESS, talking('slow', log('begun'), { waitMs: 300 }, log('ended'))]
const LOST = -32603

let rollcall: Rollcall
let endpoint: string
before(async () => {
  rollcall = await startRollcall({
    vars: { INITIALIZE_LIMIT: '6000', STREAM_KEEPALIVE_SECONDS: '1' },
  })
  endpoint = (await make()).path
})
after(() => rollcall.close())

async function make(members: object = {}) {
  const { json } = await rollcall.admin('POST', '/servers', serverFile('Resets', TOOLS, members))
  const [id, path]: [string, string] = [json.id, json.endpoint]
  const add = (name: string) => rollcall.admin('POST', `/servers/${id}/tools`, tool(name))
  return { id, path, url: rollcall.url + path, add }
}

describe('A session that is reset under a call', { concurrency: true }, () => {
  it('at 2025-11-25 ends the stream cleanly, and gives an error for the call, once, to who comes back', async () => {
    const session = await openSession(rollcall, endpoint)
    const stream = await session.stream(call('endless', 'mine'))
    assert.equal((await stream.next())?.id, '1.0')
    assert.equal((await stream.next())?.id, '1.1')
    await resetObject(rollcall, 'SESSION', session)
    assert.deepEqual(await stream.rest(), [])
    for (let n = 0; n < 2; n++) {
      const [answer, ...more] = await (await session.listen({ 'last-event-id': '1.1' })).rest()
      assert.deepEqual([answer?.id, more], ['1.2', []])
      const { id, error } = JSON.parse(answer?.data ?? '')
      assert.deepEqual([id, error.code], ['mine', LOST])
    }
    const whole = await messagesOf(await session.listen({ 'last-event-id': '1.0' }))
    assert.deepEqual(
      whole.map(({ method, id }) => method ?? id),
      ['notifications/message', 'mine'],
    )
    assert.deepEqual(await (await session.listen({ 'last-event-id': '1.2' })).rest(), [])
  })

  for (const revision of ['2025-06-18', '2025-03-26']) {
    it(`at ${revision} gives an error for the call in its stream`, async () => {
      const session = await openSession(rollcall, endpoint, { revision })
      const stream = await session.stream(call('endless', 7))
      await stream.message()
      await resetObject(rollcall, 'SESSION', session)
      const [answer, ...more] = await messagesOf(stream)
      assert.deepEqual([answer.id, answer.error.code, more], [7, LOST, []])
    })
  }

  // The answer is asked of the same stub again, which is as broken as the object was: no id is left.
  it('gives an error to a client that takes JSON alone, too', async () => {
    const session = await openSession(rollcall, endpoint)
    const stream = await session.stream(call('endless', 'streamed'))
    await stream.message()
    const answer = session.post(call('endless', 'plain'))
    // A third call is answered only after the second has reached the object.
    await session.post(call('a'))
    await resetObject(rollcall, 'SESSION', session)
    const { status, json } = await answer
    assert.deepEqual([status, json.id, json.error.code], [200, 'plain', LOST])
    assert.deepEqual(await stream.rest(), [])
  })

  it('gives the rest of a call that was done before', async () => {
    const session = await openSession(rollcall, endpoint)
    const stream = await session.stream(call('slow', 's'))
    await stream.message()
    stream.close()
    const whole = await (await session.listen({ 'last-event-id': '1.0' })).rest()
    await resetObject(rollcall, 'SESSION', session)
    const again = await (await session.listen({ 'last-event-id': '1.0' })).rest()
    assert.deepEqual(again, whole)
    assert.deepEqual(
      again.map(({ id }) => id),
      ['1.1', '1.2', '1.3'],
    )
  })

  it('keeps what it knows, and numbers its streams on', async () => {
    const session = await openSession(rollcall, endpoint)
    await session.post(legacy('logging/setLevel', { level: 'error' }))
    await (await session.stream(call('a'))).rest()
    await resetObject(rollcall, 'SESSION', session)
    const events = await (await session.stream(call('slow', 2))).rest()
    assert.deepEqual(
      events.map(({ id }) => id),
      ['2.0', '2.1'],
    )
    assert.match(events[1]?.data ?? '', /slow done/)
  })
})

describe('A session whose own stream is open', { concurrency: true }, () => {
  it('is told of the next change, once, though its object was evicted', async () => {
    const { path, add } = await make()
    const session = await openSession(rollcall, path)
    const stream = await session.listen()
    await stream.nextAny()
    await rollcall.harness.getWorker().evictDurableObject('SESSION', { id: session.id })
    await add('new')
    assert.equal((await stream.message()).method, LIST_CHANGED)
    await requireSilence(stream)
    stream.close()
  })

  it('is told of the next change, once, though its object was reset: there, or as it comes back', async () => {
    const { path, add } = await make()
    const session = await openSession(rollcall, path)
    let stream = await session.listen()
    await stream.nextAny()
    await resetObject(rollcall, 'SESSION', session)
    await add('new')
    let notice = await stream.message()
    if (notice === undefined) {
      stream = await session.listen()
      assert.equal(stream.status, 200)
      notice = await stream.message()
    }
    assert.equal(notice.method, LIST_CHANGED)
    await requireSilence(stream)
    stream.close()
  })
})

const WAYS = {
  'evicted with its sockets closed': (server: string) => evictChannel(rollcall, server, 'close'),
  'evicted with its sockets hibernating': (server: string) =>
    evictChannel(rollcall, server, 'hibernate'),
  reset: (server: string) => resetObject(rollcall, 'CHANNEL', channelOf(server)),
}

describe('A Channel', { concurrency: true }, () => {
  for (const [how, undo] of Object.entries(WAYS)) {
    it(`${how} keeps streams of both eras open, and the next change reaches each once`, async () => {
      const { id, path, url, add } = await make()
      const session = await openSession(rollcall, path)
      const streams = [await session.listen(), await listenTo(url)]
      await streams[0]?.nextAny()
      for (const name of ['one', 'two']) {
        await undo(id)
        await add(name)
        for (const stream of streams) assert.equal((await stream.message()).method, LIST_CHANGED)
        for (const stream of streams) await requireSilence(stream)
      }
      assert.ok((await indexedSessions(rollcall, id)).includes(session.id))
      for (const stream of streams) stream.close()
    })
  }

  // Nobody says goodbye to a socket that is not there, and the new one is for the old caller.
  it('ends the streams of a key that was revoked while it was away', async () => {
    const { id, path, url, add } = await make({ auth: 'key' })
    const key = (await rollcall.admin('POST', '/keys', { name: 'k', server: id })).json
    const headers = { authorization: `Bearer ${key.secret}` }
    const session = await openSession(rollcall, path, { headers })
    const [stream, listening] = [await session.listen(), await listenTo(url, 1, headers)]
    await stream.nextAny()
    await requireSilence(stream) // KV takes the key's next put at once now
    await WAYS['evicted with its sockets closed'](id)
    await rollcall.admin('DELETE', `/keys/${key.id}`)
    await eventually(
      () => session.post(legacy('ping')),
      ({ status }) => status === 401,
    )
    await add('secret')
    const messages = await Promise.all([stream.message(), listening.message()])
    stream.close()
    listening.close()
    assert.deepEqual(
      messages.map((message) => message?.method ?? message?.result.resultType),
      [undefined, 'complete'],
    )
  })

  it('ends the streams of a server that was deleted while it was away', async () => {
    const { id, path, url } = await make()
    const session = await openSession(rollcall, path)
    const [stream, listening] = [await session.listen(), await listenTo(url)]
    await stream.nextAny()
    await requireSilence(stream)
    await WAYS['evicted with its sockets closed'](id)
    await rollcall.admin('DELETE', `/servers/${id}`)
    for (let n = 0; n < 3; n++) {
      if ((await listening.nextAny())?.comment !== 'keepalive') break
    }
    const rest = [await stream.nextAny(), await listening.nextAny()]
    stream.close()
    listening.close()
    assert.deepEqual(rest, [undefined, undefined])
  })
})

describe('A restart of the whole runtime', () => {
  it('leaves sessions as they were: lists, index, log level, replay and calls that were lost', async () => {
    const { id, path, add } = await make()
    const session = await openSession(rollcall, path)
    await session.post(legacy('logging/setLevel', { level: 'error' }))
    await (await session.stream(call('slow', 'done'))).rest()
    const running = await session.stream(call('endless', 'running'))
    await running.next()
    const whole = await (await session.listen({ 'last-event-id': '1.0' })).rest()
    const other = await openSession(rollcall, path, { revision: '2025-06-18' })
    running.close()
    await restart(rollcall)
    assert.deepEqual(
      (await indexedSessions(rollcall, id)).toSorted(),
      [session.id, other.id].toSorted(),
    )
    assert.deepEqual(await (await session.listen({ 'last-event-id': '1.0' })).rest(), whole)
    const [lost, ...more] = await messagesOf(await session.listen({ 'last-event-id': '2.0' }))
    assert.deepEqual([lost.id, lost.error.code, more], ['running', LOST, []])
    const events = await (await session.stream(call('slow', 'after'))).rest()
    assert.deepEqual(
      events.map(({ id: eventId }) => eventId),
      ['3.0', '3.1'], // at the log level that was set
    )
    const stream = await other.listen()
    await add('new')
    assert.equal((await stream.message()).method, LIST_CHANGED)
    await requireSilence(stream)
    stream.close()
    const { json } = await other.post(legacy('tools/list'))
    assert.equal(json.result.tools.at(-1).name, 'new')
    assert.equal((await session.send('DELETE')).status, 204)
    await eventually(
      () => indexedSessions(rollcall, id),
      (ids) => ids.length === 1,
    )
  })
})
