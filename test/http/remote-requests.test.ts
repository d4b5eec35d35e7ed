/** What a remote server is sent for a call, and what never reaches it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, untilPublished } from '../support/admin.ts'
import { BOTH } from '../support/downstreams.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { setUpModern } from '../support/remote-setups.ts'
import type { Answer } from '../support/rollcall.ts'
import { openSession } from '../support/sessions.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream } from '../support/upstream-kinds.ts'
import { startCrookedMcp } from '../support/upstreams/mcp-crooked.ts'
import type { SeenRequest } from '../support/upstreams/recording.ts'

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const OWN = {
  authorization: 'Bearer the-callers-own',
  cookie: 'sid=the-callers-own',
  'mcp-param-region': 'the-callers-own',
  'x-custom': 'the-callers-own',
  'last-event-id': 'the-callers-own',
}
const isCall = ({ body }: SeenRequest) => body?.method === 'tools/call'
const echo = (text: string, members: object = {}) => ({
  name: 'echo',
  arguments: { text },
  ...members,
})

describe('A request to a remote server', () => {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const [name, kind] of Object.entries(UPSTREAM_KINDS)) {
    describe(`that is ${name}`, () => {
      let upstream: Upstream
      let endpoint: string
      let id: string
      before(async () => {
        upstream = await kind.start()
        ;({ endpoint, id } = await serveKind(relay, kind, upstream))
      })
      after(() => upstream.close())

      const callsSince = (start: number) => upstream.requests.slice(start).filter(isCall)
      const text = ({ json }: Pick<Answer, 'json'>) => json.result.content[0].text

      it("61: has nothing of the caller's: no credential, cookie, session id or header", async () => {
        const meta = { traceparent: TRACE, progressToken: 'the-callers-own', 'a.b/c': 1 }
        const start = upstream.requests.length
        const { rollcall } = relay
        const session = await openSession(rollcall, endpoint)
        const own = legacy('tools/call', echo('a', { _meta: meta }), 'the-callers-own')
        assert.equal(text(await session.post(own, OWN)), 'a')
        await (await session.stream(own, { ...OWN, accept: BOTH })).rest()
        const clientInfo = { name: 'the-callers-own', version: '1' }
        const envelope = { ...meta, 'io.modelcontextprotocol/clientInfo': clientInfo }
        const message = modern('tools/call', echo('b'), envelope, 'the-callers-own')
        const headers = { ...modernHeaders('tools/call', 'echo'), ...OWN }
        assert.equal(text(await rollcall.post(endpoint, message, headers)), 'b')
        for (const seen of upstream.requests.slice(start)) {
          const whole = JSON.stringify([seen.path, seen.headers, seen.text])
          assert.equal(whole.includes('the-callers-own'), false, whole)
          assert.equal(whole.includes(session.id), false)
        }
        const calls = callsSince(start)
        assert.equal(calls.length, 3)
        for (const { body } of calls) {
          const { traceparent, 'a.b/c': kept, progressToken } = body.params._meta
          assert.deepEqual([traceparent, kept], [TRACE, 1])
          // Only who streams can be told of progress, and under our token.
          assert.equal([undefined, body.id].includes(progressToken), true)
        }
        assert.equal(new Set(calls.map(({ body }) => body.id)).size, 3)
      })

      it('61: has nothing of a key that opened the server', async () => {
        const served = await serveKind(relay, kind, upstream, {}, { auth: 'key' })
        const { secret } = await createKey(relay.rollcall, served.id)
        const start = upstream.requests.length
        const headers = { authorization: `Bearer ${secret}` }
        const answer = await relay.rollcall.post(
          served.endpoint,
          legacy('tools/call', echo('keyed')),
          headers,
        )
        assert.equal(text(answer), 'keyed')
        for (const seen of upstream.requests.slice(start)) {
          assert.equal(JSON.stringify([seen.headers, seen.text]).includes(secret), false)
          assert.equal(seen.headers.authorization, undefined)
        }
      })

      it('46: has no task in it, and is answered with a result', async () => {
        const session = await openSession(relay.rollcall, endpoint)
        const start = upstream.requests.length
        const message = legacy('tools/call', echo('at once', { task: { ttl: 1000 } }))
        assert.equal(text(await session.post(message)), 'at once')
        assert.deepEqual(
          callsSince(start).map(({ body }) => 'task' in body.params),
          [false],
        )
      })

      it('49: is not made for what is not there', async () => {
        const start = upstream.requests.length
        for (const [method, params] of [
          ['tools/call', { name: 'unknown' }],
          ['tools/call', { name: 'constructor' }],
          ['prompts/get', { name: 'unknown' }],
        ] as const) {
          const { json } = await relay.rollcall.post(endpoint, legacy(method, params))
          assert.equal(json.error.code, -32602)
          const there = await relay.rollcall.post(
            endpoint,
            modern(method, params),
            modernHeaders(method, params.name),
          )
          assert.equal(there.json.error.code, -32602)
        }
        assert.equal(upstream.requests.length, start)
      })

      it('50: is not made with arguments that do not fit, each named by its pointer', async () => {
        const start = upstream.requests.length
        const params = { name: 'add', arguments: { a: 'one' } }
        const { json } = await relay.rollcall.post(endpoint, legacy('tools/call', params))
        assert.equal(json.result.isError, true)
        assert.match(text({ json }), /\/a\b/)
        assert.match(text({ json }), /\bb\b/)
        assert.equal(upstream.requests.length, start)
      })

      it('56: is made without arguments, but not with what is no object', async () => {
        const { json } = await relay.rollcall.post(
          endpoint,
          legacy('tools/call', { name: 'fails' }),
        )
        assert.equal(text({ json }), 'it failed')
        for (const args of [[], 'text', null, 1]) {
          const params = { name: 'fails', arguments: args }
          const refused = await relay.rollcall.post(endpoint, legacy('tools/call', params))
          assert.equal(refused.json.error.code, -32602)
        }
      })

      it('is made for each of two calls that want the same', async () => {
        const start = upstream.requests.length
        const message = legacy('tools/call', echo('same'))
        await Promise.all([1, 2].map(() => relay.rollcall.post(endpoint, message)))
        assert.equal(callsSince(start).length, 2)
      })

      it('names a tool as it is named there', async () => {
        const path = `/servers/${id}/tools/echo`
        const renamed = await relay.rollcall.admin('PATCH', path, { name: 'say.it' })
        assert.equal(renamed.status, 200, renamed.text)
        await untilPublished(relay.rollcall, id)
        const start = upstream.requests.length
        const answer = await relay.rollcall.post(
          endpoint,
          modern('tools/call', { ...echo('renamed'), name: 'say.it' }),
          modernHeaders('tools/call', 'say.it'),
        )
        assert.equal(text(answer), 'renamed')
        const [seen] = callsSince(start)
        assert.equal(seen?.body.params.name, 'echo')
        assert.equal(seen?.headers['mcp-name'], kind.era === 'modern' ? 'echo' : undefined)
      })
    })
  }
})

describe('Headers of arguments', () => {
  const at = setUpModern()

  const ARGUMENTS = { region: 'Zürich', limit: 42, options: { dry: true } }
  const HEADERS = {
    'mcp-param-region': '=?base64?WsO8cmljaA==?=',
    'mcp-param-limit': '42',
    'mcp-param-dry-run': 'true',
  }
  const callRegion = (headers: Record<string, string>, args: object = ARGUMENTS) =>
    at.relay.rollcall.post(at.endpoint, modern('tools/call', { name: 'region', arguments: args }), {
      ...modernHeaders('tools/call', 'region'),
      ...headers,
    })

  it('34: are checked here, and said again to the remote server', async () => {
    const start = at.upstream.requests.length
    const { json } = await callRegion({ ...HEADERS, 'mcp-param-limit': '42.0' })
    assert.deepEqual(JSON.parse(json.result.content[0].text), ARGUMENTS)
    const seen = at.upstream.requests.slice(start).find(isCall)
    for (const [name, value] of Object.entries(HEADERS)) assert.equal(seen?.headers[name], value)
    const none = await callRegion({}, { region: null })
    assert.equal(none.json.error, undefined)
  })

  it('34: that are missing or different are refused before anything is sent', async () => {
    const start = at.upstream.requests.length
    const { 'mcp-param-limit': _, ...missing } = HEADERS
    for (const headers of [missing, { ...HEADERS, 'mcp-param-dry-run': 'false' }, {}]) {
      const { status, json } = await callRegion(headers)
      assert.deepEqual([status, json.error.code], [400, -32020])
    }
    assert.equal(at.upstream.requests.length, start)
  })

  it('34: are not for session clients to say, and are sent for them', async () => {
    const start = at.upstream.requests.length
    const message = legacy('tools/call', { name: 'region', arguments: ARGUMENTS })
    assert.equal(
      (await at.relay.rollcall.post(at.endpoint, message)).json.result.isError,
      undefined,
    )
    const seen = at.upstream.requests.slice(start).find(isCall)
    assert.equal(seen?.headers['mcp-param-limit'], '42')
  })
})

describe('What a remote server answers', () => {
  it('74, 46: of our hop to it, and a task, never reach a client', async () => {
    const relay = await startRelay()
    const upstream = await startCrookedMcp()
    try {
      for (const probe of ['ok', '-32601 at 200'] as const) {
        upstream.behaviour.call = 'plain'
        upstream.behaviour.probe = probe
        const { endpoint } = await relay.serve(upstream.url)
        const list = await relay.rollcall.post(endpoint, legacy('tools/list'))
        const { name } = list.json.result.tools[0]
        for (const call of ['-32020', '-32021', '-32022', '-32001', '-32042'] as const) {
          upstream.behaviour.call = call
          const answers = [
            await relay.rollcall.post(endpoint, legacy('tools/call', { name })),
            await relay.rollcall.post(
              endpoint,
              modern(
                'tools/call',
                { name },
                { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } },
              ),
              modernHeaders('tools/call', name),
            ),
          ]
          for (const { status, json } of answers) {
            assert.equal(status, 200, call)
            assert.equal(json.error, undefined, call)
            assert.equal(json.result.isError, true, call)
          }
        }
        upstream.behaviour.call = 'task'
        const answer = await relay.rollcall.post(
          endpoint,
          modern('tools/call', { name }),
          modernHeaders('tools/call', name),
        )
        // A session server has no types of results: what it says there is of no meaning.
        assert.equal(answer.json.result.isError, probe === 'ok' ? true : undefined)
        assert.equal(answer.json.result.resultType, 'complete')
      }
    } finally {
      await upstream.close()
      await relay.close()
    }
  })
})
