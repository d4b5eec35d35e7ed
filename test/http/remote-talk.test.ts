/** What a remote server says before its answer, to clients of every kind. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DOWNSTREAM_KINDS, hear, modernCall, post } from '../support/downstreams.ts'
import { legacy } from '../support/messages.ts'
import { describeKinds } from '../support/remote-setups.ts'
import { openSession } from '../support/sessions.ts'

const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
const PROGRESS = 'notifications/progress'
const LOG = 'notifications/message'

type Notification = { method: string; params: Record<string, unknown> }

const of = (heard: readonly Notification[], method: string) =>
  heard.filter((one) => one.method === method).map(({ params }) => params)

describe('What a remote server says before its answer', () => {
  describeKinds((at, kind) => {
    for (const [clientName, client] of Object.entries(DOWNSTREAM_KINDS)) {
      const { revision } = client
      const isHeard = client.streams && kind.streams

      it(`57: ${clientName} hears progress under its own token, rising, and then the answer`, async () => {
        const call = await client.connect(at.relay.rollcall, at.endpoint)
        const meta = { progressToken: 'mine', [LOG_LEVEL]: 'debug' }
        const { before: heard, answer } = await call('progress', { steps: 3 }, meta)
        assert.equal(answer.id, 7)
        assert.equal(answer.result.content[0].text, 'did 3 steps')
        const step = (progress: number) => ({
          progressToken: 'mine',
          progress,
          total: 3,
          ...(revision !== '2024-11-05' && { message: `step ${progress}` }),
        })
        assert.deepEqual(of(heard, PROGRESS), isHeard ? [step(1), step(2), step(3)] : [])
        const logs = of(heard, LOG)
        assert.deepEqual(
          logs.map(({ data }) => data),
          isHeard ? ['did step 1', 'did step 2', 'did step 3'] : [],
        )
      })

      it(`57, 40: ${clientName} hears no progress without a token`, async () => {
        const call = await client.connect(at.relay.rollcall, at.endpoint)
        const { before: heard, answer } = await call('progress', { steps: 2 })
        assert.equal(answer.result.content[0].text, 'did 2 steps')
        assert.deepEqual(of(heard, PROGRESS), [])
        // A session hears logs until it says from which level on; a request has to ask for them.
        const isLogged = isHeard && revision !== '2026-07-28'
        assert.equal(of(heard, LOG).length, isLogged ? 2 : 0)
      })
    }

    it('is heard from the level on that was asked for', async () => {
      const { rollcall } = at.relay
      const url = rollcall.url + at.endpoint
      const session = await openSession(rollcall, at.endpoint)
      await session.post(legacy('logging/setLevel', { level: 'warning' }))
      const message = legacy('tools/call', { name: 'progress', arguments: {} })
      const headers = { ...session.headers, accept: 'application/json, text/event-stream' }
      const inSession = await hear(post(url, message, headers))
      assert.deepEqual(inSession.before, [])
      const stateless = await hear(modernCall(url, 'progress', { meta: { [LOG_LEVEL]: 'error' } }))
      assert.deepEqual(stateless.before, [])
      assert.equal(stateless.answer.result.content[0].text, 'did 3 steps')
    })

    it('57: is heard on the stream of its own call alone', async () => {
      const url = at.relay.rollcall.url + at.endpoint
      const tokens = ['one', 'two', 3, 4]
      const session = await openSession(at.relay.rollcall, at.endpoint)
      const headers = { ...session.headers, accept: 'application/json, text/event-stream' }
      const heard = await Promise.all(
        tokens.map((progressToken, id) => {
          const params = { name: 'progress', arguments: { steps: 5 }, _meta: { progressToken } }
          return hear(post(url, legacy('tools/call', params, id), headers))
        }),
      )
      for (const [id, { before: notifications, answer }] of heard.entries()) {
        assert.equal(answer.id, id)
        const told = of(notifications, PROGRESS)
        assert.equal(told.length, kind.streams ? 5 : 0)
        assert.ok(told.every(({ progressToken }) => progressToken === tokens[id]))
      }
    })
  })
})
