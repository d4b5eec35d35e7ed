import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, createOrganization, inOrganization } from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { legacy } from '../support/messages.ts'
import { inObject, resetObject, restart, upstreamOf } from '../support/objects.ts'
import { connectionsOf, refresh, serverOf } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import type { Recording } from '../support/upstreams/recording.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
after(() => Promise.all(open.map((upstream) => upstream.close())))

async function serve(remote: object = {}, members: object = {}) {
  const upstream = await startLegacyMcp({ kind: 'sessions' })
  open.push(upstream)
  return { upstream, server: await relay.serve(upstream.url, remote, members) }
}

/** One that opens to a key alone, as it must where it is reached with a secret. */
async function serveKeyed(remote: object) {
  const { upstream, server } = await serve(remote, { auth: 'key' })
  const { secret: key } = await createKey(relay.rollcall, server.id)
  return { upstream, server: { ...server, key } }
}

const count = ({ requests }: Recording, method: string) =>
  requests.filter(({ body }) => body?.method === method).length
const echo = ({ endpoint, key }: { endpoint: string; key?: string }, text = 'hello') =>
  relay.rollcall.post(
    endpoint,
    legacy('tools/call', { name: 'echo', arguments: { text } }),
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  )
const textOf = ({ json }: Awaited<ReturnType<typeof echo>>) => json.result.content[0].text
const echoAll = (server: Parameters<typeof echo>[0]) =>
  Promise.all(
    Array.from({ length: 20 }, async (_, n) =>
      assert.equal(textOf(await echo(server, `${n}`)), `${n}`),
    ),
  )

describe('The session with a remote server', () => {
  it('67: is opened again once, without an id, when it was lost under 20 calls', async () => {
    const { upstream, server } = await serve()
    await echo(server)
    await upstream.loseSessions()
    const seen = upstream.requests.length
    await echoAll(server)
    const since = upstream.requests.slice(seen)
    const opened = since.filter(({ body }) => body?.method === 'initialize')
    assert.equal(opened.length, 1)
    assert.equal(opened[0]?.headers['mcp-session-id'], undefined)
    const calls = since.filter(({ body }) => body?.method === 'tools/call')
    assert.ok(calls.length <= 40, `${calls.length} calls`)
    assert.equal(count(upstream, 'server/discover'), 1)
    assert.equal(upstream.sessionIds().length, 1)
  })

  it('67: is opened again where a reading of the lists finds it lost', async () => {
    const { upstream, server } = await serve()
    await upstream.loseSessions()
    await upstream.world.addTool('new')
    assert.equal((await refresh(relay.rollcall, server.id)).status, 200)
    const { toolCount, upstream: known } = await serverOf(relay.rollcall, server.id)
    assert.equal(toolCount, server.toolCount + 1)
    assert.equal('problem' in known, false)
  })

  it('67: is opened again after the 400 by which some say that it is lost, once', async () => {
    for (const list of ['session lost', 'session refused'] as const) {
      const upstream = await startCrookedMcp({ probe: '-32601 at 200', list })
      open.push(upstream)
      const server = await relay.serve(upstream.url)
      assert.equal(server.toolCount, 1, list)
      assert.deepEqual(
        upstream.methods().filter((method) => method !== 'notifications/initialized'),
        ['server/discover', 'initialize', 'tools/list', 'initialize', 'tools/list'],
      )
    }
  })

  it('67: is another with another credential', async () => {
    await relay.rollcall.admin('PUT', '/secrets/rotated', { value: 'the-first-token' })
    const { upstream, server } = await serveKeyed({
      auth: { type: 'bearer', token: { secret: 'rotated' } },
    })
    upstream.world.gate.bearer = 'the-first-token'
    assert.equal(textOf(await echo(server)), 'hello')
    assert.equal(count(upstream, 'initialize'), 1)
    upstream.world.gate.bearer = 'the-second-token'
    await relay.rollcall.admin('PUT', '/secrets/rotated', { value: 'the-second-token' })
    await restart(relay.rollcall) // or else the old secret is remembered for a moment
    await echoAll(server)
    assert.equal(count(upstream, 'initialize'), 2)
    assert.equal((await connectionsOf(relay.rollcall, server.id)).length, 1)
  })

  it('is the same for the readings of an operator and the calls of clients', async () => {
    await relay.rollcall.admin('PUT', '/secrets/b', { value: 'secret-of-b' })
    await relay.rollcall.admin('PUT', '/secrets/a', { value: 'secret-of-a' })
    const { upstream, server } = await serveKeyed({
      headers: { 'X-B': { secret: 'b' }, 'X-A': { secret: 'a' } },
      auth: { type: 'header', name: 'X-C', value: { secret: 'a' } },
    })
    for (let n = 0; n < 3; n++) {
      assert.equal(textOf(await echo(server)), 'hello')
      assert.equal((await refresh(relay.rollcall, server.id)).status, 200)
    }
    assert.equal(count(upstream, 'initialize'), 1)
    assert.equal(upstream.requests.at(-1)?.headers['x-b'], 'secret-of-b')
  })

  it('survives that what looks after it is reset, and that everything is', async () => {
    const { upstream, server } = await serve()
    await resetObject(relay.rollcall, 'UPSTREAM', upstreamOf(server.id))
    assert.equal(textOf(await echo(server)), 'hello')
    await restart(relay.rollcall)
    assert.equal(textOf(await echo(server)), 'hello')
    assert.equal((await refresh(relay.rollcall, server.id)).status, 200)
    assert.equal(count(upstream, 'initialize'), 1)
  })

  it('is opened all the same where that is reset while it is', async () => {
    const { upstream, server } = await serve()
    await upstream.loseSessions()
    const answers = Array.from({ length: 5 }, () => echo(server))
    await resetObject(relay.rollcall, 'UPSTREAM', upstreamOf(server.id))
    for (const answer of answers) assert.equal((await answer).status, 200)
    assert.equal(textOf(await echo(server)), 'hello')
  })

  it('is forgotten with the server, and everything else is', async () => {
    const { upstream, server } = await serve()
    await echo(server)
    assert.equal((await relay.rollcall.admin('DELETE', `/servers/${server.id}`)).status, 204)
    await untilEmpty(server.id)
    await relay.rollcall.admin('PUT', `/servers/${server.id}`, {
      name: 'Again',
      kind: 'remote',
      hosted: true,
      remote: { url: upstream.url },
    })
    assert.equal(count(upstream, 'initialize'), 2)
  })

  it('belongs to the organization that the server is of', async () => {
    const { upstream, server } = await serve()
    await relay.rollcall.admin('DELETE', `/servers/${server.id}`)
    await createOrganization(relay.rollcall, 'other')
    const headers = inOrganization('other')
    const file = { name: 'Taken over', kind: 'remote', hosted: true, remote: { url: upstream.url } }
    const put = await eventually(
      () => relay.rollcall.admin('PUT', `/servers/${server.id}`, file, headers),
      ({ status }) => status === 201, // once the id is given up
    )
    assert.equal(put.json.toolCount, server.toolCount)
    assert.equal(count(upstream, 'initialize'), 2)
    assert.equal(textOf(await echo(put.json)), 'hello')
  })
})

async function untilEmpty(server: string): Promise<void> {
  await eventually(
    () =>
      inObject(
        relay.rollcall,
        'UPSTREAM',
        upstreamOf(server),
        "SELECT name FROM sqlite_master WHERE name NOT GLOB '_*'",
      ),
    (tables) => tables.length === 0,
  )
}
