import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createKey, createServer, listedNames, untilPublished } from '../support/admin.ts'
import { legacy, LIST } from '../support/messages.ts'
import { resetObject, upstreamOf } from '../support/objects.ts'
import { refresh, ring, serverOf, untilServer } from '../support/remote-records.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { startRollcall } from '../support/rollcall.ts'
import { dumpDatabase, dumpKv } from '../support/storage.ts'
import { startHttpApi } from '../support/upstreams/http-api.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { startModernMcp } from '../support/upstreams/mcp-modern.ts'
import { sendJson, startRecording } from '../support/upstreams/recording.ts'

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

const echo = (endpoint: string, key?: string) =>
  relay.rollcall.post(
    endpoint,
    legacy('tools/call', { name: 'echo', arguments: { text: 'hello' } }),
    key === undefined ? {} : { authorization: `Bearer ${key}` },
  )

describe('A remote server that is down', () => {
  for (const outage of [503, 429, 'drop'] as const) {
    it(`73: keeps its last good lists with their age, and its calls say so: ${outage}`, async () => {
      const upstream = keep(await startModernMcp({ kind: 'modern' }))
      const server = await relay.serve(upstream.url)
      const names = await listedNames(relay.rollcall, server.endpoint)
      upstream.world.gate.outage = outage
      for (let n = 0; n < 2; n++)
        assert.equal((await refresh(relay.rollcall, server.id)).status, 502)
      await resetObject(relay.rollcall, 'UPSTREAM', upstreamOf(server.id))
      const down = await untilPublished(relay.rollcall, server.id)
      assert.equal(typeof down.upstream.problem, 'string')
      assert.ok(down.upstream.downSince <= new Date().toISOString())
      assert.equal(down.upstream.refreshedAt, server.upstream.refreshedAt)
      const list = await relay.rollcall.post(server.endpoint, LIST)
      assert.match(list.headers.get('age') ?? '', /^\d+$/)
      assert.deepEqual(
        list.json.result.tools.map(({ name }: { name: string }) => name),
        names,
      )
      const { result } = (await echo(server.endpoint)).json
      assert.equal(result.isError, true)
      assert.match(result.content[0].text, /remote server/)
      upstream.world.gate.outage = undefined
      await ring(relay.rollcall, server.id)
      const up = await untilServer(relay.rollcall, server.id, (one) => !one.upstream.downSince)
      assert.equal('problem' in up.upstream, false)
      assert.equal((await echo(server.endpoint)).json.result.content[0].text, 'hello')
      assert.equal((await refresh(relay.rollcall, server.id)).status, 200)
      assert.equal((await relay.rollcall.post(server.endpoint, LIST)).headers.get('age'), null)
    })
  }

  it('66: that asks for credentials stays what it is, and says so', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sessions', bearer: 'right' }))
    const server = await relay.serve(upstream.url)
    assert.match(server.upstream.problem, /credentials/)
    upstream.world.gate.bearer = undefined
    assert.equal((await refresh(relay.rollcall, server.id)).json.upstream.era, 'legacy')
  })
})

describe('The way to a remote server', () => {
  const TOKEN = 'tok-0123456789-very-secret'
  const auths: [string, object, (headers: Record<string, unknown>) => unknown, string][] = [
    [
      'bearer',
      { type: 'bearer', token: { secret: 'token' } },
      ({ authorization }) => authorization,
      `Bearer ${TOKEN}`,
    ],
    [
      'header',
      { type: 'header', name: 'X-Api-Key', value: { secret: 'token' } },
      (headers) => headers['x-api-key'],
      TOKEN,
    ],
    [
      'basic',
      { type: 'basic', username: 'me', password: { secret: 'token' } },
      ({ authorization }) => authorization,
      `Basic ${Buffer.from(`me:${TOKEN}`).toString('base64')}`,
    ],
  ]
  before(() => relay.rollcall.admin('PUT', '/secrets/token', { value: TOKEN }))

  for (const [name, auth, sent, expected] of auths) {
    it(`61: is authorized by ${name} in every request, and by nothing of the caller's`, async () => {
      const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
      const server = await relay.serve(upstream.url, { auth }, { auth: 'key' })
      const { secret } = await createKey(relay.rollcall, server.id)
      assert.equal((await echo(server.endpoint, secret)).json.result.content[0].text, 'hello')
      for (const { headers } of upstream.requests) {
        assert.equal(sent(headers), expected)
        assert.equal(JSON.stringify(headers).includes(secret), false)
      }
      const export_ = await relay.rollcall.admin('GET', `/servers/${server.id}/export`)
      const texts = [export_.text, JSON.stringify(await serverOf(relay.rollcall, server.id))]
      for (const text of texts) assert.equal(text.includes(TOKEN), false)
    })
  }

  it('is told nowhere, though the remote server repeats it wherever it can', async () => {
    const upstream = keep(
      await startRecording(({ headers, body }, response) => {
        const said = `You sent ${String(headers['x-api-key'])}`
        const { id, method } = Object(body)
        const answers: Record<string, object> = {
          initialize: {
            result: {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {} },
              serverInfo: { name: said, version: '1' },
              instructions: said,
            },
          },
          'tools/list': {
            result: {
              tools: [{ name: 'tell', description: said, inputSchema: { type: 'object' } }],
            },
          },
        }
        if (id === undefined) return void response.writeHead(202).end()
        const error = { code: -32601, message: said, data: said }
        return sendJson(response, { jsonrpc: '2.0', id, ...(answers[method] ?? { error }) })
      }),
    )
    const auth = { type: 'header', name: 'X-Api-Key', value: { secret: 'token' } }
    const server = await relay.serve(upstream.url, { auth }, { auth: 'key' })
    assert.equal(server.toolCount, 1)
    const { secret } = await createKey(relay.rollcall, server.id)
    const call = await relay.rollcall.post(
      server.endpoint,
      legacy('tools/call', { name: 'tell' }),
      { authorization: `Bearer ${secret}` },
    )
    const failing = keep(
      await startRecording(({ headers }, response) =>
        sendJson(response, { error: `You sent ${String(headers['x-api-key'])}` }, 500),
      ),
    )
    const failed = await relay.serve(failing.url, { auth }, { auth: 'key' })
    assert.match(failed.upstream.problem, /REDACTED/)
    await untilPublished(relay.rollcall, server.id)
    const texts = [
      call.text,
      JSON.stringify(failed),
      JSON.stringify(server),
      await dumpDatabase(relay.rollcall),
      JSON.stringify([...(await dumpKv(relay.rollcall))]),
    ]
    for (const text of texts) assert.equal(text.includes(TOKEN), false)
  })

  it('is by a token of an authorization server, and a new one once after a 401', async () => {
    const api = keep(await startHttpApi({ clientSecret: 'the-client-secret' }))
    await relay.rollcall.admin('PUT', '/secrets/client', { value: 'the-client-secret' })
    const upstream = keep(await startLegacyMcp({ kind: 'sessions', bearer: 'token-2' }))
    const auth = {
      type: 'oauth2',
      tokenUrl: `${api.url}/token`,
      clientId: 'client',
      clientSecret: { secret: 'client' },
    }
    const server = await relay.serve(upstream.url, { auth }, { auth: 'key' })
    assert.ok(server.toolCount > 10)
    const [first, second, ...rest] = upstream.requests.map(({ headers }) => headers.authorization)
    assert.deepEqual([first, second], ['Bearer token-1', 'Bearer token-2'])
    assert.deepEqual(new Set(rest), new Set(['Bearer token-2']))
    assert.equal(api.countOf('/token'), 2)
  })

  it('is refused to a private address, with the reason told', async () => {
    const strict = await startRollcall()
    keep(strict)
    const upstream = keep(await startLegacyMcp({ kind: 'sessions' }))
    const file = { name: 'Private', kind: 'remote', hosted: true, remote: { url: upstream.url } }
    const server = await createServer(strict, file)
    assert.match(server.upstream.problem, /private address/)
    assert.equal(upstream.requests.length, 0)
  })
})
