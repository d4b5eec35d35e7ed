/** Clients of the session era that answer badly what a remote server asks, and servers that ask badly. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ADA, answerAll, callTool, openAskable, reply } from '../support/asked.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { call, cancelled } from '../support/talking.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream } from '../support/upstream-kinds.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'

const KINDS = ['a session server that streams', 'a modern server', 'a server of HTTP+SSE']
const MANY = 101 // one more than a session may have open

const textOf = (answer: { result: { content: { text: string }[] } }) =>
  answer.result.content[0]?.text ?? ''

describe('A question of a remote server', () => {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const name of KINDS) {
    describe(`to a client, of ${name}`, () => {
      let upstream: Upstream
      let endpoint: string
      let hasty: string
      before(async () => {
        const kind = UPSTREAM_KINDS[name]
        assert.ok(kind)
        upstream = await kind.start()
        ;({ endpoint } = await serveKind(relay, kind, upstream))
        hasty = (await serveKind(relay, kind, upstream, { timeoutSeconds: 0.4 })).endpoint
      })
      after(() => upstream.close())

      const asked = async (path = endpoint) => {
        const session = await openAskable(relay.rollcall, path)
        const stream = await callTool(session, 'elicit', {}, 'mine')
        return { session, stream, question: await stream.message() }
      }

      it('may be declined, which is an answer', async () => {
        const { session, stream, question } = await asked()
        await reply(session, question, { result: { action: 'decline' } })
        const answer = await stream.message()
        assert.deepEqual(JSON.parse(textOf(answer)), { who: { action: 'decline' } })
      })

      it('that is answered with an error is isError, with what the client said', async () => {
        const { session, stream, question } = await asked()
        await reply(session, question, { error: { code: -1, message: 'the user said no' } })
        const answer = await stream.message()
        assert.equal(answer.result.isError, true)
        assert.match(textOf(answer), /the user said no/)
      })

      for (const garbage of [
        { result: 'text' },
        { result: [1] },
        { error: 'text' },
        { error: { code: 'x', message: 5 } },
      ]) {
        it(`that is answered with ${JSON.stringify(garbage)} is isError`, async () => {
          const { session, stream, question } = await asked()
          assert.equal((await reply(session, question, garbage)).status, 202)
          assert.equal((await stream.message()).result.isError, true)
        })
      }

      it('takes the first answer of its own session alone', async () => {
        const { session, stream, question } = await asked()
        const other = await openAskable(relay.rollcall, endpoint)
        const evil = { result: { action: 'accept', content: { name: 'Eve' } } }
        assert.equal((await reply(other, question, evil)).status, 202)
        assert.equal((await reply(session, { id: 'made up' }, evil)).status, 202)
        const stranger = { ...session, id: session.id.replaceAll(/./g, '0') }
        assert.equal(
          (
            await relay.rollcall.post(
              endpoint,
              { jsonrpc: '2.0', id: question.id, ...evil },
              { 'mcp-session-id': stranger.id },
            )
          ).status,
          404,
        )
        await reply(session, question, { result: ADA })
        assert.equal((await reply(session, question, evil)).status, 202)
        assert.deepEqual(JSON.parse(textOf(await stream.message())), { who: ADA })
      })

      it('that is never answered ends with its call', async () => {
        const { session, stream } = await asked()
        await session.post(cancelled('mine'))
        assert.deepEqual(await stream.rest(), [])
        const { stream: other, session: ended } = await asked()
        assert.equal((await ended.send('DELETE')).status, 204)
        assert.deepEqual(await other.rest(), [])
      })

      it('is open for longer than the time-out of the remote server', async () => {
        const { session, stream, question } = await asked(hasty)
        const late = await relay.rollcall.post(hasty, call('slow'))
        assert.match(textOf(late.json), /did not answer within 0.4 s/)
        await reply(session, question, { result: ADA })
        assert.deepEqual(JSON.parse(textOf(await stream.message())), { who: ADA })
        upstream.world.release('slow')
      })

      it('can be answered by a client that left and came back', async () => {
        const session = await openAskable(relay.rollcall, endpoint)
        const stream = await callTool(session, 'elicit')
        const primed = await stream.next()
        await stream.message()
        stream.close()
        const resumed = await session.listen({ 'last-event-id': primed?.id ?? '' })
        const { asked: again, answer } = await answerAll(session, resumed)
        assert.equal(again.length, 1)
        assert.deepEqual(JSON.parse(textOf(answer)), { who: ADA })
      })
    })
  }

  it('that the remote server does not wait for is taken back, however often', async () => {
    const upstream = await startCrookedMcp({ probe: '-32601 at 200', call: 'asks' })
    try {
      const { endpoint } = await relay.serve(upstream.url)
      const session = await openAskable(relay.rollcall, endpoint)
      const [{ name }] = (await session.post({ ...call(''), method: 'tools/list' })).json.result
        .tools
      for (let n = 0; n < MANY; n++) {
        const stream = await session.stream(call(name, n))
        const question = await stream.message()
        assert.equal(question.method, 'sampling/createMessage')
        const taken = await stream.message()
        assert.equal(taken.method, 'notifications/cancelled')
        assert.equal(taken.params.requestId, question.id)
        assert.equal((await stream.message()).id, n)
      }
    } finally {
      await upstream.close()
    }
  })

  it('that is a page to visit first is told as the error that says so, to who can', async () => {
    const upstream = await startCrookedMcp({ probe: '-32601 at 200' })
    try {
      const { endpoint } = await relay.serve(upstream.url)
      const list = await relay.rollcall.post(endpoint, { ...call(''), method: 'tools/list' })
      const visit = call(list.json.result.tools[0].name)
      upstream.behaviour.call = '-32042'
      const able = await openAskable(relay.rollcall, endpoint, { elicitation: { url: {} } })
      const { error } = await (await able.stream(visit)).message()
      assert.deepEqual([error.code, error.data], [-32042, { elicitations: [] }])
      const unable = await openAskable(relay.rollcall, endpoint, { elicitation: {} })
      assert.equal((await (await unable.stream(visit)).message()).result.isError, true)
    } finally {
      await upstream.close()
    }
  })

  it('that no client declared is not asked, and one that is none is no question', async () => {
    const upstream = await startCrookedMcp({ call: 'undeclared input' })
    try {
      const { endpoint } = await relay.serve(upstream.url)
      for (const [behaviour, capabilities, problem] of [
        ['undeclared input', { elicitation: {} }, /cannot be asked for sampling\/createMessage/],
        ['odd input', { elicitation: {}, sampling: {} }, /odd is nothing that can be asked/],
        ['unasked input', { elicitation: {} }, /nothing is asked/],
        ['undeclared input', { sampling: {} }, /asks for input without end/],
      ] as const) {
        upstream.behaviour.call = behaviour
        const session = await openAskable(relay.rollcall, endpoint, capabilities)
        const { tools } = (await session.post({ ...call(''), method: 'tools/list' })).json.result
        const { answer } = await answerAll(session, await session.stream(call(tools[0].name)))
        assert.equal(answer.result.isError, true)
        assert.match(textOf(answer), problem)
      }
      upstream.behaviour.call = 'undeclared input'
      const { json } = await relay.rollcall.post(endpoint, { ...call(''), method: 'tools/list' })
      const alone = await openSession(relay.rollcall, endpoint)
      const answer = (await alone.post(call(json.result.tools[0].name))).json
      assert.match(textOf(answer), /cannot be asked/)
    } finally {
      await upstream.close()
    }
  })
})
