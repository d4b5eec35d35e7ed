/** Clients of the session era that a remote server asks something while a call runs. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ADA, ALL, answerAll, callTool, IDEA, openAskable, ROOTS } from '../support/asked.ts'
import { CAPABILITIES_KEY } from '../support/downstreams.ts'
import { legacy } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream } from '../support/upstream-kinds.ts'

const KINDS = Object.entries(UPSTREAM_KINDS).filter(
  // Without a stream or a session a legacy server can ask nobody.
  ([name]) => !/JSON|without sessions/.test(name),
)

const ASKING = {
  elicit: { asked: ['elicitation/create'], told: { who: ADA } },
  elicit_url: { asked: ['elicitation/create'], told: { signed: ADA } },
  sample: { asked: ['sampling/createMessage'], told: { idea: IDEA } },
  roots: { asked: ['roots/list'], told: { where: ROOTS } },
  several: {
    asked: ['elicitation/create', 'sampling/createMessage', 'roots/list'],
    told: { who: ADA, idea: IDEA, where: ROOTS },
  },
  rounds: {
    asked: ['elicitation/create', 'sampling/createMessage'],
    told: { first: ADA, second: IDEA },
  },
  state_only: { asked: [], told: { again: true } },
}

const methodsOf = (asked: { method: string }[]) => asked.map(({ method }) => method)

describe('A remote server that asks a client of the session era', () => {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const [name, kind] of KINDS) {
    describe(name, () => {
      let upstream: Upstream
      let endpoint: string
      before(async () => {
        upstream = await kind.start()
        ;({ endpoint } = await serveKind(relay, kind, upstream))
      })
      after(() => upstream.close())

      for (const [tool, { asked, told }] of Object.entries(ASKING)) {
        it(`is answered for ${tool}`, async () => {
          const session = await openAskable(relay.rollcall, endpoint)
          const outcome = await answerAll(session, await callTool(session, tool, {}, 'mine'))
          assert.deepEqual(methodsOf(outcome.asked), asked)
          assert.equal(outcome.answer.id, 'mine')
          const { content } = outcome.answer.result
          assert.deepEqual(JSON.parse(content[0].text), told)
        })
      }

      it('has its questions passed on, but for ids and what is of its own hop', async () => {
        const session = await openAskable(relay.rollcall, endpoint)
        const first = await answerAll(session, await callTool(session, 'elicit', { message: 'Ü?' }))
        const [{ id, params }] = first.asked
        assert.match(String(id), /^[0-9a-f-]{36}$/)
        assert.equal(params.message, 'Ü?')
        assert.deepEqual(params.requestedSchema.required, ['name'])
        assert.equal('_meta' in params, false)
        const url = await answerAll(session, await callTool(session, 'elicit_url'))
        assert.equal(url.asked[0].params.mode, 'url')
        assert.equal(typeof url.asked[0].params.elicitationId, 'string')
      })

      it('learns of exactly what can be relayed', async () => {
        const seenBefore = upstream.requests.length
        const declared = { ...ALL, sampling: { tools: {} }, experimental: { x: {} }, tasks: {} }
        const session = await openAskable(relay.rollcall, endpoint, declared)
        await answerAll(session, await callTool(session, 'elicit'))
        const said = upstream.requests
          .slice(seenBefore)
          .map(({ body }) => body?.params?.capabilities ?? body?.params?._meta?.[CAPABILITIES_KEY])
          .filter((capabilities) => capabilities !== undefined)
        assert.ok(said.length > 0)
        const relayed = { elicitation: ALL.elicitation, sampling: { tools: {} }, roots: {} }
        for (const capabilities of said) assert.deepEqual(capabilities, relayed)
      })

      it('asks for prompts and resources too', async () => {
        const session = await openAskable(relay.rollcall, endpoint)
        const prompt = await answerAll(
          session,
          await session.stream(legacy('prompts/get', { name: 'asking' })),
        )
        assert.deepEqual(methodsOf(prompt.asked), ['elicitation/create'])
        assert.deepEqual(JSON.parse(prompt.answer.result.messages[0].content.text), { who: ADA })
        const read = await answerAll(
          session,
          await session.stream(legacy('resources/read', { uri: 'memo://asking' })),
        )
        assert.deepEqual(JSON.parse(read.answer.result.contents[0].text), { who: ADA })
      })

      for (const [what, capabilities, tool] of [
        ['nothing', {}, 'elicit'],
        ['another kind', { sampling: {} }, 'elicit'],
        ['one kind of several', { elicitation: {}, roots: {} }, 'several'],
        ['the form alone', { elicitation: {} }, 'elicit_url'],
      ] as const) {
        it(`never asks a client that declared ${what}: it gets isError`, async () => {
          const session = await openAskable(relay.rollcall, endpoint, capabilities)
          const { asked, answer } = await answerAll(session, await callTool(session, tool))
          const declared = Object.keys(capabilities).map((one) => `${one}/`)
          // A legacy server asks one after the other.
          const isUndeclared = (method: string) => !declared.some((one) => method.startsWith(one))
          assert.deepEqual(methodsOf(asked).filter(isUndeclared), [])
          if (tool === 'elicit_url') assert.deepEqual(asked, [])
          assert.equal(answer.result.isError, true)
        })
      }

      it('asks nobody who takes JSON alone, or has no session', async () => {
        const session = await openAskable(relay.rollcall, endpoint)
        const seenBefore = upstream.requests.length
        const message = legacy('tools/call', { name: 'elicit' })
        assert.equal((await session.post(message)).json.result.isError, true)
        assert.equal((await relay.rollcall.post(endpoint, message)).json.result.isError, true)
        for (const { body } of upstream.requests.slice(seenBefore)) {
          const { capabilities, _meta } = body?.params ?? {}
          assert.deepEqual(capabilities ?? _meta?.[CAPABILITIES_KEY] ?? {}, {})
        }
        const again = await session.post(legacy('tools/call', { name: 'state_only' }))
        assert.deepEqual(JSON.parse(again.json.result.content[0].text), { again: true })
      })
    })
  }
})
