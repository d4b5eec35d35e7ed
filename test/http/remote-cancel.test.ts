/** Calls of remote servers that are given up: by their client, by the time-out, with their session. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { modernCall, post, BOTH } from '../support/downstreams.ts'
import { legacy } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { call, cancelled } from '../support/talking.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream } from '../support/upstream-kinds.ts'
import type { SeenRequest } from '../support/upstreams/recording.ts'

const LEAVING_MS = 6000
const SLOW_MS = 800 // the time-out of the server that is not waited for

const isSlow = (key: string) => (seen: SeenRequest) => seen.body?.params?.arguments?.key === key
const isCancelling = ({ body }: SeenRequest) => body?.method === 'notifications/cancelled'

const slow = (key: string, id: string | number = 1) =>
  legacy('tools/call', { name: 'slow', arguments: { key } }, id)

describe('A call of a remote server that is given up', { concurrency: true }, () => {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const [name, kind] of Object.entries(UPSTREAM_KINDS)) {
    describe(`at ${name}`, { concurrency: 1 }, () => {
      let upstream: Upstream
      let url: string
      let endpoint: string
      let hasty: string
      before(async () => {
        upstream = await kind.start()
        ;({ endpoint } = await serveKind(relay, kind, upstream))
        url = relay.rollcall.url + endpoint
        const timeoutSeconds = SLOW_MS / 1000
        hasty = (await serveKind(relay, kind, upstream, { timeoutSeconds })).endpoint
      })
      after(() => upstream.close())

      /** The upstream is told, in the way of its era: the key of its call is cancelled. */
      const requireCancelled = async (key: string) => {
        const seen = await upstream.untilRequest(isSlow(key))
        if (kind.era === 'modern') await seen.aborted
        else {
          const isOfCall = (one: SeenRequest) =>
            isCancelling(one) && one.body.params.requestId === seen.body.id
          await upstream.untilRequest(isOfCall)
        }
        // A server without sessions knows of no other request; there the notice is all there is.
        if (name !== 'a server without sessions') {
          while ((await upstream.world.cancelled.next()) !== key); // others ended before
        }
        upstream.world.release(key)
      }
      const begun = async (key: string) => assert.equal(await upstream.world.started.next(), key)

      it('41: by a modern client that leaves: the remote server is told within six seconds', async () => {
        const key = `left ${name}`
        const stream = await modernCall(url, 'slow', { args: { key } })
        await begun(key)
        const at = Date.now()
        stream.close()
        await requireCancelled(key)
        assert.ok(Date.now() - at <= LEAVING_MS, `${Date.now() - at} ms`)
      })

      it('28: by notifications/cancelled: no answer follows', async () => {
        const key = `cancelled ${name}`
        const session = await openSession(relay.rollcall, endpoint)
        const stream = await session.stream(slow(key, 'a'))
        const alone = session.post(slow(`alone ${key}`, 'b'))
        assert.deepEqual(
          [await upstream.world.started.next(), await upstream.world.started.next()].sort(),
          [`alone ${key}`, key],
        )
        await session.post(cancelled('a'))
        await requireCancelled(key)
        assert.equal((await stream.rest()).filter(({ data }) => data).length, 0)
        await session.post(cancelled('b'))
        await requireCancelled(`alone ${key}`)
        const { status, text } = await alone
        assert.deepEqual({ status, text }, { status: 202, text: '' })
      })

      it('28: not by a session client that leaves, which gets its answer later', async () => {
        const key = `kept ${name}`
        const session = await openSession(relay.rollcall, endpoint)
        const stream = await session.stream(slow(key, 'kept'))
        const primed = await stream.next()
        await begun(key)
        stream.close()
        const notices = upstream.requests.filter(isCancelling).length
        const resumed = await session.listen({ 'last-event-id': primed?.id ?? '' })
        upstream.world.release(key)
        assert.equal((await resumed.message()).result.content[0].text, `${key} finished`)
        assert.equal(upstream.requests.filter(isCancelling).length, notices)
      })

      it('by DELETE of the session', async () => {
        const key = `deleted ${name}`
        const session = await openSession(relay.rollcall, endpoint)
        const stream = await session.stream(slow(key))
        await begun(key)
        assert.equal((await session.send('DELETE')).status, 204)
        await requireCancelled(key)
        assert.equal((await stream.rest()).filter(({ data }) => data).length, 0)
      })

      it('72: by the time-out, which is a result with isError', async () => {
        const late = `The remote server did not answer within ${SLOW_MS / 1000} s`
        for (const [client, answering] of Object.entries({
          modern: async (key: string) =>
            (await modernCall(relay.rollcall.url + hasty, 'slow', { args: { key } })).message(),
          session: async (key: string) => {
            const { headers } = await openSession(relay.rollcall, hasty)
            const accepting = { ...headers, accept: BOTH }
            return (await post(relay.rollcall.url + hasty, slow(key), accepting)).message()
          },
          alone: async (key: string) => (await relay.rollcall.post(hasty, slow(key))).json,
        })) {
          const key = `late ${client} ${name}`
          const { result } = await answering(key)
          assert.deepEqual(result.content, [{ type: 'text', text: late }], client)
          assert.equal(result.isError, true)
          await begun(key)
          await requireCancelled(key)
        }
      })

      it('and goes on well for the next one', async () => {
        const { json } = await relay.rollcall.post(endpoint, call('link'))
        assert.equal(json.result.content.length, 1)
      })
    })
  }
})
