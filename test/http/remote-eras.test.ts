import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy } from '../support/messages.ts'
import {
  age,
  connectionsOf,
  refresh,
  ring,
  serverOf,
  untilServer,
} from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import {
  startCrookedMcp,
  type CrookedBehaviour,
  type CrookedMcp,
} from '../support/upstreams/mcp-crooked.ts'
import { closedUrl, INITIALIZES, PROBES } from '../support/upstreams/crooked-probes.ts'

/** Those are waited for until a time is out. */
const SILENT: ReadonlySet<string> = new Set(['no answer'])

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: CrookedMcp[] = []
after(() => Promise.all(open.map((upstream) => upstream.close())))

async function serve(behaviour: CrookedBehaviour) {
  const upstream = await startCrookedMcp(behaviour)
  open.push(upstream)
  const server = await relay.serve(upstream.url)
  return { upstream, server }
}

const call = async ({ endpoint }: { endpoint: string }) =>
  (await relay.rollcall.post(endpoint, legacy('tools/call', { name: 'good' }))).json

const countOf = (upstream: CrookedMcp, method: string) =>
  upstream.methods().filter((one) => one === method).length

describe('The era of a remote server', () => {
  for (const [name, { verdict }] of Object.entries(PROBES)) {
    if (SILENT.has(name)) continue
    it(`65, 66: is ${verdict} where the probe is answered with: ${name}`, async () => {
      const startedAt = Date.now()
      const { upstream, server } = await serve({ probe: name as keyof typeof PROBES })
      const [connection] = await connectionsOf(relay.rollcall, server.id)
      const isKnown = verdict === 'modern' || verdict === 'legacy'
      assert.equal(server.upstream.era, isKnown ? verdict : undefined)
      assert.equal(connection?.era, isKnown ? verdict : undefined)
      assert.equal(countOf(upstream, 'initialize'), verdict === 'legacy' ? 1 : 0)
      assert.ok(countOf(upstream, 'server/discover') <= 2)
      if (isKnown) {
        assert.ok(connection.checkedAt >= startedAt && connection.checkedAt <= Date.now())
        assert.equal((await call(server)).result.content[0].text, 'called good')
        const probes = countOf(upstream, 'server/discover')
        await refresh(relay.rollcall, server.id)
        assert.equal(countOf(upstream, 'server/discover'), probes) // it is remembered
      } else {
        assert.equal(typeof server.upstream.problem, 'string')
        assert.equal(server.upstream.refreshedAt, null)
      }
    })
  }

  it('66: is not known of a server that never answers, nor of one that is not there', async () => {
    const { upstream, server } = await serve({ probe: 'no answer' })
    const absent = await relay.serve(await closedUrl())
    assert.match(absent.upstream.problem, /cannot be reached/)
    const { problem } = (
      await untilServer(relay.rollcall, server.id, (one) => one.upstream.problem)
    ).upstream
    assert.match(problem, /did not answer|time/i)
    assert.equal(countOf(upstream, 'initialize'), 0)
    assert.deepEqual(await connectionsOf(relay.rollcall, server.id), [])
  })

  for (const name of Object.keys(INITIALIZES)) {
    if (SILENT.has(name)) continue
    it(`65: is told with its revision, or why not, where initialize answers: ${name}`, async () => {
      const { server } = await serve({
        probe: '-32601 at 200',
        initialize: name as keyof typeof INITIALIZES,
      })
      const isGood = ['ok', 'no session', 'older'].includes(name)
      assert.equal(server.upstream.era, isGood ? 'legacy' : undefined)
      assert.equal(server.toolCount, isGood ? 3 : 0)
      assert.equal('problem' in server.upstream, !isGood)
    })
  }

  it('75: is found out again after a day, when the server may have moved on', async () => {
    const { upstream, server } = await serve({ probe: '-32601 at 200' })
    upstream.behaviour.probe = 'ok'
    await refresh(relay.rollcall, server.id)
    assert.equal((await serverOf(relay.rollcall, server.id)).upstream.era, 'legacy')
    await age(relay.rollcall, server.id)
    await ring(relay.rollcall, server.id)
    await untilServer(relay.rollcall, server.id, (one) => one.upstream.era === 'modern')
    assert.equal((await connectionsOf(relay.rollcall, server.id)).length, 1)
  })

  it('75: stays what it was while a day-old verdict cannot be found out again', async () => {
    const { upstream, server } = await serve({ probe: '-32601 at 200' })
    upstream.behaviour.probe = '429'
    await age(relay.rollcall, server.id)
    const answer = await refresh(relay.rollcall, server.id)
    assert.equal(answer.status, 502)
    assert.equal(answer.json.error.code, 'upstream_failed')
    assert.match(answer.json.error.message, /rate limiting/)
    assert.equal((await serverOf(relay.rollcall, server.id)).upstream.era, 'legacy')
    upstream.behaviour.probe = '-32601 at 200'
    assert.equal((await refresh(relay.rollcall, server.id)).status, 200)
  })

  it('65: of a modern server that became a legacy one is probed once more, in a call', async () => {
    const { upstream, server } = await serve({ probe: 'ok' })
    upstream.behaviour.probe = '-32601 at 200'
    upstream.behaviour.call = '404'
    assert.equal((await call(server)).result.isError, true)
    assert.equal(countOf(upstream, 'server/discover'), 2)
    assert.equal(countOf(upstream, 'tools/call'), 2)
    const [{ era }] = await connectionsOf(relay.rollcall, server.id)
    assert.equal(era, 'legacy')
  })
})
