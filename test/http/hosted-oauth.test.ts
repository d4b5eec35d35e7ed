/** Hosted servers that people sign in to: tokens, challenges and metadata (`mcp-protocol.md` §7, §9.2). */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createServer, refusal, wrongFields } from '../support/admin.ts'
import { openStream } from '../support/event-stream.ts'
import { startIssuer, type Issuer } from '../support/issuer.ts'
import { LIST, legacy, modern, modernHeaders } from '../support/messages.ts'
import { type Answer, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import {
  bearer,
  joinAs,
  PUBLIC_URL,
  serveSigned,
  startSignedIn,
  tokenFor,
} from '../support/signed-in.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

describe('hosted servers with auth oauth', () => {
  let rollcall: Rollcall
  let issuer: Issuer
  let path: string
  let scoped: string
  before(async () => {
    issuer = await startIssuer()
    rollcall = await startSignedIn(issuer)
    path = await serveSigned(rollcall, 'Signed')
    scoped = await serveSigned(rollcall, 'Scoped', {
      scopes: ['tools:read', 'tools:call'],
      vanity: true,
    })
    await join('user-1')
  })
  after(() => Promise.all([rollcall.close(), issuer.close()]))

  const join = (subject: string) => joinAs(rollcall, issuer, subject)
  const token = (at: string, claims: object = {}) => tokenFor(issuer, at, claims)
  const list = (at: string, text: string) => rollcall.post(at, LIST, bearer(text))
  const challengeOf = ({ headers }: Answer) => headers.get('www-authenticate') ?? ''
  const metadataOf = (at: string) => `resource_metadata="${PUBLIC_URL}${WELL_KNOWN}${at}"`

  it('open to a token of a member, for this very endpoint', async () => {
    const answer = await list(path, await token(path))
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.result.tools[0].name, 'a')
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  it('§9.2 #58: refuse a bad Origin on every method, with a good token too', async () => {
    const headers = bearer(await token(path))
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      for (const origin of ['https://evil.example', 'null']) {
        const answer = await rollcall.send(path, { method, headers: { ...headers, origin } })
        assert.deepEqual(refusal(answer), { status: 403, code: 'origin_not_allowed' }, method)
      }
    }
  })

  it('§9.2 #59: challenge without a token, and with one that is not good here', async () => {
    const none = await rollcall.post(path, LIST)
    assert.deepEqual(refusal(none), { status: 401, code: 'missing_authorization' })
    assert.equal(challengeOf(none), `Bearer realm="rollcall", ${metadataOf(path)}`)
    const unreadable: Record<string, string>[] = [
      { authorization: 'Basic dXNlcjpzZWNyZXQ=' },
      { ...bearer(await token(path)), 'x-api-key': 'another' },
    ]
    for (const headers of unreadable) {
      const answer = await rollcall.post(path, LIST, headers)
      assert.equal(answer.status, 401)
      assert.equal(challengeOf(answer), challengeOf(none))
    }
    const now = Math.floor(Date.now() / 1000)
    const aud = PUBLIC_URL + path
    const bad: [what: string, text: string][] = [
      ['another endpoint', await token(scoped)],
      ['the origin alone', await issuer.token({ aud: PUBLIC_URL })],
      ['no audience', await issuer.token()],
      ['expired', await token(path, { exp: now - 100 })],
      ['without end', await token(path, { exp: null })],
      ['another issuer', await token(path, { iss: 'https://evil.test' })],
      ['an unknown key', await issuer.token({ aud }, { kid: 'made-up' })],
      ['alg none', issuer.unsigned({ aud })],
      ['key confusion', await issuer.confused({ aud })],
      ['huge', await token(path, { padding: 'x'.repeat(9000) })],
      ['no token', 'made-up'],
    ]
    for (const [what, text] of bad) {
      const answer = await list(path, text)
      assert.deepEqual(refusal(answer), { status: 401, code: 'invalid_jwt' }, what)
      const expected = `Bearer realm="rollcall", error="invalid_token", ${metadataOf(path)}`
      assert.equal(challengeOf(answer), expected, what)
    }
    const inHeader = { 'x-api-key': await token(path) }
    assert.equal((await rollcall.post(path, LIST, inHeader)).status, 401)
    assert.equal(
      (await rollcall.post(`${path}?access_token=${await token(path)}`, LIST)).status,
      401,
    )
  })

  it('§9.2 #59: name all scopes where one is missing, once the token is good', async () => {
    const scope = 'scope="tools:read tools:call"'
    const some = await list(scoped, await token(scoped, { scope: 'tools:read other' }))
    assert.deepEqual(refusal(some), { status: 403, code: 'insufficient_scope' })
    const parts = [
      `Bearer realm="rollcall"`,
      'error="insufficient_scope"',
      scope,
      metadataOf(scoped),
    ]
    assert.equal(challengeOf(some), parts.join(', '))
    assert.equal((await list(scoped, await token(scoped, { exp: 1 }))).status, 401)
    assert.match(challengeOf(await rollcall.post(scoped, LIST)), /scope="tools:read tools:call"/)
    for (const claims of [
      { scope: 'tools:call tools:read x' },
      { scp: ['tools:read', 'tools:call'] },
    ]) {
      assert.equal((await list(scoped, await token(scoped, claims))).status, 200)
    }
    const refused = await rollcall.admin('PATCH', `/servers/${path.split('/').at(-1)}`, {
      auth: 'key',
      scopes: ['x'],
    })
    assert.deepEqual(wrongFields(refused), ['scopes'])
  })

  it('§9.2 #60: have metadata of their own, at the path-suffixed URL, for everybody to read', async () => {
    const get = (at: string) =>
      rollcall.send(WELL_KNOWN + at, { headers: { origin: 'http://localhost:3000' } })
    for (const at of [path, scoped]) {
      const answer = await get(at)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(answer.json.resource, PUBLIC_URL + at)
      assert.deepEqual(answer.json.authorization_servers, [issuer.url])
      assert.deepEqual(answer.json.bearer_methods_supported, ['header'])
      assert.equal(answer.headers.get('access-control-allow-origin'), '*')
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual((await get(`${at}/`)).json, answer.json)
    }
    assert.deepEqual((await get(scoped)).json.scopes_supported, ['tools:read', 'tools:call'])
    assert.equal((await get('/mcp/scoped')).json.resource, `${PUBLIC_URL}/mcp/scoped`)
    assert.equal((await get('/mcp')).json.resource, `${PUBLIC_URL}/mcp`)
    assert.equal((await get('/mcp/env/support')).json.resource, `${PUBLIC_URL}/mcp/env/support`)
    const open = await createServer(rollcall, serverFile('Open', []))
    const { pathname } = new URL(open.endpoint)
    const id = path.split('/').at(-1)
    for (const at of [
      '',
      '/',
      '/mcp/env',
      '/mcp/env/a b',
      '/mcp/signed',
      `/mcp/other/${id}`,
      '/mcp/signed/0123456789abcdef',
      `${path}/more`,
      pathname,
      '/api/v1',
    ]) {
      assert.equal((await get(at)).status, 404, at)
    }
    const preflight = await rollcall.send(WELL_KNOWN + path, { method: 'OPTIONS' })
    assert.equal(preflight.headers.get('access-control-allow-origin'), '*')
  })

  it('of a vanity slug take tokens for that URL', async () => {
    const claims = { scope: 'tools:read tools:call' }
    const at = '/mcp/scoped'
    assert.equal((await list(at, await token(at, claims))).status, 200)
    assert.equal((await list(at, await token(scoped, claims))).status, 401)
  })

  it('§9.2 #61: never send the token on', async () => {
    const { origin } = new URL(issuer.url)
    const handler = { kind: 'http', method: 'GET', url: `${origin}/keys` }
    const file = serverFile('Calling', [tool('call', { handler })], { auth: 'oauth' })
    const { id, slug } = await createServer(rollcall, file)
    const at = `/mcp/${slug}/${id}`
    const text = await token(at)
    const called = await rollcall.post(at, legacy('tools/call', { name: 'call' }), bearer(text))
    assert.equal(called.json.result.isError ?? false, false, called.text)
    assert.ok(issuer.headers()['user-agent']?.startsWith('Rollcall/'))
    assert.ok(!JSON.stringify(issuer.headers()).includes(text))
    assert.equal(issuer.headers().authorization, undefined)
  })

  it('§9.2 #62: want the token on every request', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await rollcall.send(path, { method })
      assert.equal(answer.status, 401, method)
      assert.match(challengeOf(answer), /resource_metadata=/)
    }
    for (const method of ['server/discover', 'subscriptions/listen']) {
      const answer = await rollcall.post(path, modern(method), modernHeaders(method))
      assert.equal(answer.status, 401, method)
    }
  })

  it('§9.2 #62: end a stream with its token, and with its member', async () => {
    const listen = async (text: string) =>
      openStream(rollcall.url + path, {
        method: 'POST',
        headers: {
          ...modernHeaders('subscriptions/listen'),
          ...bearer(text),
          'content-type': 'application/json',
        },
        body: JSON.stringify(
          modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
        ),
      })
    const exp = Math.floor(Date.now() / 1000) + 2
    const short = await listen(await token(path, { exp }))
    assert.equal(short.status, 200)
    assert.ok((await short.rest()).length > 0)
    assert.ok(Date.now() < exp * 1000 + 5000)
    const leaving = await join('leaving')
    const long = await listen(await token(path, { sub: 'leaving' }))
    assert.equal(long.status, 200)
    await long.next()
    await rollcall.admin('PATCH', `/members/${leaving}`, { status: 'suspended' })
    await long.rest()
  })
})
