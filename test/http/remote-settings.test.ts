/** What an operator's settings of a remote server have its requests be, as they arrive there. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { jwtVerify } from 'jose'
import { createKey } from '../support/admin.ts'
import { discover, discoveredNames } from '../support/discovery.ts'
import { legacy } from '../support/messages.ts'
import { connectionsOf, refresh, serverOf } from '../support/remote-records.ts'
import { sendError, sendResult, startRemote, type Answers } from '../support/remote-mcp.ts'
import { startRelay, type Relay } from '../support/relay.ts'
import { startJwtEndpoint } from '../support/upstreams/jwt-endpoint.ts'
import { startLegacyMcp } from '../support/upstreams/mcp-legacy.ts'
import { sendJson, type SeenRequest } from '../support/upstreams/recording.ts'

let relay: Relay
before(async () => {
  relay = await startRelay()
})
after(() => relay.close())

const open: { close(): Promise<void> }[] = []
const keep = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one)
  return one
}
after(() => Promise.all(open.map((one) => one.close())))

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, unit: { type: 'string' }, debug: { type: 'boolean' } },
  required: ['city', 'unit'],
}

const ANSWERS: Answers = {
  'server/discover': (seen, response) => sendError(seen, response, { code: -32601, message: '' }),
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'one', version: '1' },
  },
  'tools/list': { tools: [{ name: 'weather', inputSchema }] },
  'tools/call': { content: [{ type: 'text', text: 'fine' }] },
}

const putSecret = (name: string, value: string) =>
  relay.rollcall.admin('PUT', `/secrets/${name}`, { value })

/** Serves one to whoever has its key; `call` calls its tool. */
async function serve(url: string, remote: object = {}, members: object = {}) {
  const server = await relay.serve(url, remote, { auth: 'key', ...members })
  const { secret } = await createKey(relay.rollcall, server.id)
  const call = async (params: object) => {
    const headers = { authorization: `Bearer ${secret}` }
    return relay.rollcall.post(server.endpoint, legacy('tools/call', params), headers)
  }
  return { ...server, call }
}

const weather = { name: 'weather', arguments: { city: 'Bern' } }
const callsTo = ({ requests }: { requests: readonly SeenRequest[] }) =>
  requests.filter(({ body }) => body?.method === 'tools/call')

describe('A call of a remote tool', () => {
  it('has the operator’s _meta, which stands in place of the caller’s', async () => {
    const remote = keep(
      await startRemote({
        ...ANSWERS,
        'tools/list': { tools: [{ name: 'weather', inputSchema: { type: 'object' } }] },
      }),
    )
    await putSecret('tenant', 'the-tenant-0123')
    const meta = { tenant: { secret: 'tenant' }, level: 3, isOurs: true }
    const { call } = await serve(remote.url, { meta })
    const _meta = { level: 99, 'caller.example/own': 'x', progressToken: 'p' }
    assert.equal((await call({ ...weather, _meta })).json.result.content[0].text, 'fine')
    const { progressToken, ...rest } = callsTo(remote)[0]?.body.params._meta ?? {}
    assert.deepEqual(rest, {
      level: 3,
      isOurs: true,
      tenant: 'the-tenant-0123',
      'caller.example/own': 'x',
    })
    assert.notEqual(progressToken, 'p')
    const list = remote.requests.find(({ body }) => body?.method === 'tools/list')
    assert.deepEqual(list?.body.params, {})
  })

  it('has constants in their places, and not what is left out; callers see neither', async () => {
    const remote = keep(await startRemote(ANSWERS))
    const inputs = {
      '/unit': { constant: 'celsius' },
      '/debug': { omit: true },
      '/a/b': { constant: 1 },
    }
    const { call, id } = await serve(remote.url, {}, { overrides: { weather: { inputs } } })
    const answer = await call({ ...weather, arguments: { city: 'Bern', debug: true } })
    assert.equal(answer.json.result.content[0].text, 'fine', answer.text)
    const sent = callsTo(remote)[0]?.body.params.arguments
    assert.deepEqual(sent, { city: 'Bern', unit: 'celsius', a: { b: 1 } })
    const { json } = await relay.rollcall.admin('GET', `/servers/${id}/tools/weather`)
    assert.deepEqual(Object.keys(json.inputSchema.properties), ['city'])
  })

  it('is over with the time-out of its tool', async () => {
    const remote = keep(await startRemote({ ...ANSWERS, 'tools/call': () => {} }))
    const overrides = { weather: { timeoutSeconds: 0.2, inputs: { '/unit': { omit: true } } } }
    const { call } = await serve(remote.url, {}, { overrides })
    const answer = await call(weather)
    assert.match(answer.json.result.content[0].text, /did not answer within 0.2 s/)
  })
})

describe('Requests to a remote server', () => {
  it('ask for no compression where it is turned off', async () => {
    const remote = keep(await startRemote(ANSWERS))
    const encodings = async (settings: object) => {
      const { id } = await serve(remote.url, settings)
      await discover(relay.rollcall, id)
      return remote.requests.at(-1)?.headers['accept-encoding']
    }
    assert.notEqual(await encodings({}), 'identity') // the runtime's own: none here, br and gzip deployed
    assert.equal(await encodings({ compression: false }), 'identity')
  })

  it('go to a URL that is a secret, which nothing tells', async () => {
    const token = 'a-token-in-the-path'
    const echoing: Answers = {
      ...ANSWERS,
      'tools/call': (seen, response) =>
        sendError(seen, response, { code: 1, message: `no ${seen.path} for ${token}` }, 400),
      'tools/list': (seen, response) =>
        sendResult(seen, response, {
          tools: [
            { name: 'weather', description: `At ${seen.path}`, inputSchema: { type: 'object' } },
          ],
        }),
    }
    const remote = keep(await startRemote(echoing))
    await putSecret('where', `${remote.url}/x/${token}/mcp`)
    const { id, call } = await serve(remote.url, { url: { secret: 'where' } })
    assert.equal(remote.requests.at(-1)?.path, `/x/${token}/mcp`)
    const { tools } = await discover(relay.rollcall, id)
    const answers = [await call(weather), await serverOf(relay.rollcall, id), tools]
    const stored = await connectionsOf(relay.rollcall, id)
    assert.doesNotMatch(
      JSON.stringify([answers, stored]),
      new RegExp(`${token}|${new URL(remote.url).port}`),
    )
    await putSecret('where', 'ftp://inside.example/secret')
    const { problem = '' } = await discover(relay.rollcall, id)
    assert.match(problem, /made over https, not ftp/)
    await putSecret('where', 'http://user:word@inside.example/secret')
    const { problem: other = '' } = await discover(relay.rollcall, id)
    assert.match(other, /must have no user name/)
    assert.doesNotMatch(other, /inside\.example/)
  })

  it('go to a server of HTTP+SSE at a URL that is a secret', async () => {
    const upstream = keep(await startLegacyMcp({ kind: 'sse' }))
    await putSecret('stream', upstream.url)
    const { id, call } = await serve(upstream.url, { url: { secret: 'stream' }, transport: 'sse' })
    assert.ok((await discoveredNames(relay.rollcall, id)).includes('echo'))
    const answer = await call({ name: 'echo', arguments: { text: 'over there' } })
    assert.equal(answer.json.result.content[0].text, 'over there', answer.text)
    const [stored] = await connectionsOf(relay.rollcall, id)
    assert.equal(stored.era, 'sse')
    assert.doesNotMatch(JSON.stringify(stored), /127\.0\.0\.1/)
  })
})

describe('An auth connection', () => {
  it('is known to fail where no token can be had, and to work again', async () => {
    const endpoint = keep(await startJwtEndpoint())
    const guarded: Answers = { ...ANSWERS }
    const remote = keep(await startRemote(guarded))
    const auth = {
      type: 'jwt_bearer',
      issuer: 'me',
      audience: endpoint.url,
      subject: 'mine',
      tokenUrl: endpoint.url,
      key: { value: endpoint.key },
    }
    const { rollcall } = relay
    const made = await rollcall.admin('POST', '/connections', { name: 'One', auth })
    assert.equal(made.status, 201, made.text)
    const connection = made.json.id
    const statusOf = async () => (await rollcall.admin('GET', `/connections/${connection}`)).json
    const { id } = await serve(remote.url, { auth: { type: 'connection', connection } })
    assert.equal(remote.requests.at(-1)?.headers.authorization, `Bearer ${endpoint.given.at(-1)}`)
    assert.equal((await statusOf()).status, 'active')

    const patch = (members: object) =>
      rollcall.admin('PATCH', `/connections/${connection}`, { auth: { ...auth, ...members } })
    assert.equal((await patch({ key: { value: 'no key' } })).status, 200)
    const { problem = '' } = await discover(rollcall, id)
    assert.match(problem, /cannot sign a JWT by RS256/)
    const failed = await statusOf()
    assert.equal(failed.status, 'refresh_failed')
    assert.equal(failed.statusDetail, problem)

    assert.equal((await patch({})).status, 200)
    assert.equal((await refresh(rollcall, id)).status, 200)
    assert.equal((await statusOf()).status, 'active')
  })
})

describe('A JWT that is signed here', () => {
  it('authorizes calls of HTTP tools too', async () => {
    const key = 'a-shared-secret-of-thirty-two-bytes'
    await putSecret('signing', key)
    const api = keep(await startRemote({ GET: (_, response) => sendJson(response, { ok: true }) }))
    const auth = {
      type: 'jwt',
      algorithm: 'HS256',
      issuer: 'me',
      audience: 'it',
      subject: 's',
      key: { secret: 'signing' },
    }
    const handler = { kind: 'http', url: `${api.url}/x`, auth }
    const tool = { name: 'get', inputSchema: { type: 'object' }, handler }
    const made = await relay.rollcall.admin('POST', '/servers', {
      name: 'Api',
      auth: 'key',
      tools: [tool],
    })
    assert.equal(made.status, 201, made.text)
    const { secret } = await createKey(relay.rollcall, made.json.id)
    const call = legacy('tools/call', { name: 'get', arguments: {} })
    const answer = await relay.rollcall.post(made.json.endpoint, call, {
      authorization: `Bearer ${secret}`,
    })
    assert.equal(answer.json.result.isError, undefined, answer.text)
    const [, token = ''] = api.requests[0]?.headers.authorization?.split(' ') ?? []
    await jwtVerify(token, Buffer.from(key), { audience: 'it', issuer: 'me', subject: 's' })
  })
})
