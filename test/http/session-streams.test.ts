/** Open streams: how many, how long, and what becomes of those whose readers stall or go. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openStream, type EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import { sendRaw } from '../support/raw-client.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession, type TestSession } from '../support/sessions.ts'
import {
  call,
  LIST_CHANGED,
  listenRequest,
  listenTo,
  messagesOf,
  requireSilence,
} from '../support/talking.ts'

const MAX_STREAMS = 100
const LONG = 'x'.repeat(3 * 1024 * 1024)
const TOOLS = [
  tool('a'),
  tool('echo', {
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: {
      kind: 'static',
      result: { content: [1, 2, 3, 4].map(() => ({ type: 'text', text: '{text}' })) },
    },
  }),
]

async function make(rollcall: Rollcall, members: object = {}) {
  const { json } = await rollcall.admin('POST', '/servers', serverFile('Streams', TOOLS, members))
  const [id, path]: [string, string] = [json.id, json.endpoint]
  const add = (name: string) => rollcall.admin('POST', `/servers/${id}/tools`, tool(name))
  const patch = (change: object) => rollcall.admin('PATCH', `/servers/${id}`, change)
  return { id, path, url: rollcall.url + path, add, patch }
}

const sessionStream = (rollcall: Rollcall, path: string, session: TestSession) =>
  sendRaw(rollcall.url + path, {
    method: 'GET',
    headers: { ...session.headers, accept: 'text/event-stream' },
  })

describe('Many streams', { concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({
      vars: { INITIALIZE_LIMIT: '6000', STREAM_KEEPALIVE_SECONDS: '1' },
    })
  })
  after(() => rollcall.close())

  it('of one session are bounded, and the places of those that close are free again', async () => {
    const { path } = await make(rollcall)
    const [session, other] = [await openSession(rollcall, path), await openSession(rollcall, path)]
    const streams = await Promise.all(
      Array.from({ length: 2 * MAX_STREAMS }, () => session.listen()),
    )
    const refused = streams.filter(({ status }) => status === 429)
    assert.equal(refused.length, MAX_STREAMS)
    for (const { headers } of refused) assert.equal(headers.get('retry-after'), '60')
    const others = await other.listen()
    assert.equal(others.status, 200)
    others.close()
    for (const stream of streams) stream.close()
    const held: EventStream[] = []
    await eventually(
      async () => {
        const more = await Promise.all(Array.from({ length: 10 }, () => session.listen()))
        held.push(...more.filter(({ status }) => status === 200))
        return held.length
      },
      (length) => length >= MAX_STREAMS / 2,
    )
    for (const stream of held) stream.close()
  })

  it('of one address are bounded too, of subscriptions that are left without a word', async () => {
    const { url } = await make(rollcall)
    const { method, headers, body } = listenRequest({ toolsListChanged: true })
    const raw = { method, headers, body: JSON.parse(body) as unknown }
    const clients = await Promise.all(
      Array.from({ length: MAX_STREAMS + 20 }, () => sendRaw(url, raw)),
    )
    await Promise.all(clients.map(({ until }) => until('\r\n\r\n')))
    const statuses = clients.map(({ received }) => received().slice(9, 12))
    assert.equal(statuses.filter((status) => status === '429').length, 20)
    assert.ok(
      clients.every(({ received }) => /^HTTP\S+ (?:200|429[^]*retry-after: 60)/i.test(received())),
    )
    for (const { socket } of clients) socket.destroy()
    const stream = await eventually(
      () => openStream(url, listenRequest({})),
      ({ status }) => status === 200,
    )
    stream.close()
  })
})

describe('A reader that', { concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({
      vars: { INITIALIZE_LIMIT: '6000', STREAM_KEEPALIVE_SECONDS: '2' },
    })
  })
  after(() => rollcall.close())

  it('stalls in an answer longer than any buffer holds nobody else up', async () => {
    const { path } = await make(rollcall)
    const [session, other] = [await openSession(rollcall, path), await openSession(rollcall, path)]
    const clients = await Promise.all(
      [1, 2].map(async (id) => {
        const client = await sendRaw(rollcall.url + path, {
          method: 'POST',
          headers: {
            ...session.headers,
            'content-type': 'application/json',
            accept: 'text/event-stream',
          },
          body: legacy('tools/call', { name: 'echo', arguments: { text: LONG } }, id),
        })
        await client.until('200 OK')
        client.stall()
        return client
      }),
    )
    for (const one of [session, other]) {
      assert.equal((await messagesOf(await one.stream(call('a', 'next')))).length, 1)
    }
    for (const { socket, isHeld } of clients) {
      assert.ok(isHeld())
      socket.destroy()
      await eventually(
        async () => isHeld(),
        (held) => !held,
      )
    }
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })

  it('stalls is told of a change, and so are other sessions and subscriptions', async () => {
    const { path, url, add } = await make(rollcall)
    const [stalled, other] = [await openSession(rollcall, path), await openSession(rollcall, path)]
    const client = await sessionStream(rollcall, path, stalled)
    await client.until('open')
    client.stall()
    const streams = [await other.listen(), await listenTo(url)]
    await add('new')
    for (const stream of streams) assert.equal((await stream.message()).method, LIST_CHANGED)
    client.socket.resume()
    await client.until(LIST_CHANGED)
    client.socket.destroy()
    for (const stream of streams) stream.close()
  })

  /** A session with two streams, the newer of which is left in some way just before a change. */
  const newerLeft = async (leave: 'destroy' | 'resetAndDestroy') => {
    const { path, add } = await make(rollcall)
    const session = await openSession(rollcall, path)
    const older = await session.listen()
    const newer = await sessionStream(rollcall, path, session)
    await newer.until('keepalive') // the next thing that is written is the notice
    newer.socket[leave]()
    await add('new')
    const list = async () => (await session.post(legacy('tools/list'))).json.result.tools
    await eventually(list, ({ length }) => length === TOOLS.length + 1)
    const isNoticed = async () => !newer.isHeld()
    await eventually(isNoticed, (noticed) => noticed)
    await pause(500) // for what is done about it
    const third = await session.listen()
    const notice = await Promise.race([older.message(), third.message(), pause(2000, 'none')])
    for (const stream of [older, third]) stream.close()
    newer.socket.destroy()
    return notice.method ?? notice
  }

  it('has reset its newer stream is told on the other, or on the next', async () => {
    assert.equal(await newerLeft('resetAndDestroy'), LIST_CHANGED)
  })

  // The keepalive that finds the client gone has just taken it that the notice had arrived.
  it('has closed its newer stream is told on the other, or on the next', async () => {
    assert.equal(await newerLeft('destroy'), LIST_CHANGED)
  })
})

describe('The end of a stream', { concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({
      vars: {
        INITIALIZE_LIMIT: '6000',
        STREAM_KEEPALIVE_SECONDS: '1',
        STREAM_MAX_AGE_SECONDS: '3',
      },
    })
  })
  after(() => rollcall.close())

  it('comes cleanly at its greatest age, after keepalives; a subscription has its result', async () => {
    const { path, url } = await make(rollcall)
    const session = await openSession(rollcall, path)
    const began = Date.now()
    const [stream, one, two] = [
      await session.listen(),
      await listenTo(url, 1),
      await listenTo(url, '1'),
    ]
    assert.deepEqual(await stream.nextAny(), { retry: '3000', comment: 'open' })
    for (const open of [stream, one, two]) await requireSilence(open)
    assert.equal(await stream.nextAny(), undefined)
    for (const [listening, id] of [
      [one, 1],
      [two, '1'],
    ] as const) {
      const [result, ...more] = await messagesOf(listening)
      assert.deepEqual([result.id, result.result.resultType, more], [id, 'complete', []])
      assert.equal(result.result._meta['io.modelcontextprotocol/subscriptionId'], id)
    }
    assert.ok(Date.now() - began >= 2500)
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })

  it('comes when its key expires', async () => {
    const { id, path, url } = await make(rollcall, { auth: 'key' })
    const expiresAt = new Date(Date.now() + 3000).toISOString()
    const key = await rollcall.admin('POST', '/keys', { name: 'k', server: id, expiresAt })
    const headers = { authorization: `Bearer ${key.json.secret}` }
    const session = await openSession(rollcall, path, { headers })
    const [stream, listening] = [await session.listen(), await listenTo(url, 1, headers)]
    const ends = [await messagesOf(stream), await messagesOf(listening)]
    assert.ok(Date.now() < Date.parse(expiresAt) + 500)
    assert.deepEqual([ends[0], ends[1]?.[0].result.resultType], [[], 'complete'])
    await eventually(
      () => session.listen(),
      ({ status }) => status === 401,
    )
  })

  it('comes at once when its key is revoked', async () => {
    const { id, path, url } = await make(rollcall, { auth: 'key' })
    const keys = await Promise.all(
      ['one', 'two'].map((name) => rollcall.admin('POST', '/keys', { name, server: id })),
    )
    await pause(1000) // a key is put into KV once a second
    const open = await Promise.all(
      keys.map(async ({ json }) => {
        const headers = { authorization: `Bearer ${json.secret}` }
        const session = await openSession(rollcall, path, { headers })
        return [await session.listen(), await listenTo(url, 1, headers)] as const
      }),
    )
    const revoked = Date.now()
    await rollcall.admin('DELETE', `/keys/${keys[0]?.json.id}`)
    assert.deepEqual(await messagesOf(open[0]![0]), [])
    assert.equal((await messagesOf(open[0]![1]))[0].result.resultType, 'complete')
    assert.ok(Date.now() - revoked < 2000)
    for (const stream of open[1] ?? []) {
      const next = await stream.nextAny()
      assert.ok(next?.comment !== undefined)
      stream.close()
    }
  })

  it('comes when notifications are turned off, and no other begins', async () => {
    const { path, url, patch } = await make(rollcall)
    const session = await openSession(rollcall, path)
    const [stream, listening] = [await session.listen(), await listenTo(url)]
    const began = Date.now()
    await patch({ notifications: false })
    assert.deepEqual(await messagesOf(stream), [])
    const messages = await messagesOf(listening)
    assert.equal(messages.at(-1)?.result.resultType, 'complete')
    assert.ok(Date.now() - began < 2500) // and not by their age
    await eventually(
      () => session.listen(),
      ({ status }) => status === 405,
    )
    assert.equal((await openStream(url, listenRequest({}))).status, 404)
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })
})
