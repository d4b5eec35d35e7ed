/** Coming back by Last-Event-ID: what is replayed, and what is refused (`mcp-protocol.md` §3.5). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import { inObject } from '../support/objects.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { openSession, type TestSession } from '../support/sessions.ts'
import { call, log, messagesOf, talking } from '../support/talking.ts'

const MAX_EVENTS = 100
const MAX_BYTES = 1024 * 1024
const KEPT_MS = 5 * 60 * 1000
const LONG = 'ä'.repeat(4500) // 100 of them are under what a tool may have, 200 over what a log may

const TOOLS = [
  tool('a'),
  talking('slow', log('begun'), { waitMs: 500 }, log('middle'), { waitMs: 500 }, log('ended')),
  talking('many', ...Array.from({ length: 100 }, (_, n) => log(n))),
  talking('ninety', ...Array.from({ length: 90 }, (_, n) => log(`${n} ${LONG}`))),
  tool('huge', {
    handler: {
      kind: 'static',
      result: { content: [{ type: 'text', text: '😀'.repeat(220_000) }] },
    },
  }),
]

describe('Last-Event-ID', { concurrency: true }, () => {
  let rollcall: Rollcall
  let path: string
  before(async () => {
    rollcall = await startRollcall({ vars: { INITIALIZE_LIMIT: '6000' } })
    path = (await rollcall.admin('POST', '/servers', serverFile('Replays', TOOLS))).json.endpoint
  })
  after(() => rollcall.close())

  const from = (session: TestSession, id: string) => session.listen({ 'last-event-id': id })
  const idsFrom = async (session: TestSession, id: string) =>
    (await (await from(session, id)).rest()).map((event) => event.id)

  it('is refused where it is not one of ours', async () => {
    const session = await openSession(rollcall, path)
    assert.equal((await from(session, '1.0')).status, 400) // there was no stream yet
    await (await session.stream(call('a'))).rest()
    const nonsense = [
      '',
      'é',
      '1',
      '.1',
      '1.',
      '1.2',
      '0.0',
      '2.0',
      '1.0.0',
      '1,0',
      '-1.0',
      '1.-1',
      '1e0.0',
      '0x1.0',
      '9999999999.0',
      '1.0;DROP TABLE events',
      '1'.repeat(8000),
    ]
    for (const id of nonsense) assert.equal((await from(session, id)).status, 400, id)
    const { status } = await session.listen({ 'last-event-id': '1.0', accept: '*/json' })
    assert.equal(status, 406)
    assert.deepEqual(await idsFrom(session, '1.0'), ['1.1'])
  })

  it('names a stream of its own session alone', async () => {
    const [one, two] = [await openSession(rollcall, path), await openSession(rollcall, path)]
    await (await one.stream(call('many', 'first'))).rest()
    await (await one.stream(call('a', 'second'))).rest()
    assert.equal((await from(two, '1.1')).status, 400)
    await (await two.stream(call('a', 'other'))).rest()
    const [answer, ...more] = await messagesOf(await from(two, '1.0'))
    assert.deepEqual([answer.id, more], ['other', []])
    assert.equal((await from(two, '2.0')).status, 400)
    assert.deepEqual(await idsFrom(one, '2.0'), ['2.1'])
  })

  it('follows a call that still runs, from the beginning or the middle', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('slow', 's'))
    assert.equal((await stream.next())?.id, '1.0')
    assert.equal((await stream.next())?.id, '1.1')
    stream.close()
    const again = await from(session, '1.1')
    assert.equal((await again.next())?.id, '1.2')
    again.close()
    assert.deepEqual(await idsFrom(session, '1.2'), ['1.3', '1.4'])
    assert.deepEqual(await idsFrom(session, '1.0'), ['1.1', '1.2', '1.3', '1.4'])
  })

  // §3.3: each message goes out on exactly one stream.
  it('takes a call over from the stream that has it: no message goes out on both', async () => {
    const session = await openSession(rollcall, path)
    const stream = await session.stream(call('slow', 's'))
    assert.equal((await stream.next())?.id, '1.0')
    assert.equal((await stream.next())?.id, '1.1')
    const again = await from(session, '1.1')
    const rests = await Promise.all([stream.rest(), again.rest()])
    const ids = rests.flat().map(({ id }) => id)
    assert.deepEqual([ids.length, new Set(ids)], [3, new Set(['1.2', '1.3', '1.4'])])
  })

  it('replays an answer of many rows whole', async () => {
    const session = await openSession(rollcall, path)
    const live = await messagesOf(await session.stream(call('huge', 'h')))
    const [{ parts } = {}] = await inObject(
      rollcall,
      'SESSION',
      session,
      'SELECT COUNT(*) AS parts FROM events',
    )
    assert.ok(Number(parts) > 1)
    assert.deepEqual(await messagesOf(await from(session, '1.0')), live)
  })

  it('of events that fell out of the bounds is answered with an error for the call, and no gap', async () => {
    const session = await openSession(rollcall, path)
    for (const name of ['ninety', 'ninety', 'many']) {
      const events = await (await session.stream(call(name, name))).rest()
      const [sums] = await inObject(
        rollcall,
        'SESSION',
        session,
        `SELECT COUNT(DISTINCT stream * 1000 + sequence) AS count,
           SUM(length(CAST(body AS BLOB))) AS bytes FROM events`,
      )
      const [count, bytes] = [Number(sums?.['count']), Number(sums?.['bytes'])]
      assert.ok(count <= MAX_EVENTS && bytes <= MAX_BYTES, `${count}, ${bytes}`)
      const last = events.at(-1)?.id ?? ''
      const previous = last.replace(/\d+$/, (sequence) => String(Number(sequence) - 1))
      assert.deepEqual(await idsFrom(session, previous), [last])
      assert.deepEqual(await idsFrom(session, last), [])
    }
    for (const [dropped, id] of [
      ['1.0', 'ninety'],
      ['1.90', 'ninety'],
      ['2.0', 'ninety'],
      ['3.0', 'many'],
    ] as const) {
      const [answer, ...more] = await messagesOf(await from(session, dropped))
      assert.deepEqual([answer.id, answer.error?.code, more], [id, -32603, []], dropped)
    }
    assert.equal((await idsFrom(session, '3.1')).length, 100)
  })

  it('is kept for five minutes after the answer, and no longer', async () => {
    const members = { sessionIdleSeconds: 2 }
    const { json } = await rollcall.admin('POST', '/servers', serverFile('Short', TOOLS, members))
    const session = await openSession(rollcall, json.endpoint)
    const stream = await session.listen() // by which its alarm rings every two seconds
    for (const id of ['old', 'young']) await (await session.stream(call('a', id))).rest()
    const age = (stream_: number, ms: number) =>
      inObject(
        rollcall,
        'SESSION',
        session,
        `UPDATE streams SET ended_at = ended_at - ${ms} WHERE id = ${stream_}`,
      )
    await age(1, KEPT_MS)
    await age(2, KEPT_MS - 20_000)
    const { status } = await eventually(
      () => from(session, '1.0'),
      (answer) => answer.status !== 200,
    )
    assert.equal(status, 400)
    assert.deepEqual(await idsFrom(session, '2.0'), ['2.1'])
    const kept = await inObject(
      rollcall,
      'SESSION',
      session,
      'SELECT stream FROM events UNION SELECT id FROM streams',
    )
    assert.deepEqual(kept, [{ stream: 2 }])
    stream.close()
  })

  it('works on a server that sends no notices', async () => {
    const file = serverFile('Mute', TOOLS, { notifications: false })
    const { json } = await rollcall.admin('POST', '/servers', file)
    const session = await openSession(rollcall, json.endpoint)
    await (await session.stream(call('a'))).rest()
    assert.deepEqual(await idsFrom(session, '1.0'), ['1.1'])
    assert.equal((await session.listen()).status, 405)
    assert.equal((await session.post(legacy('ping'))).status, 200)
  })
})
