/** Streams of the stateless era whose clients leave, or are many (`mcp-protocol.md` §4.6, §4.9). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { openStream } from '../support/event-stream.ts'
import { modern, modernHeaders } from '../support/messages.ts'
import { channelOf, indexedSessions, rowCounts } from '../support/objects.ts'
import { sendRaw } from '../support/raw-client.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import {
  ENDLESS,
  LIST_CHANGED,
  listenRequest,
  listenTo,
  log,
  messagesOf,
  requireSilence,
  SUBSCRIPTION,
  talking,
} from '../support/talking.ts'

const NOTICED_MS = 6000 // by the next comment, which comes after five seconds
const LOGS = { 'io.modelcontextprotocol/logLevel': 'info' }
const TOOLS = [
  tool('a'),
  ENDLESS,
  talking('silent', { waitMs: 60_000 }, log('too late')),
  talking('short', log('begun'), { waitMs: 400 }, log('ended')),
]

describe('The stateless era', { concurrency: true }, () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ vars: { STREAM_KEEPALIVE_SECONDS: '1' } })
  })
  after(() => rollcall.close())

  const make = async () => {
    const { json } = await rollcall.admin('POST', '/servers', serverFile('Modern', TOOLS))
    const [id, path]: [string, string] = [json.id, json.endpoint]
    const add = (name: string) => rollcall.admin('POST', `/servers/${id}/tools`, tool(name))
    return { id, path, url: rollcall.url + path, add }
  }
  const request = (name: string, id: number) => ({
    method: 'POST',
    headers: { ...modernHeaders('tools/call', name), 'content-type': 'application/json' },
    body: modern('tools/call', { name }, LOGS, id),
  })

  // What a static tool does leaves no trace; that the connection is let go of is what can be seen.
  for (const name of ['endless', 'silent']) {
    it(`§9.2 #41: ends the call ${name} when its client has left, within six seconds`, async () => {
      const { url } = await make()
      const client = await sendRaw(url, request(name, 1))
      await client.until('200 OK')
      if (name === 'endless') await client.until('begun')
      assert.ok(client.isHeld())
      const left = Date.now()
      client.socket.destroy()
      await eventually(
        async () => client.isHeld(),
        (held) => !held,
      )
      assert.ok(Date.now() - left < NOTICED_MS, `${Date.now() - left} ms`)
      assert.doesNotMatch(client.received(), /too late/)
    })
  }

  it('sends nothing of a call to another of the same id', async () => {
    const { url } = await make()
    const calls = ['endless', 'short', 'short'].map((name) => {
      const { body, ...init } = request(name, 1)
      return openStream(url, { ...init, body: JSON.stringify(body) })
    })
    const streams = await Promise.all(calls)
    assert.equal((await streams[0]!.message()).params.data, 'begun')
    streams[0]!.close()
    for (const stream of streams.slice(1)) {
      const messages = await messagesOf(stream)
      const seen = messages.map(({ params, result }) => params?.data ?? result.content[0].text)
      assert.deepEqual(seen, ['begun', 'ended', 'short done'])
    }
  })

  it('§9.2 #38: tells each of several subscriptions once, under its own id', async () => {
    const { url, add } = await make()
    const ids = [1, '1', 1, 0, '']
    const streams = await Promise.all(ids.map((id) => listenTo(url, id)))
    await add('new')
    for (const [n, stream] of streams.entries()) {
      const { method, params } = await stream.message()
      assert.deepEqual([method, params._meta[SUBSCRIPTION]], [LIST_CHANGED, ids[n]])
    }
    for (const stream of streams) await requireSilence(stream)
    streams[0]?.close()
    await add('newer')
    for (const stream of streams.slice(1)) {
      assert.equal((await stream.message()).method, LIST_CHANGED)
      stream.close()
    }
  })

  it('has no session, and leaves no row', async () => {
    const { id, path, url } = await make()
    const headers = { 'mcp-session-id': 'f'.repeat(64) }
    const stream = await listenTo(url, 1, headers)
    assert.equal(stream.headers.get('mcp-session-id'), null)
    stream.close()
    await rollcall.post(path, modern('tools/list'), { ...modernHeaders('tools/list'), ...headers })
    assert.deepEqual(await indexedSessions(rollcall, id), [])
    const counts = await rowCounts(rollcall, 'CHANNEL', channelOf(id))
    assert.equal(counts['sessions'], 0)
    assert.deepEqual(await rollcall.harness.getWorker().listDurableObjectIds('SESSION'), [])
  })

  it('lets go of a subscription whose client has left, at the next keepalive', async () => {
    const { url } = await make()
    const { body, ...init } = listenRequest({ toolsListChanged: true })
    const client = await sendRaw(url, { ...init, body: JSON.parse(body) as unknown })
    await client.until('acknowledged')
    const left = Date.now()
    client.socket.destroy()
    await eventually(
      async () => client.isHeld(),
      (held) => !held,
    )
    assert.ok(Date.now() - left < 3000)
  })
})
