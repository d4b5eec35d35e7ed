/** What meets in a session: changes and lists, ends and beginnings, old copies and new knowledge. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { serverKey, revisionKey } from '../../src/catalog/kv.ts'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import { indexedSessions, restart, rowCounts } from '../support/objects.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile, template, tool } from '../support/servers.ts'
import { openSession, type TestSession } from '../support/sessions.ts'
import { call, LIST_CHANGED, log, messagesOf, talking } from '../support/talking.ts'

const names = ({ json }: Answer) => json.result.tools.map(({ name }: { name: string }) => name)
const list = async (session: TestSession): Promise<string[]> =>
  names(await session.post(legacy('tools/list')))

const LONG = 'x'.repeat(900_000) // so that it takes a while to hand the call to the session
const STEPS = {
  ...talking('steps', log(1), { waitMs: 50 }, log(2)),
  handler: {
    kind: 'static',
    steps: [log(1), { waitMs: 50 }, log(2)],
    result: { content: [{ type: 'text', text: LONG }] },
  },
}

describe('In a session', { concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
  })
  after(() => rollcall.close())

  const make = async (tools: object[], members: object = {}) => {
    const { json } = await rollcall.admin('POST', '/servers', serverFile('Races', tools, members))
    return { id: json.id as string, path: json.endpoint as string }
  }

  const faults = () => rollcall.harness.getLogs().map(({ message }) => message)

  it('a list during a publish is of one revision, and never older than the one before', async () => {
    const version = (n: number) => [1, 2, 3].map((part) => tool(`v${n}_${part}`))
    const { id, path } = await make(version(0))
    const session = await openSession(rollcall, path)
    const publishing = new AbortController()
    const publish = async () => {
      for (let n = 1; n <= 8; n++) {
        await rollcall.admin('PUT', `/servers/${id}`, serverFile('Races', version(n)))
      }
      await eventually(
        () => list(session),
        ([first]) => first === 'v8_1',
      )
      publishing.abort()
    }
    const read = async () => {
      let last = 0
      while (!publishing.signal.aborted) {
        const seen = await list(session)
        const versions = new Set(seen.map((name) => Number(name.slice(1, 2))))
        assert.deepEqual([seen.length, versions.size], [3, 1], seen.join())
        const [now = 0] = versions
        assert.ok(now >= last, `${now} after ${last}`)
        last = now
      }
    }
    await Promise.all([publish(), read(), read()])
  })

  it('DELETE and GET at once leave no stream and no row', async () => {
    const { id, path } = await make([tool('a')])
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => openSession(rollcall, path)),
    )
    const ends = sessions.map(async (session) => {
      const [stream, ...deleted] = await Promise.all([
        session.listen(),
        session.send('DELETE'),
        session.send('DELETE'),
        session.listen(),
      ])
      assert.ok([200, 404].includes(stream.status), String(stream.status))
      assert.deepEqual(await messagesOf(stream), [])
      const statuses = deleted.slice(0, 2).map(({ status }) => status)
      assert.deepEqual(
        statuses.toSorted((a, b) => a - b),
        [204, 404],
      )
      assert.equal((await session.listen()).status, 404)
    })
    await Promise.all(ends)
    await eventually(
      () => indexedSessions(rollcall, id),
      (ids) => ids.length === 0,
    )
    for (const session of sessions) {
      await eventually(
        () => rowCounts(rollcall, 'SESSION', session),
        (counts) => Object.keys(counts).length === 0,
      )
    }
  })

  // A call whose body is still being read when the session ends begins after that.
  it('DELETE among calls and lists ends each stream, and nothing comes back to life', async () => {
    const { path } = await make([tool('a'), STEPS])
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => openSession(rollcall, path)),
    )
    const ends = sessions.map(async (session) => {
      const calls = Array.from({ length: 4 }, (_, id) => session.stream(call('steps', id)))
      const lists = Array.from({ length: 4 }, (_, id) => session.post(legacy('tools/list', {}, id)))
      const deleted = session.send('DELETE')
      for (const stream of await Promise.all(calls)) {
        assert.ok([200, 404].includes(stream.status), String(stream.status))
        const ended = await Promise.race([messagesOf(stream), pause(5000, undefined)])
        assert.ok(ended !== undefined, `no end: ${faults().join()}`)
        assert.ok(ended.length <= 3)
      }
      for (const { status } of await Promise.all(lists)) assert.ok([200, 404].includes(status))
      assert.equal((await deleted).status, 204)
      await eventually(
        () => rowCounts(rollcall, 'SESSION', session),
        (counts) => Object.keys(counts).length === 0,
      )
      assert.equal((await session.post(call('a'))).status, 404)
    })
    await Promise.all(ends)
  })

  it('many calls at once each have a stream of their own', async () => {
    const { path } = await make([talking('steps', log(1), { waitMs: 50 }, log(2))])
    const session = await openSession(rollcall, path)
    const calls = Array.from({ length: 20 }, async (_, n) =>
      (await session.stream(call('steps', n))).rest(),
    )
    const all = await Promise.all(calls)
    for (const [n, events] of all.entries()) {
      assert.equal(events.length, 4)
      assert.equal(new Set(events.map(({ id }) => id?.split('.')[0])).size, 1)
      assert.equal(JSON.parse(events.at(-1)?.data ?? '').id, n)
    }
    assert.equal(new Set(all.flat().map(({ id }) => id)).size, 80)
  })

  it('subscriptions that come at once are all kept', async () => {
    const { path } = await make([tool('a')], { resourceTemplates: [template('t:{x}')] })
    const session = await openSession(rollcall, path)
    const subscribe = (n: number) =>
      session.post(legacy('resources/subscribe', { uri: `t:${n}` }, n))
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => subscribe(n)))
    assert.ok(all.every(({ json }) => json.result !== undefined))
    assert.equal((await subscribe(100)).json.result, undefined)
  })

  it('initialize that comes many times at once opens as many sessions', async () => {
    const { id, path } = await make([tool('a')])
    const opened = await Promise.all(Array.from({ length: 30 }, () => openSession(rollcall, path)))
    const ids = opened.map((session) => session.id)
    assert.deepEqual((await indexedSessions(rollcall, id)).toSorted(), ids.toSorted())
    const pings = await Promise.all(opened.map((session) => session.post(legacy('ping'))))
    assert.ok(pings.every(({ status }) => status === 200))
  })
})

describe('A fresh isolate whose copy is older than the session knows', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
  })
  after(() => rollcall.close())

  for (const kept of [true, false]) {
    it(`lists what it knows, ${kept ? 'from the key of the revision' : 'from the organization'}`, async () => {
      const { json } = await rollcall.admin('POST', '/servers', serverFile('Old', [tool('a')]))
      const { CATALOG } = await rollcall.harness.getWorker<{ CATALOG: KVNamespace }>().getEnv()
      const session = await openSession(rollcall, json.endpoint)
      const key = serverKey(json.id)
      const old = await eventually(
        () => CATALOG.getWithMetadata(key, 'arrayBuffer'),
        ({ value }) => value !== null,
      )
      const stream = await session.listen()
      await rollcall.admin('POST', `/servers/${json.id}/tools`, tool('b'))
      assert.equal((await stream.message()).method, LIST_CHANGED)
      stream.close()
      await CATALOG.put(key, old.value ?? '', { metadata: old.metadata })
      if (!kept) await CATALOG.delete(revisionKey(json.id, json.revision + 1))
      await restart(rollcall)
      const bare = await rollcall.post(json.endpoint, legacy('tools/list'))
      assert.deepEqual(names(bare), ['a']) // so old is what it has
      assert.deepEqual(await list(session), ['a', 'b'])
      const messages = await messagesOf(await session.stream(legacy('tools/list')))
      assert.deepEqual(messages[0].result.tools.length, 2)
    })
  }
})
