import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOutbound,
  OutboundRefused,
  type OutboundRequest,
} from '../../src/upstream/outbound.ts'
import { startRecording, type Recording } from '../support/upstreams/recording.ts'

const { signal } = new AbortController()
const strict = createOutbound({ allowsHttp: false, allowsPrivate: false })
const open = createOutbound({ allowsHttp: true, allowsPrivate: true })
const get = (url: string, headers = {}) => ({
  url,
  method: 'GET',
  headers: new Map(new Headers(headers)),
  signal,
})

describe('The one outbound function', () => {
  let api: Recording
  let other: Recording
  before(async () => {
    api = await startRecording(({ path }, response) => {
      const [, status = '200', to] = /^\/(\d+)(?:\?to=(.*))?$/.exec(path) ?? []
      response.writeHead(
        Number(status),
        to === undefined ? {} : { location: decodeURIComponent(to) },
      )
      response.end('api')
    })
    other = await startRecording((_, response) => void response.end('other'))
  })
  after(() => Promise.all([api.close(), other.close()]))

  const refused: [string, RegExp][] = [
    ['http://example.com/', /example\.com must be made over https/],
    ['ftp://example.com/', /not ftp/],
    ['file:///etc/passwd', /not file/],
    ['data:text/plain,x', /not data/],
    ['https://me:sekret@example.com/', /at example\.com must have no user name/],
    ['https://127.0.0.1/?key=sekret', /^127\.0\.0\.1 is a private address/],
    ['https://[::ffff:a9fe:a9fe]/', /private/],
    ['https://localhost/', /private/],
    ['no url: sekret', /cannot be read/],
    [`https://example.com/${'x'.repeat(20_000)}`, /over 16 KiB/],
  ]
  for (const [url, message] of refused) {
    it(`refuses ${url.slice(0, 40)}, and repeats no secret`, async () => {
      await assert.rejects(strict(get(url)), (error) => {
        assert.ok(error instanceof OutboundRefused)
        assert.match(error.message, message)
        assert.doesNotMatch(error.message, /sekret/)
        return true
      })
    })
  }

  it('says who asks and how often it was passed on, whatever the caller says of that', async () => {
    await open({ ...get(`${api.url}/200`, { 'rollcall-hops': '0' }), hops: 2 })
    const { headers } = api.requests.at(-1) ?? assert.fail()
    assert.equal(headers['rollcall-hops'], '3')
    assert.match(String(headers['user-agent']), /^Rollcall\//)
  })

  it('keeps credentials within an origin, and takes them to no other', async () => {
    const headers = {
      authorization: 'Bearer sekret',
      cookie: 'a=sekret',
      'x-key': 'sekret',
      'x-b': 'b',
    }
    const credentials = { headers: ['X-Key'], query: ['key'] }
    const to = (url: string) => encodeURIComponent(url)
    await open({ ...get(`${api.url}/302?to=${to('/200?key=sekret')}`, headers), credentials })
    assert.equal(api.requests.at(-1)?.headers.authorization, 'Bearer sekret')
    await open({
      ...get(`${api.url}/302?to=${to(`${other.url}/x?key=sekret&a=1`)}`, headers),
      credentials,
    })
    const came = other.requests.at(-1) ?? assert.fail()
    assert.equal(came.path, '/x?a=1')
    assert.equal(came.headers['x-b'], 'b')
    assert.doesNotMatch(JSON.stringify(came.headers), /sekret/)
  })

  it('gives a redirect back where none is to be followed', async () => {
    const response = await open({ ...get(`${api.url}/302?to=%2F200`), maxRedirects: 0 })
    assert.equal(response.status, 302)
    await response.body?.cancel()
  })

  it('refuses to be sent somewhere that it would not go by itself', async () => {
    for (const to of ['file:///etc/passwd', 'http://me:pw@example.com/', 'http://[']) {
      const request = get(`${api.url}/302?to=${encodeURIComponent(to)}`)
      await assert.rejects(open(request), OutboundRefused)
    }
  })

  it('lets a cache keep only what hangs on the URL alone', async () => {
    const cacheOf = async (request: OutboundRequest) => {
      await open(request)
      return api.requests.at(-1)?.headers['cache-control']
    }
    assert.equal(await cacheOf(get(`${api.url}/200`)), 'no-cache')
    assert.equal(await cacheOf({ ...get(`${api.url}/200`), isPublic: true }), undefined)
  })

  const methods: [number, string, string][] = [
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ]
  for (const [status, method, next] of methods) {
    it(`goes on with ${next} after a ${method} was answered ${status}`, async () => {
      const body = method === 'HEAD' ? {} : { body: '{}' }
      const headers = new Map([['content-type', 'application/json']])
      await open({ url: `${api.url}/${status}?to=%2F200`, method, headers, signal, ...body })
      const came = api.requests.at(-1) ?? assert.fail()
      assert.deepEqual(
        [came.method, came.text],
        [next, next === method && method !== 'HEAD' ? '{}' : ''],
      )
      assert.equal(came.headers['content-type'] !== undefined, next === method && method !== 'HEAD')
    })
  }
})
