import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { openStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { inObject, upstreamOf } from '../support/objects.ts'
import { ring } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { listenRequest } from '../support/talking.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp } from '../support/upstreams/mcp-modern.ts'
import type { SeenRequest } from '../support/upstreams/recording.ts'

const UPDATED = 'notifications/resources/updated'
const URI = 'memo://one'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
after(() => Promise.all(open.map((upstream) => upstream.close())))

const START = {
  legacy: () => startLegacyMcp({ kind: 'sessions' }),
  modern: () => startModernMcp({ kind: 'modern' }),
}

async function serve(era: keyof typeof START) {
  const upstream = await START[era]()
  open.push(upstream)
  return { upstream, server: await relay.serve(upstream.url) }
}

type Upstream = Awaited<ReturnType<typeof serve>>['upstream']

const methodOf = ({ method, body }: SeenRequest) => (method === 'POST' ? body?.method : method)
const streamsOf = ({ requests }: Upstream) =>
  requests.filter((seen) => ['GET', 'subscriptions/listen'].includes(methodOf(seen)))
const leases = async (server: string) => {
  const rows = await inObject(
    relay.rollcall,
    'UPSTREAM',
    upstreamOf(server),
    'SELECT uri FROM leases',
  )
  return rows.map(({ uri }) => uri)
}

/** Waits until the remote server hears that these are wanted, on a stream. */
async function untilHeard(upstream: Upstream, uri = URI): Promise<void> {
  const wants = (seen: SeenRequest) =>
    seen.body?.params?.uri === uri ||
    seen.body?.params?.notifications?.resourceSubscriptions?.includes(uri)
  await upstream.untilRequest(wants)
  await upstream.untilRequest((seen) => streamsOf(upstream).includes(seen))
  await upstream.untilRequest(() => reads(upstream) > 1) // which follows when the stream is open
}
const reads = ({ requests }: Upstream) =>
  requests.filter((seen) => methodOf(seen) === 'resources/list').length

const listenTo = (server: { endpoint: string }, ...uris: string[]) =>
  openStream(relay.rollcall.url + server.endpoint, listenRequest({ resourceSubscriptions: uris }))

describe('Updates of the resources of a remote server', () => {
  for (const era of ['legacy', 'modern'] as const) {
    it(`29: reach a session that subscribed, on one stream of it, from a ${era} server`, async () => {
      const { upstream, server } = await serve(era)
      const session = await openSession(relay.rollcall, server.endpoint)
      const [older, newer] = [await session.listen(), await session.listen()]
      const subscribed = await session.post(legacy('resources/subscribe', { uri: URI }))
      assert.deepEqual(subscribed.json.result, {})
      await untilHeard(upstream)
      await upstream.world.updateResource(URI)
      assert.deepEqual(await newer.message(), {
        jsonrpc: '2.0',
        method: UPDATED,
        params: { uri: URI },
      })
      newer.close()
      older.close()
    })

    it(`38: reach the streams of the stateless era that want them, from a ${era} server`, async () => {
      const { upstream, server } = await serve(era)
      const one = await listenTo(server, URI)
      assert.deepEqual((await one.message()).params.notifications, { resourceSubscriptions: [URI] })
      const other = await listenTo(server, URI)
      await other.message()
      await untilHeard(upstream)
      await upstream.world.updateResource(URI)
      for (const stream of [one, other]) {
        const { method, params } = await stream.message()
        assert.deepEqual([method, params.uri], [UPDATED, URI])
        assert.ok(params._meta['io.modelcontextprotocol/subscriptionId'] !== undefined)
        stream.close()
      }
      assert.equal(streamsOf(upstream).length, 1) // which both share
    })

    it(`miss nothing of one resource while another is wanted too, of a ${era} server`, async () => {
      const { upstream, server } = await serve(era)
      const one = await listenTo(server, URI)
      await one.message()
      await untilHeard(upstream)
      const other = await listenTo(server, 'memo://blob')
      await other.message()
      await untilHeard(upstream, 'memo://blob')
      for (let n = 0; n < 3; n++) {
        await upstream.world.updateResource(URI)
        assert.equal((await one.message()).params.uri, URI)
      }
      await eventually(
        () => leases(server.id),
        (uris) => uris.length === 2,
      )
      one.close()
      other.close()
    })

    it(`are given up when nobody wants them any more, at a ${era} server`, async () => {
      const { upstream, server } = await serve(era)
      const stream = await listenTo(server, URI)
      await stream.message()
      await untilHeard(upstream)
      stream.close()
      const sql = 'UPDATE leases SET until = 0'
      await inObject(relay.rollcall, 'UPSTREAM', upstreamOf(server.id), sql)
      await relay.rollcall.admin('POST', `/servers/${server.id}/refresh`)
      await ring(relay.rollcall, server.id)
      const [opened] = streamsOf(upstream)
      await opened?.aborted
      if (era === 'legacy') {
        await upstream.untilRequest((seen) => methodOf(seen) === 'resources/unsubscribe')
      }
      assert.deepEqual(await leases(server.id), [])
    })
  }

  it('of one that has ended the session are heard in the next', async () => {
    const { upstream, server } = await serve('legacy')
    const stream = await listenTo(server, URI)
    await stream.message()
    await untilHeard(upstream)
    await upstream.loseSessions()
    await eventually(
      async () => reads(upstream),
      (count) => count >= 3,
    )
    await upstream.world.updateResource(URI)
    assert.equal((await stream.message()).method, UPDATED)
    stream.close()
  })

  it('are not asked for again and again of one that has no such stream', async () => {
    const upstream = await startLegacyMcp({ kind: 'stateless' })
    open.push(upstream)
    const server = await relay.serve(upstream.url)
    const stream = await listenTo(server, URI)
    await stream.message()
    await upstream.untilRequest(({ method }) => method === 'GET')
    for (let n = 0; n < 20; n++) {
      await relay.rollcall.post(server.endpoint, legacy('tools/call', { name: 'image' }))
    }
    assert.ok(streamsOf(upstream).length <= 2)
    stream.close()
  })

  it('are none of one that speaks HTTP+SSE, which is left in peace', async () => {
    const upstream = await startLegacyMcp({ kind: 'sse' })
    open.push(upstream)
    const server = await relay.serve(upstream.url, { transport: 'sse' })
    const stream = await listenTo(server, URI)
    await stream.message()
    await eventually(
      () => leases(server.id),
      (uris) => uris.length === 1,
    )
    const seen = upstream.requests.length
    await relay.rollcall.post(server.endpoint, modern('tools/list'), modernHeaders('tools/list'))
    assert.equal(upstream.requests.length, seen)
    stream.close()
  })

  it('cannot be subscribed to where the remote server does not offer it', async () => {
    const upstream = await startCrookedMcp()
    open.push(upstream)
    const server = await relay.serve(upstream.url)
    const session = await openSession(relay.rollcall, server.endpoint)
    const { json } = await session.post(legacy('resources/subscribe', { uri: URI }))
    assert.equal(json.error.code, -32601)
  })
})
