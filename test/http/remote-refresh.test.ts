import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createOrganization, inOrganization, refusal, toolNames } from '../support/admin.ts'
import { legacy } from '../support/messages.ts'
import { inObject, resetObject, upstreamOf } from '../support/objects.ts'
import { refresh, ring, serverOf, untilServer } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { serverFile } from '../support/servers.ts'
import { LIST_CHANGED, listenTo } from '../support/talking.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp } from '../support/upstreams/mcp-modern.ts'
import type { Recording } from '../support/upstreams/recording.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
const keep = <T extends { close(): Promise<void> }>(upstream: T): T => {
  open.push(upstream)
  return upstream
}
after(() => Promise.all(open.map((upstream) => upstream.close())))

async function serveModern(remote: object = {}) {
  const upstream = keep(await startModernMcp({ kind: 'modern' }))
  return { upstream, server: await relay.serve(upstream.url, remote) }
}

const count = ({ requests }: Recording, method: string) =>
  requests.filter(({ body }) => body?.method === method).length
const callTool = (endpoint: string, name: string) =>
  relay.rollcall.post(endpoint, legacy('tools/call', { name, arguments: {} }))
describe('Reading a remote server again', () => {
  it('is had on demand, and makes a revision only where something is other', async () => {
    const { upstream, server } = await serveModern()
    const same = await refresh(relay.rollcall, server.id)
    assert.equal(same.status, 200)
    assert.equal(same.json.revision, server.revision)
    assert.ok(same.json.upstream.refreshedAt > server.upstream.refreshedAt)
    await upstream.world.addTool('new')
    const other = await refresh(relay.rollcall, server.id)
    assert.equal(other.json.revision, server.revision + 1)
    assert.equal(other.headers.get('etag'), `"${server.revision + 1}"`)
    assert.equal(other.json.toolCount, server.toolCount + 1)
  })

  it('is refused of a server that is not remote, is another organization’s, or does not answer', async () => {
    const { upstream, server } = await serveModern()
    const near = await relay.rollcall.admin('POST', '/servers', serverFile('Near'))
    const here = await refresh(relay.rollcall, near.json.id)
    assert.deepEqual(refusal(here), { status: 409, code: 'not_remote' })
    await createOrganization(relay.rollcall, 'elsewhere')
    const there = await relay.rollcall.admin(
      'POST',
      `/servers/${server.id}/refresh`,
      undefined,
      inOrganization('elsewhere'),
    )
    assert.equal(there.status, 404)
    upstream.world.gate.outage = 503
    const down = await refresh(relay.rollcall, server.id)
    assert.deepEqual(refusal(down), { status: 502, code: 'upstream_failed' })
    assert.match(down.json.error.message, /503/)
  })

  it('is one, however many ask', async () => {
    const { upstream, server } = await serveModern()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => refresh(relay.rollcall, server.id)),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    assert.ok(count(upstream, 'tools/list') <= 4, `${count(upstream, 'tools/list')}`)
    const listed = count(upstream, 'tools/list')
    await Promise.all(Array.from({ length: 20 }, () => callTool(server.endpoint, 'unheard_of')))
    assert.equal(count(upstream, 'tools/list'), listed) // what is not listed is not even called
  })

  it('comes by itself when it is due, at a time of its own', async () => {
    const { upstream, server } = await serveModern({ refreshSeconds: 1000 })
    const dueIn = async (id = server.id) => {
      const sql = 'SELECT due_at - begun_at AS ms FROM readings'
      const [row] = await inObject(relay.rollcall, 'UPSTREAM', upstreamOf(id), sql)
      return Number(row?.['ms'])
    }
    const first = await dueIn()
    assert.ok(first >= 900_000 && first <= 1_110_000, `${first}`)
    const brief = keep(await startModernMcp({ kind: 'modern', cacheHint: { ttlMs: 60_000 } }))
    const sooner = await dueIn((await relay.serve(brief.url, { refreshSeconds: 1000 })).id)
    assert.ok(sooner >= 54_000 && sooner <= 67_000, `${sooner}`)
    await upstream.world.addTool('new')
    await ring(relay.rollcall, server.id)
    await untilServer(relay.rollcall, server.id, ({ toolCount }) => toolCount > server.toolCount)
    assert.notEqual(await dueIn(), first)
  })

  it('comes after a call of a tool that the remote server has no more', async () => {
    const { upstream, server } = await serveModern()
    upstream.world.tools.delete('fails') // without a word
    await inObject(
      relay.rollcall,
      'UPSTREAM',
      upstreamOf(server.id),
      'UPDATE readings SET begun_at = 0',
    )
    const { json } = await callTool(server.endpoint, 'fails')
    assert.ok(json.error !== undefined || json.result.isError)
    await untilServer(relay.rollcall, server.id, ({ toolCount }) => toolCount < server.toolCount)
    assert.equal((await toolNames(relay.rollcall, server.id)).includes('fails'), false)
  })

  it('comes after a call in whose stream the lists are said to have changed', async () => {
    const upstream = keep(await startCrookedMcp({ call: 'list changed', probe: '-32601 at 200' }))
    const server = await relay.serve(upstream.url)
    upstream.behaviour.list = 'bare'
    await inObject(
      relay.rollcall,
      'UPSTREAM',
      upstreamOf(server.id),
      'UPDATE readings SET begun_at = 0',
    )
    await Promise.all([1, 2, 3].map(() => callTool(server.endpoint, 'good')))
    await untilServer(relay.rollcall, server.id, ({ toolCount }) => toolCount === 1)
    const lists = upstream.methods().filter((method) => method === 'tools/list')
    assert.equal(lists.length, 2)
  })

  it('is told to the clients that listen, of either era', async () => {
    const { upstream, server } = await serveModern()
    const session = await openSession(relay.rollcall, server.endpoint)
    const own = await session.listen()
    const modern = await listenTo(relay.rollcall.url + server.endpoint)
    await upstream.world.addTool('new')
    await refresh(relay.rollcall, server.id)
    for (const stream of [own, modern]) {
      assert.equal((await stream.message()).method, LIST_CHANGED)
      stream.close()
    }
  })

  for (const kind of ['legacy', 'modern'] as const) {
    it(`comes at once of a ${kind} server that says so, where the operator has it watched`, async () => {
      const upstream = keep(
        kind === 'modern'
          ? await startModernMcp({ kind })
          : await startLegacyMcp({ kind: 'sessions' }),
      )
      const server = await relay.serve(upstream.url, { watchLists: true })
      const streams = [
        await listenTo(relay.rollcall.url + server.endpoint),
        await listenTo(relay.rollcall.url + server.endpoint),
      ]
      const isStream = ({ method, body }: { method: string; body?: { method?: string } }) =>
        kind === 'legacy' ? method === 'GET' : body?.method === 'subscriptions/listen'
      await upstream.untilRequest(isStream)
      await untilRead(upstream)
      await upstream.world.addTool('new')
      for (const stream of streams) {
        assert.equal((await stream.message()).method, LIST_CHANGED)
        stream.close()
      }
      assert.equal((await serverOf(relay.rollcall, server.id)).toolCount, server.toolCount + 1)
      assert.equal(upstream.requests.filter(isStream).length, 1)
    })
  }

  it('is not late where the lists change while they are read, or all is reset', async () => {
    const { upstream, server } = await serveModern()
    await upstream.world.addTool('new')
    const reading = refresh(relay.rollcall, server.id)
    await resetObject(relay.rollcall, 'UPSTREAM', upstreamOf(server.id))
    await reading
    await untilServer(relay.rollcall, server.id, ({ toolCount }) => toolCount > server.toolCount)
  })

  it('is of the URL that the operator gives, whatever the old one has still to say', async () => {
    const slow = keep(await startCrookedMcp({ list: 'plain' }))
    const { upstream: other } = await serveModern()
    const server = await relay.serve(slow.url)
    slow.behaviour.list = 'no answer'
    const late = refresh(relay.rollcall, server.id)
    await slow.untilRequest(
      ({ body }) => body?.method === 'tools/list' && count(slow, 'tools/list') === 2,
    )
    const patched = await relay.rollcall.admin('PATCH', `/servers/${server.id}`, {
      remote: { url: other.url },
    })
    assert.equal(patched.status, 200, patched.text)
    assert.ok(patched.json.toolCount > 10)
    await slow.close()
    assert.equal((await late).status, 200)
    const { upstream, toolCount } = await serverOf(relay.rollcall, server.id)
    assert.equal('problem' in upstream, false)
    assert.equal(toolCount, patched.json.toolCount)
  })
})

/** Waits until the lists have been read once more, since the stream was opened. */
async function untilRead(upstream: Recording): Promise<void> {
  await upstream.untilRequest(
    ({ body }) =>
      body?.method === 'resources/templates/list' &&
      count(upstream, 'resources/templates/list') > 1,
  )
}
