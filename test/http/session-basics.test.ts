/** Sessions of hosted servers: how they open, bind, answer and end (`surfaces.md` D1, D3). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession } from '../support/sessions.ts'

const LOGGING = {
  handler: {
    kind: 'static',
    result: { content: [] },
    steps: [{ log: { level: 'info', data: 'x' } }],
  },
}

describe('A session', () => {
  let rollcall: Rollcall
  let path: string
  let id: string
  before(async () => {
    rollcall = await startRollcall()
    const file = serverFile('Talks', [tool('a', { title: 'A' }), tool('b', LOGGING)])
    const made = await rollcall.admin('POST', '/servers', file)
    path = made.json.endpoint
    id = made.json.id
  })
  after(() => rollcall.close())

  it('§9.2 #21: has an id of visible characters that cannot be guessed', async () => {
    const { id: one } = await openSession(rollcall, path)
    const { id: two } = await openSession(rollcall, path)
    assert.match(one, /^[0-9a-f]{64}$/)
    assert.notEqual(one, two)
  })

  it('answers lists as an event where the client takes those, else as JSON', async () => {
    const session = await openSession(rollcall, path)
    const json = await session.post(legacy('tools/list'))
    assert.equal(json.headers.get('content-type'), 'application/json')
    const stream = await session.stream(legacy('tools/list', {}, 'x'))
    assert.equal(stream.headers.get('content-type'), 'text/event-stream')
    const [event, ...more] = await stream.rest()
    assert.deepEqual([event?.event, event?.id, more.length], ['message', undefined, 0])
    assert.deepEqual(JSON.parse(event?.data ?? ''), { ...json.json, id: 'x' })
  })

  it('serves each session at its own revision, whatever the header says', async () => {
    const old = await openSession(rollcall, path, { revision: '2025-03-26' })
    const { 'mcp-protocol-version': _, ...bare } = old.headers
    for (const headers of [bare, { ...bare, 'mcp-protocol-version': '2025-11-25' }]) {
      const { json } = await rollcall.post(path, legacy('tools/list'), headers)
      assert.equal(json.result.tools[0].title, undefined)
    }
    const unknown = { ...bare, 'mcp-protocol-version': '1999-01-01' }
    assert.equal((await rollcall.post(path, legacy('ping'), unknown)).status, 400)
    const young = await openSession(rollcall, path, { revision: '2025-06-18' })
    assert.equal((await young.post(legacy('tools/list'))).json.result.tools[0].title, 'A')
  })

  it('§9.2 #15: takes batches in a session of 2025-03-26 alone', async () => {
    const old = await openSession(rollcall, path, { revision: '2025-03-26' })
    const batch = [legacy('ping', {}, 1), legacy('tools/list', {}, 2)]
    assert.deepEqual(
      (await old.post(batch)).json.map((one: { id: number }) => one.id),
      [1, 2],
    )
    const events = await (await old.stream(batch)).rest()
    assert.equal(events.length, 1)
    const young = await openSession(rollcall, path)
    assert.equal((await young.post(batch)).status, 400)
  })

  it('§9.2 #22, #23: is 404 to another server, another caller, and once it was made up', async () => {
    const other = (await rollcall.admin('POST', '/servers', serverFile('Other'))).json.endpoint
    const session = await openSession(rollcall, path)
    assert.equal((await rollcall.post(other, legacy('ping'), session.headers)).status, 404)
    const madeUp = { 'mcp-session-id': 'f'.repeat(64) }
    const foreign = { 'mcp-session-id': '0'.repeat(64) }
    for (const headers of [madeUp, foreign]) {
      for (const method of ['GET', 'DELETE']) {
        const accept = { accept: 'text/event-stream' }
        assert.equal(
          (await rollcall.send(path, { method, headers: { ...headers, ...accept } })).status,
          404,
        )
      }
      assert.equal((await rollcall.post(path, legacy('tools/list'), headers)).status, 404)
      assert.equal(
        (
          await rollcall.post(
            path,
            legacy('initialize', { protocolVersion: '2025-11-25' }),
            headers,
          )
        ).status,
        404,
      )
    }
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })

  it('is bound to the key that opened it', async () => {
    const keyed = await rollcall.admin(
      'POST',
      '/servers',
      serverFile('Keyed', [tool('a')], { auth: 'key' }),
    )
    const key = async () =>
      (await rollcall.admin('POST', '/keys', { name: 'k', server: keyed.json.id })).json.secret
    const [mine, theirs] = [await key(), await key()]
    const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
    const session = await openSession(rollcall, keyed.json.endpoint, { headers: bearer(mine) })
    const as = (headers: Record<string, string>) =>
      rollcall.post(keyed.json.endpoint, legacy('tools/list'), { ...session.headers, ...headers })
    assert.equal((await as(bearer(mine))).status, 200)
    assert.equal((await as(bearer(theirs))).status, 404)
  })

  it('§9.2 #24: ends by DELETE, and is 404 on every method after', async () => {
    const session = await openSession(rollcall, path)
    assert.equal((await session.send('DELETE')).status, 204)
    assert.equal((await session.post(legacy('ping'))).status, 404)
    assert.equal((await session.send('DELETE')).status, 404)
    assert.equal((await session.listen()).status, 404)
  })

  it('D1: opens another session when initialize comes with a live id', async () => {
    const session = await openSession(rollcall, path)
    const again = await session.post(legacy('initialize', { protocolVersion: '2025-06-18' }))
    const fresh = again.headers.get('mcp-session-id')
    assert.ok(fresh !== null && fresh !== session.id)
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })

  it('opens two sessions for two initializes at once', async () => {
    const params = { protocolVersion: '2025-11-25' }
    const both = await Promise.all(
      [1, 2].map(() => rollcall.post(path, legacy('initialize', params))),
    )
    assert.equal(new Set(both.map(({ headers }) => headers.get('mcp-session-id'))).size, 2)
  })

  it('§9.2 #26: wants text/event-stream of GET, and without a session allows none', async () => {
    const session = await openSession(rollcall, path)
    assert.equal((await session.listen({ accept: 'application/json' })).status, 406)
    const bare = await rollcall.send(path, { headers: { accept: 'text/event-stream' } })
    assert.deepEqual([bare.status, bare.headers.get('allow')], [405, 'POST'])
  })

  it('keeps a log level, and refuses one that is none', async () => {
    const session = await openSession(rollcall, path)
    assert.deepEqual(
      (await session.post(legacy('logging/setLevel', { level: 'error' }))).json.result,
      {},
    )
    assert.equal(
      (await session.post(legacy('logging/setLevel', { level: 'loud' }))).json.error.code,
      -32602,
    )
  })

  it('is listed for the operator, who can end it', async () => {
    const session = await openSession(rollcall, path)
    const { json } = await rollcall.admin('GET', `/sessions?server=${id}&limit=1000`)
    const listed = json.items.find((item: { id: string }) => item.id === session.id)
    assert.deepEqual(
      [listed.caller, listed.revision, listed.clientInfo],
      ['anonymous', '2025-11-25', { name: 'test', version: '1' }],
    )
    assert.equal((await rollcall.admin('DELETE', `/sessions/${session.id}`)).status, 204)
    assert.equal((await session.post(legacy('ping'))).status, 404)
    assert.equal((await rollcall.admin('DELETE', `/sessions/${session.id}`)).status, 404)
    assert.equal((await rollcall.admin('DELETE', '/sessions/nonsense')).status, 404)
    await rollcall.admin('POST', '/organizations', { name: 'elsewhere' })
    const other = await openSession(rollcall, path)
    const elsewhere = { 'rollcall-organization': 'elsewhere' }
    assert.equal(
      (await rollcall.admin('DELETE', `/sessions/${other.id}`, undefined, elsewhere)).status,
      404,
    )
    assert.equal((await other.post(legacy('ping'))).status, 200)
  })
})

describe('The number of sessions', () => {
  it('is bounded a minute for anonymous callers of one address', async () => {
    const rollcall = await startRollcall()
    try {
      const { endpoint } = (await rollcall.admin('POST', '/servers', serverFile('Busy'))).json
      const statuses: number[] = []
      while (!statuses.includes(429) && statuses.length < 70) {
        const answer = await rollcall.post(
          endpoint,
          legacy('initialize', { protocolVersion: '2025-11-25' }),
        )
        statuses.push(answer.status)
      }
      assert.ok(statuses.length >= 30 && statuses.includes(429), `${statuses.length}`)
    } finally {
      await rollcall.close()
    }
  })
})
