/** The tricks of the HTTP API of the tests are real. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { LATIN_TEXT } from '../support/upstreams/http-bodies.ts'
import { startHttpApi, type HttpApi } from '../support/upstreams/http-api.ts'

describe('The HTTP API of the tests', () => {
  let api: HttpApi
  before(async () => {
    api = await startHttpApi({ clientId: 'id', clientSecret: 's:e cret', expiresInSeconds: 60 })
  })
  after(() => api.close())
  const get = (path: string, init?: RequestInit) => fetch(`${api.url}${path}`, init)

  it('echoes what it was sent, the path as raw', async () => {
    const body = new URLSearchParams({ a: '1 2' })
    const response = await get('/echo/a%2Fb?x=1&x=%20', { method: 'POST', body })
    const echo = await response.json<Record<string, unknown>>()
    assert.equal(echo['path'], '/echo/a%2Fb?x=1&x=%20')
    assert.deepEqual(echo['query'], [
      ['x', '1'],
      ['x', ' '],
    ])
    assert.deepEqual(echo['form'], [['a', '1 2']])
  })

  it('tells the weather of a city, and knows one that is nowhere', async () => {
    const there = await (
      await get('/weather/K%C3%B6ln?format=j1')
    ).json<{
      nearest_area: [{ areaName: [{ value: string }] }]
      current_condition: [{ temp_C: string }]
    }>()
    assert.equal(there.nearest_area[0].areaName[0].value, 'Köln')
    assert.equal(there.current_condition[0].temp_C, '18')
    assert.equal((await get('/weather/nowhere')).status, 404)
  })

  for (const path of ['/hang', '/stall', '/huge?bytes=1000000000', '/slow?ms=60000']) {
    it(`sees the client leave ${path}`, async () => {
      const abort = new AbortController()
      const answer = get(path, { signal: abort.signal }).then((response) => response.text())
      const seen = await api.untilRequest((request) => request.path === path)
      assert.equal(seen.isAborted, false)
      abort.abort()
      await assert.rejects(answer)
      await seen.aborted
      assert.equal(seen.isAborted, true)
    })
  }

  it('streams as many bytes as asked for and says no length', async () => {
    const response = await get('/huge?bytes=1000001')
    assert.equal(response.headers.get('content-length'), null)
    assert.equal((await response.arrayBuffer()).byteLength, 1_000_001)
  })

  it('answers odd bodies', async () => {
    assert.equal(await (await get('/drip?parts=2&ms=1')).text(), 'drop 0\ndrop 1\n')
    assert.equal((await (await get('/gzip')).json<{ packed: boolean }>()).packed, true)
    await assert.rejects((await get('/bad-json')).json())
    const latin = await (await get('/charset')).arrayBuffer()
    assert.equal(new TextDecoder('latin1').decode(latin), LATIN_TEXT)
    const bad = await (await get('/bad-utf8')).arrayBuffer()
    assert.throws(() => new TextDecoder('utf8', { fatal: true, ignoreBOM: true }).decode(bad))
    await assert.rejects(get('/close-early').then((response) => response.text()))
    await assert.rejects(get('/reset'))
    assert.equal((await get('/headers')).headers.get('x-many-149'), 'value 149')
  })

  it('answers statuses, redirects and loops', async () => {
    for (const [path, status] of [
      ['/204', 204],
      ['/304', 304],
      ['/status/418', 418],
      ['/html-error', 500],
      ['/redirects/3', 200],
      ['/unknown', 404],
    ] as const) {
      assert.equal((await get(path)).status, status, path)
    }
    const moved = await get('/redirect/307?to=http://example.com/x', { redirect: 'manual' })
    assert.equal(moved.headers.get('location'), 'http://example.com/x')
    await assert.rejects(get('/loop'))
  })

  it('fails as often as asked for, then succeeds', async () => {
    const first = await get('/flaky?fails=1&key=a&status=429&retryAfter=2')
    assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '2'])
    assert.equal((await get('/flaky?fails=1&key=a&status=429')).status, 200)
    await assert.rejects(get('/flaky?fails=1&key=b&status=reset'))
    assert.equal((await get('/flaky?fails=1&key=b&status=reset')).status, 200)
    assert.equal(api.attempts('b'), 2)
  })

  it('gives tokens to its client alone, and opens to the current one', async () => {
    const ask = (headers: HeadersInit, form: Record<string, string>) =>
      get('/token', {
        method: 'POST',
        headers,
        body: new URLSearchParams({ grant_type: 'client_credentials', ...form }),
      })
    const basic = `Basic ${btoa('id:s%3Ae%20cret')}`
    const given = await (
      await ask({ authorization: basic }, {})
    ).json<{
      access_token: string
      expires_in: number
    }>()
    assert.equal(given.expires_in, 60)
    const authorization = `Bearer ${given.access_token}`
    assert.equal((await get('/protected', { headers: { authorization } })).status, 200)
    api.oauth.revoke()
    assert.equal((await get('/protected', { headers: { authorization } })).status, 401)
    assert.equal((await ask({}, { client_id: 'id', client_secret: 's:e cret' })).status, 200)
    assert.equal((await ask({}, { client_id: 'id', client_secret: 'wrong' })).status, 401)
    assert.equal((await ask({ authorization: basic }, { grant_type: 'password' })).status, 400)
    assert.deepEqual(api.oauth.clientAuth, ['basic', 'body'])
  })
})
