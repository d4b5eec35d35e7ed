import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eventually } from '../support/eventually.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { openSession } from '../support/sessions.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream } from '../support/upstream-kinds.ts'

const echo = (text: string) => ({ name: 'echo', arguments: { text } })
const isCall = ({ body }: { body?: { method?: string } }) => body?.method === 'tools/call'

describe('A remote server', () => {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const [name, kind] of Object.entries(UPSTREAM_KINDS)) {
    describe(name, () => {
      let upstream: Upstream
      let server: { endpoint: string; upstream: { era: string }; toolCount: number }
      before(async () => {
        upstream = await kind.start()
        server = await serveKind(relay, kind, upstream)
      })
      after(() => upstream.close())

      it('is found to be what it is, and read whole', () => {
        assert.equal(server.upstream.era, kind.era)
        assert.ok(server.toolCount >= 10)
      })

      it('is called by a stateless client, a session and a client of the stateless era', async () => {
        const { rollcall } = relay
        const said = { content: [{ type: 'text', text: 'hello' }] }
        const alone = await rollcall.post(server.endpoint, legacy('tools/call', echo('hello')))
        assert.deepEqual(alone.json.result, said)
        const session = await openSession(rollcall, server.endpoint)
        assert.deepEqual(
          (await session.post(legacy('tools/call', echo('hello')))).json.result,
          said,
        )
        const answer = await rollcall.post(
          server.endpoint,
          modern('tools/call', echo('hello')),
          modernHeaders('tools/call', 'echo'),
        )
        assert.deepEqual(answer.json.result.content, said.content)
        assert.equal(answer.json.result.resultType, 'complete')
      })

      if (kind.era !== 'sse') {
        it('is sent one request for a call once it is known', async () => {
          await relay.rollcall.post(server.endpoint, legacy('tools/call', echo('warm')))
          const seenBefore = upstream.requests.length
          await relay.rollcall.post(server.endpoint, legacy('tools/call', echo('counted')))
          const seen = upstream.requests.slice(seenBefore)
          assert.deepEqual(
            seen.map((request) => isCall(request)),
            [true],
          )
        })
      }

      it('is in the call log with the status and the size of what it answered', async () => {
        const { rollcall } = relay
        const text = 'in the log '.repeat(100)
        await rollcall.post(server.endpoint, legacy('tools/call', echo(text)))
        const id = server.endpoint.split('/').at(-1)
        const { json } = await eventually(
          () => rollcall.admin('GET', `/calls?server=${id}&tool=echo`),
          (answer) => answer.json.items.some((item: { bytes: number }) => item.bytes > text.length),
        )
        const [{ status, outcome, bytes }] = json.items
        assert.equal(outcome, 'ok')
        assert.ok(status >= 200 && status < 300, String(status))
        assert.ok(bytes > text.length && bytes < 2 * text.length, String(bytes))
      })

      it('keeps unknown members of a tool', async () => {
        const list = await relay.rollcall.post(server.endpoint, legacy('tools/list', {}), {
          'mcp-protocol-version': '2025-11-25',
        })
        const tool = list.json.result.tools.find((one: { name: string }) => one.name === 'echo')
        assert.deepEqual(tool._meta, { 'example.com/kept': { deep: [1] } })
      })
    })
  }
})
