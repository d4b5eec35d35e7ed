/** HTTP tools against a real API: time-outs, retries, redirects, tokens, the cache and limits. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { httpTool, startHttpTools, type HttpTools } from '../support/http-tools.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { openSession } from '../support/sessions.ts'
import { startRecording, type Recording } from '../support/upstreams/recording.ts'

const bearer = { type: 'bearer', token: { secret: 'token' } }
const oauth = (url: string, members: object = {}) => ({
  type: 'oauth2',
  tokenUrl: `${url}/token`,
  clientId: 'client',
  clientSecret: { secret: 'client' },
  ...members,
})

const toolsOf = (elsewhere: string) => (url: string) => [
  httpTool('hang', { url: `${url}/hang` }),
  httpTool('short', { url: `${url}/hang`, timeoutSeconds: 0.3 }),
  httpTool('stall', { url: `${url}/stall`, timeoutSeconds: 0.5 }),
  httpTool('echo', { url: `${url}/echo` }),
  httpTool('flaky', { url: `${url}/flaky`, retries: 3 }, {}, [
    'key',
    'fails',
    'status',
    'retryAfter',
  ]),
  httpTool('hurry', { url: `${url}/flaky`, retries: 3, timeoutSeconds: 2 }, {}, [
    'key',
    'fails',
    'retryAfter',
  ]),
  httpTool('once', { method: 'POST', url: `${url}/flaky?key=once` }),
  httpTool('redirects', { url: `${url}/redirects/{n}` }, {}, ['n']),
  httpTool('loop', { url: `${url}/loop` }),
  httpTool('moved', { method: 'POST', url: `${url}/redirect/{status}` }, {}, ['status', 'a']),
  httpTool('away', {
    url: `${url}/redirect/307?to=${encodeURIComponent(`${elsewhere}/away?key=sekret-token&q=1`)}`,
    auth: bearer,
    headers: { 'X-Own': { secret: 'token' }, 'X-Open': 'open' },
    query: { key: { secret: 'token' } },
  }),
  httpTool('oauth', { url: `${url}/protected`, auth: oauth(url) }),
  httpTool('oauth-post', {
    method: 'POST',
    url: `${url}/protected`,
    auth: oauth(url, { clientAuth: 'body' }),
  }),
  httpTool('oauth-wrong', { url: `${url}/protected`, auth: oauth(url, { clientId: 'stranger' }) }),
  httpTool('cached', { url: `${url}/echo/cached`, cacheSeconds: 60 }, {}, ['a', 'b']),
  httpTool('cached-error', { url: `${url}/flaky?fails=1&key=cached`, cacheSeconds: 60 }),
  httpTool('limited', { url: `${url}/echo` }, { rateLimit: 2 }),
]

describe('The time of an HTTP tool', () => {
  let tools: HttpTools
  let elsewhere: Recording
  before(async () => {
    elsewhere = await startRecording((_, response) => void response.end('elsewhere'))
    tools = await startHttpTools(toolsOf(elsewhere.url), {
      secrets: { token: 'sekret-token', client: 'client-secret' },
    })
  })
  after(() => Promise.all([tools.close(), elsewhere.close()]))

  const fails = async (tool: string, args: object, message: RegExp) => {
    const { isError, content } = await tools.call(tool, args)
    assert.equal(isError, true, content[0].text)
    assert.match(content[0].text, message)
  }

  it('ends with its time-out, before or within the answer, and so does the request', async () => {
    await fails('short', {}, /did not answer within 0.3 s/)
    await fails('stall', {}, /did not answer within 0.5 s/)
    for (const path of ['/hang', '/stall']) {
      await (
        await tools.api.untilRequest((seen) => seen.path === path)
      ).aborted
    }
  })

  it('does not make another tool wait', async () => {
    const abort = new AbortController()
    const hanging = Array.from({ length: 20 }, () =>
      fetch(tools.rollcall.url + tools.path, {
        method: 'POST',
        headers: {
          ...tools.key,
          ...modernHeaders('tools/call', 'hang'),
          'content-type': 'application/json',
        },
        body: JSON.stringify(modern('tools/call', { name: 'hang' })),
        signal: abort.signal,
      }).then((response) => response.text()),
    )
    const answers = await Promise.all(Array.from({ length: 20 }, () => tools.call('echo')))
    assert.ok(answers.every(({ isError }) => isError === undefined))
    abort.abort()
    await Promise.allSettled(hanging)
  })

  it('aborts the request when a modern client leaves, within six seconds', async () => {
    const abort = new AbortController()
    const asked = tools.api.requests.length
    const response = await fetch(tools.rollcall.url + tools.path, {
      method: 'POST',
      headers: {
        ...tools.key,
        ...modernHeaders('tools/call', 'hang'),
        'content-type': 'application/json',
      },
      body: JSON.stringify(modern('tools/call', { name: 'hang' })),
      signal: abort.signal,
    })
    const seen = tools.api.requests.slice(asked).at(-1)
    assert.ok(seen !== undefined && response.ok && !seen.isAborted)
    const left = Date.now()
    abort.abort()
    await seen.aborted
    assert.ok(Date.now() - left < 6000)
  })

  it('aborts the request of a call in a session that is cancelled', async () => {
    const session = await openSession(tools.rollcall, tools.path, { headers: tools.key })
    const asked = tools.api.requests.length
    const stream = await session.stream(legacy('tools/call', { name: 'hang' }, 'c'))
    const seen = await tools.api.untilRequest((one) => tools.api.requests.indexOf(one) >= asked)
    await session.post({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'c' },
    })
    await seen.aborted
    stream.close()
    const { json } = await session.post(legacy('tools/call', { name: 'echo' }))
    assert.match(json.result.content[0].text, /"path":"\/echo"/)
  })

  it('tries again what may be sent twice, as the API asks', async () => {
    await tools.call('flaky', { key: 'a', fails: 2 })
    assert.equal(tools.api.attempts('a'), 3)
    await tools.call('flaky', { key: 'b', fails: 1, status: 'reset' })
    assert.equal(tools.api.attempts('b'), 2)
    const start = Date.now()
    await tools.call('flaky', { key: 'c', fails: 1, status: 429, retryAfter: '1' })
    assert.ok(Date.now() - start >= 1000)
    await fails('flaky', { key: 'd', fails: 9 }, /503/)
    assert.equal(tools.api.attempts('d'), 4)
  })

  it('does not wait for what the time-out would not see, nor send a POST twice', async () => {
    const start = Date.now()
    await fails('hurry', { key: 'e', fails: 1, retryAfter: '30' }, /503/)
    assert.ok(Date.now() - start < 1000)
    await fails('once', {}, /503/)
    assert.equal(tools.api.attempts('once'), 1)
  })

  it('follows five redirects and no more', async () => {
    assert.match(await tools.textOf('redirects', { n: 5 }), /"path":"\/echo"/)
    await fails('redirects', { n: 6 }, /redirects more than 5 times/)
    await fails('loop', {}, /redirects more than 5 times/)
  })

  it('keeps method and body through 307 alone', async () => {
    for (const status of [301, 302, 303]) {
      const { method, text } = JSON.parse(await tools.textOf('moved', { status, a: 1 }))
      assert.deepEqual([method, text], ['GET', ''])
    }
    for (const status of [307, 308]) {
      const { method, json } = JSON.parse(await tools.textOf('moved', { status, a: 1 }))
      assert.deepEqual([method, json], ['POST', { a: 1 }])
    }
  })

  it('takes no credential to another port', async () => {
    assert.equal(await tools.textOf('away'), 'elsewhere')
    const { headers, path } = elsewhere.requests.at(-1) ?? assert.fail('nobody came')
    assert.equal(path, '/away?q=1')
    assert.equal(headers['x-open'], 'open')
    assert.doesNotMatch(JSON.stringify(headers), /sekret/)
  })

  it('gets a token once, and another when it is refused', async () => {
    const { oauth: tokens } = tools.api
    await tools.call('oauth')
    assert.equal((await tools.call('oauth')).isError, undefined)
    assert.equal(tokens.issued(), 1)
    tokens.revoke()
    assert.equal((await tools.call('oauth')).isError, undefined)
    assert.equal(tokens.issued(), 2)
    assert.equal((await tools.call('oauth-post')).isError, undefined)
    assert.deepEqual(tokens.clientAuth, ['basic', 'basic', 'body'])
  })

  it('says why there is no token, without the secret', async () => {
    await fails(
      'oauth-wrong',
      {},
      /^The token endpoint at 127\.0\.0\.1:\d+ answered 401 \(invalid_client\)$/,
    )
  })

  it('gives an answer again for the same arguments, and never an error', async () => {
    const count = () => tools.api.countOf('/echo/cached')
    await tools.call('cached', { a: 1, b: 2 })
    await tools.call('cached', { b: 2, a: 1 })
    assert.equal(count(), 1)
    await tools.call('cached', { a: 2 })
    assert.equal(count(), 2)
    await fails('cached-error', {}, /503/)
    assert.match(await tools.textOf('cached-error'), /"attempt":2/)
  })

  it('answers -32000 with the seconds to wait over its limit, while other tools go on', async () => {
    await tools.call('limited')
    await tools.call('limited')
    const { error } = await tools.call('limited')
    assert.equal(error.code, -32000)
    assert.equal(error.data.retry_after, 60)
    assert.equal((await tools.call('echo')).isError, undefined)
  })

  it('counts hops, and is 508 after three', async () => {
    const message = legacy('tools/call', { name: 'echo' })
    const headers = (hops: string) => ({ ...tools.key, 'rollcall-hops': hops })
    const { json } = await tools.rollcall.post(tools.path, message, headers('3'))
    assert.equal(JSON.parse(json.result.content[0].text).headers['rollcall-hops'], '4')
    const session = await openSession(tools.rollcall, tools.path, { headers: tools.key })
    const within = await session.post(message, { 'rollcall-hops': '2' })
    assert.equal(JSON.parse(within.json.result.content[0].text).headers['rollcall-hops'], '3')
    const refused = await tools.rollcall.post(tools.path, message, headers('4'))
    assert.equal(refused.status, 508)
    assert.equal(refused.json.error.code, 'loop_detected')
  })
})
