/** HTTP around a hosted server: methods, media types, sizes, origins, preflight, server status. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const OPEN = '1111111111111111'
const CLOSED = '2222222222222222'
const LOCAL = 'http://localhost:6274'

describe('HTTP on a hosted server', () => {
  let rollcall: Rollcall
  const open = `/mcp/open/${OPEN}`
  const closed = `/mcp/closed/${CLOSED}`
  before(async () => {
    rollcall = await startRollcall()
    await rollcall.admin('PUT', `/servers/${OPEN}`, serverFile('Open', [tool('a')]))
    await rollcall.admin(
      'PUT',
      `/servers/${CLOSED}`,
      serverFile('Closed', [tool('a')], { origins: ['http://localhost:1', 'null'] }),
    )
  })
  after(() => rollcall.close())

  it('§9.2 #42, D1: answers other methods with 405 and Allow, sessions there are none', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
      const answer = await rollcall.send(open, { method, headers: { 'mcp-session-id': 'mine' } })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'], method)
    }
    assert.equal((await rollcall.send(open, { method: 'HEAD' })).status, 405)
  })

  it('§9.2 #22, D1: answers 404 on every method for an id of our shape that is of no session', async () => {
    const headers = { 'mcp-session-id': '0123456789abcdef'.repeat(4) }
    assert.equal((await rollcall.post(open, legacy('tools/list'), headers)).status, 404)
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await rollcall.send(open, { method, headers })).status, 404)
    }
  })

  it('§9.2 #63: wants JSON, with whatever parameters', async () => {
    const sent = (type: string | undefined) =>
      rollcall.send(open, {
        method: 'POST',
        headers: type === undefined ? {} : { 'content-type': type },
        body: Buffer.from(JSON.stringify(legacy('ping'))),
      })
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON;x=y',
    ]) {
      assert.equal((await sent(type)).status, 200, type)
    }
    for (const type of [
      'text/plain',
      'application/jsonx',
      'application/x-www-form-urlencoded',
      undefined,
    ]) {
      assert.equal((await sent(type)).status, 415, type)
    }
  })

  it('§9.2 #63: refuses a body over 4 MiB, announced or not', async () => {
    const big = JSON.stringify(legacy('ping', { pad: 'x'.repeat(4 * 1024 * 1024) }))
    assert.equal((await rollcall.post(open, big)).status, 413)
    assert.equal(await postChunked(rollcall.url + open, big), 413)
    assert.equal(await postChunked(rollcall.url + open, JSON.stringify(legacy('ping'))), 200)
    const near = JSON.stringify(legacy('ping', { pad: 'x'.repeat(4 * 1024 * 1024 - 200) }))
    assert.equal((await rollcall.post(open, near)).status, 200)
  })

  it('does not mind any Accept', async () => {
    for (const accept of ['*/*', 'text/html', 'text/event-stream', 'application/json']) {
      const answer = await rollcall.post(open, legacy('ping'), { accept })
      assert.equal(answer.headers.get('content-type'), 'application/json')
    }
  })

  it('§9.2 #58: refuses a bad Origin with 403 on every method, and passes where there is none', async () => {
    for (const origin of ['null', 'file://x', 'https://example.com', 'http://localhost.evil.com']) {
      for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
        const answer = await rollcall.send(open, { method, headers: { origin } })
        assert.equal(answer.status, 403, `${method} ${origin}`)
        assert.equal(answer.headers.get('access-control-allow-origin'), null)
      }
    }
    assert.equal((await rollcall.post(open, legacy('ping'))).status, 200)
    const allowed = await rollcall.post(open, legacy('ping'), { origin: LOCAL })
    assert.equal(allowed.headers.get('access-control-allow-origin'), LOCAL)
    assert.match(allowed.headers.get('access-control-expose-headers') ?? '', /Mcp-Session-Id/)
  })

  it("D25: follows a server's own origins, preflight included", async () => {
    const preflight = (origin: string) =>
      rollcall.send(closed, { method: 'OPTIONS', headers: { origin } })
    assert.equal((await preflight('http://localhost:1')).status, 204)
    assert.equal((await preflight(LOCAL)).status, 403)
  })

  it('§9.2 #64: lets a browser send what the protocol needs', async () => {
    const answer = await rollcall.send(open, {
      method: 'OPTIONS',
      headers: {
        origin: LOCAL,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, mcp-param-region, x-other',
      },
    })
    assert.equal(answer.status, 204)
    const headers = (answer.headers.get('access-control-allow-headers') ?? '')
      .toLowerCase()
      .split(', ')
    for (const name of ['authorization', 'content-type', 'accept', 'mcp-protocol-version']) {
      assert.ok(headers.includes(name), name)
    }
    for (const name of [
      'mcp-session-id',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-param-region',
    ]) {
      assert.ok(headers.includes(name), name)
    }
    assert.ok(!headers.includes('x-other'))
  })

  it('answers an unknown server readably to a page', async () => {
    const answer = await rollcall.post('/mcp/open/3333333333333333', legacy('ping'), {
      origin: LOCAL,
    })
    assert.deepEqual([answer.status, answer.json.error.code], [404, 'endpoint_not_found'])
    assert.equal(answer.headers.get('access-control-allow-origin'), LOCAL)
  })

  it('A25, D5: answers 503 while a server is paused, and 404 while it is a draft', async () => {
    await rollcall.admin('PATCH', `/servers/${OPEN}`, { status: 'paused' })
    assert.equal((await rollcall.post(open, legacy('tools/list'))).status, 503)
    await rollcall.admin('PATCH', `/servers/${OPEN}`, { status: 'draft' })
    const draft = await rollcall.post(open, legacy('tools/list'))
    assert.deepEqual([draft.status, draft.json.error.code], [404, 'endpoint_not_found'])
    await rollcall.admin('PATCH', `/servers/${OPEN}`, { status: null })
    assert.equal((await rollcall.post(open, legacy('tools/list'))).status, 200)
  })

  it('§9.2 #20: emits no code of the reserved range but the three that are defined', async () => {
    const codes = new Set<number>()
    const bodies = [legacy('tools/call', { name: 'nope' }), legacy('x'), {}, '[]', '{']
    for (const body of bodies) codes.add((await rollcall.post(open, body)).json.error.code)
    for (const method of ['tools/call', 'x', 'resources/read']) {
      const answer = await rollcall.post(open, modern(method), modernHeaders(method))
      codes.add(answer.json.error.code)
    }
    assert.deepEqual(
      [...codes].filter((code) => code <= -32000 && code > -32600),
      [],
    )
  })

  it('X1: keeps /mcp/env for the gateway, and bare paths for nobody', async () => {
    for (const path of [
      '/mcp/env',
      '/mcp/env/0123456789abcdef/x',
      '/',
      '/mcp/open/x/y',
      '/favicon.ico',
    ]) {
      assert.equal(
        (await rollcall.post(path, legacy('ping'))).json.error.code,
        'endpoint_not_found',
        path,
      )
    }
    const environment = await rollcall.post('/mcp/env/0123456789abcdef', legacy('ping'))
    assert.equal(environment.json.error.code, 'missing_authorization')
    assert.deepEqual((await rollcall.send('/health')).json, { status: 'ok' })
  })
})

/** POSTs a body without announcing its length; the status. */
function postChunked(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const post = request(
      url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    post.on('error', reject)
    post.end(body)
  })
}
