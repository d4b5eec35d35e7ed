/** How sessions come to an end, and that nothing of them stays (`design.md` §2, "Session ids"). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import {
  channelOf,
  evictChannel,
  indexedSessions,
  inObject,
  rowCounts,
} from '../support/objects.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'
import { call, ENDLESS, LIST_CHANGED, log, requireSilence, talking } from '../support/talking.ts'

const IDLE_MS = 2000 // what is open for longer than this has to be kept alive by what it is
const TOOLS = [tool('a'), ENDLESS, talking('slow', log('begun'), { waitMs: 1.5 * IDLE_MS })]

let rollcall: Rollcall
before(async () => {
  rollcall = await startRollcall({
    vars: { INITIALIZE_LIMIT: '6000', STREAM_KEEPALIVE_SECONDS: '1' },
  })
})
after(() => rollcall.close())

describe('A session that idles', { concurrency: true }, () => {
  const make = async (members: object = {}) => {
    const file = serverFile('Idle', TOOLS, { sessionIdleSeconds: IDLE_MS / 1000, ...members })
    const { json } = await rollcall.admin('POST', '/servers', file)
    return { id: json.id as string, path: json.endpoint as string }
  }
  /** Waits until neither the index nor the session's own object has anything of it. */
  const untilGone = async (server: string, id: string) => {
    await eventually(
      () => indexedSessions(rollcall, server),
      (ids) => !ids.includes(id),
    )
    await eventually(
      () => rowCounts(rollcall, 'SESSION', { id }),
      (counts) => Object.keys(counts).length === 0,
    )
  }
  const statuses = async (path: string, id: string) => {
    const headers = { 'mcp-session-id': id, accept: 'text/event-stream' }
    return Promise.all([
      rollcall.post(path, legacy('ping'), headers).then(({ status }) => status),
      rollcall.post(path, call('a'), headers).then(({ status }) => status),
      rollcall.send(path, { headers }).then(({ status }) => status),
      rollcall
        .send(path, { headers: { ...headers, 'last-event-id': '1.0' } })
        .then(({ status }) => status),
      rollcall.send(path, { method: 'DELETE', headers }).then(({ status }) => status),
    ])
  }
  const NOT_FOUND = [404, 404, 404, 404, 404]

  it('is gone after its idle time, with its rows, its entry in the index, and for good', async () => {
    const { id: server, path } = await make()
    const session = await openSession(rollcall, path)
    await (await session.stream(call('a'))).rest()
    assert.deepEqual(await indexedSessions(rollcall, server), [session.id])
    assert.deepEqual(await rowCounts(rollcall, 'SESSION', session), {
      streams: 1,
      sqlite_sequence: 1,
      events: 1,
    })
    await untilGone(server, session.id)
    assert.deepEqual(await statuses(path, session.id), NOT_FOUND)
    assert.deepEqual(await rowCounts(rollcall, 'SESSION', session), {})
    assert.deepEqual(await indexedSessions(rollcall, server), [])
  })

  it('is gone too when it saw nothing after initialize', async () => {
    const { id: server, path } = await make({ sessionIdleSeconds: 1 })
    const params = { protocolVersion: '2025-11-25' }
    const opened = await rollcall.post(path, legacy('initialize', params))
    const id = opened.headers.get('mcp-session-id') ?? ''
    await untilGone(server, id)
    assert.deepEqual(await statuses(path, id), NOT_FOUND)
  })

  it('stays while it is used', async () => {
    const { path } = await make()
    const session = await openSession(rollcall, path)
    for (let n = 0; n < 7; n++) {
      await pause(IDLE_MS / 4)
      assert.equal((await session.post(legacy('ping'))).status, 200)
    }
  })

  it('stays while its stream is open, and goes when that is closed', async () => {
    const { id: server, path } = await make()
    const session = await openSession(rollcall, path)
    const stream = await session.listen()
    await stream.nextAny()
    await requireSilence(stream, 3) // a second each
    await rollcall.admin('POST', `/servers/${server}/tools`, tool('b'))
    assert.equal((await stream.message()).method, LIST_CHANGED)
    stream.close()
    await untilGone(server, session.id)
  })

  it('stays while a call is under way, and gives its answer', async () => {
    const { id: server, path } = await make()
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('slow', 'late'))
    assert.equal((await stream.message()).params.data, 'begun')
    assert.equal((await stream.message()).id, 'late')
    assert.equal((await session.post(legacy('ping'))).status, 200)
    await untilGone(server, session.id)
  })

  // Between two sockets a stream counts as closed.
  it('stays while its stream is open, though Channel is reset as its idle time passes', async () => {
    const { id: server, path } = await make()
    const session = await openSession(rollcall, path)
    const opened = Date.now()
    const stream = await session.listen()
    await stream.nextAny()
    await pause(opened + IDLE_MS - 100 - Date.now())
    await evictChannel(rollcall, server, 'close')
    await requireSilence(stream, 3)
    assert.equal((await session.post(legacy('ping'))).status, 200)
    stream.close()
  })
})

describe('A session with an open stream', () => {
  // The alarm asks Channel once the time is up, and until it has its answer requests are refused.
  it('is never 404, not even at the moment its idle time has passed', async () => {
    const file = serverFile('Idle', TOOLS, { sessionIdleSeconds: IDLE_MS / 1000 })
    const path: string = (await rollcall.admin('POST', '/servers', file)).json.endpoint
    const ask = async (n: number): Promise<number> => {
      const session = await openSession(rollcall, path)
      const used = Date.now()
      const stream = await session.listen()
      if (Date.now() > used + IDLE_MS / 2) return 200 // it may have ended before the stream began
      await pause(used + IDLE_MS + (n % 15) - 3 - Date.now())
      const { status } = await session.post(legacy('ping'))
      stream.close()
      return status
    }
    const statuses = await Promise.all(Array.from({ length: 90 }, (_, n) => ask(n)))
    assert.deepEqual(new Set(statuses), new Set([200]))
  })
})

describe('What a session stores', { concurrency: true }, () => {
  let server: string
  let path: string
  before(async () => {
    const { json } = await rollcall.admin('POST', '/servers', serverFile('Stored', TOOLS))
    server = json.id
    path = json.endpoint
  })

  it('has no row more after 100 lists than after one', async () => {
    const session = await openSession(rollcall, path)
    await session.post(legacy('tools/list'))
    const counts = async () => [
      await rowCounts(rollcall, 'SESSION', session),
      (await indexedSessions(rollcall, server)).filter((id) => id === session.id),
    ]
    const one = await counts()
    for (let n = 0; n < 50; n++) {
      await session.post(legacy('tools/list', {}, n))
      await (await session.stream(legacy('tools/list', {}, `s${n}`))).rest()
    }
    assert.deepEqual(await counts(), one)
    assert.deepEqual(one, [{ streams: 0, sqlite_sequence: 0, events: 0 }, [session.id]])
  })

  it('goes when the session is deleted, in the middle of a call too', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('endless'))
    await stream.message()
    assert.equal((await session.send('DELETE')).status, 204)
    assert.deepEqual(await stream.rest(), [])
    await eventually(
      () => rowCounts(rollcall, 'SESSION', session),
      (counts) => Object.keys(counts).length === 0,
    )
    assert.ok(!(await indexedSessions(rollcall, server)).includes(session.id))
  })

  // The first call of an id is no longer known when the second has begun.
  it('ends both of two calls that were given one id, when the session is deleted', async () => {
    const session = await openSession(rollcall, path)
    const streams = [
      await session.stream(call('endless', 5)),
      await session.stream(call('endless', 5)),
    ]
    for (const stream of streams) assert.equal((await stream.message()).params.data, 'begun')
    assert.equal((await session.send('DELETE')).status, 204)
    const ended = Promise.all(streams.map((stream) => stream.rest()))
    assert.deepEqual(await Promise.race([ended, pause(3000, 'still open')]), [[], []])
  })

  it('is nothing for a genuine id that was never opened: no late request makes a database', async () => {
    const session = await openSession(rollcall, path)
    const { SESSION } = await rollcall.harness
      .getWorker<{ SESSION: DurableObjectNamespace }>()
      .getEnv()
    const id = SESSION.newUniqueId().toString()
    const headers = { 'mcp-session-id': id, accept: 'text/event-stream' }
    for (const method of ['POST', 'GET', 'DELETE']) {
      const body = method === 'POST' ? JSON.stringify(call('a')) : undefined
      const all = { ...headers, 'content-type': 'application/json' }
      assert.equal((await rollcall.send(path, { method, headers: all, body })).status, 404)
    }
    const tables = (one: string) =>
      inObject(rollcall, 'SESSION', { id: one }, 'SELECT name FROM sqlite_master')
    assert.deepEqual(await tables(id), []) // not even the platform's own
    assert.ok((await tables(session.id)).length > 0)
  })

  it('is as it was after the index has lost its entry', async () => {
    const session = await openSession(rollcall, path)
    const sql = `DELETE FROM sessions WHERE id = '${session.id}'`
    await inObject(rollcall, 'CHANNEL', channelOf(server), sql)
    assert.equal((await session.post(legacy('ping'))).status, 200)
    assert.equal((await session.listen()).status, 404)
    assert.equal((await session.send('DELETE')).status, 204)
  })
})
