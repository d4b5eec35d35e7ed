/** Who may call a hosted server, how often, and what of it each key sees. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { legacy, modern, modernHeaders } from '../support/messages.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

const KEYED = 'aaaaaaaaaaaaaaaa'
const LIMITED = 'bbbbbbbbbbbbbbbb'
const OTHER = 'cccccccccccccccc'

describe('Access to a hosted server', () => {
  let rollcall: Rollcall
  let all: { id: string; secret: string }
  let some: { id: string; secret: string }
  let other: { id: string; secret: string }
  const path = `/mcp/keyed/${KEYED}`

  before(async () => {
    rollcall = await startRollcall()
    const tools = [tool('a'), tool('b'), tool('c')]
    const key = async (server: string, members: object = {}) =>
      (await rollcall.admin('POST', '/keys', { name: 'k', server, ...members })).json
    await rollcall.admin('PUT', `/servers/${KEYED}`, serverFile('Keyed', tools, { auth: 'key' }))
    await rollcall.admin('PUT', `/servers/${OTHER}`, serverFile('Other', tools, { auth: 'key' }))
    await rollcall.admin(
      'PUT',
      `/servers/${LIMITED}`,
      serverFile('Limited', tools, { rateLimit: 60 }),
    )
    all = await key(KEYED)
    some = await key(KEYED, { tools: ['c', 'a', 'not_there'] })
    other = await key(OTHER)
  })
  after(() => rollcall.close())

  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const names = async (headers: Record<string, string>) => {
    const { json } = await rollcall.post(path, legacy('tools/list'), headers)
    return json.result.tools.map(({ name }: { name: string }) => name)
  }

  it('D5: challenges a request without a key, and refuses a wrong one', async () => {
    const none = await rollcall.post(path, legacy('tools/list'))
    assert.deepEqual([none.status, none.json.error.code], [401, 'missing_authorization'])
    assert.equal(none.headers.get('www-authenticate'), 'Bearer realm="rollcall"')
    const last = all.secret.at(-1) === '0' ? '1' : '0'
    const wrong = [all.secret.slice(0, -1) + last, 'rcs_x', other.secret, `rcs_${'0'.repeat(49)}`]
    const texts = new Set<string>()
    for (const secret of wrong) {
      const answer = await rollcall.post(path, legacy('tools/list'), bearer(secret))
      assert.equal(answer.status, 401)
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/)
      texts.add(answer.text)
    }
    assert.equal(texts.size, 1)
  })

  it('D10: takes a key as bearer or as x-api-key, and refuses two that differ', async () => {
    assert.deepEqual(await names(bearer(all.secret)), ['a', 'b', 'c'])
    assert.deepEqual(await names({ 'x-api-key': all.secret }), ['a', 'b', 'c'])
    assert.deepEqual(await names({ 'x-api-key': all.secret, ...bearer(all.secret) }), [
      'a',
      'b',
      'c',
    ])
    const two = { 'x-api-key': some.secret, ...bearer(all.secret) }
    assert.equal(
      (await rollcall.post(path, legacy('ping'), two)).json.error.code,
      'two_credentials',
    )
    const basic = await rollcall.post(path, legacy('ping'), { authorization: 'Basic eDp5' })
    assert.equal(basic.status, 401)
  })

  it('lists and calls, for a key with tools, those and no others', async () => {
    assert.deepEqual(await names(bearer(some.secret)), ['a', 'c'])
    const call = async (name: string) =>
      (await rollcall.post(path, legacy('tools/call', { name }), bearer(some.secret))).text
    assert.match(await call('c'), /c ran/)
    assert.equal((await call('b')).replaceAll('b"', '_"'), (await call('x')).replaceAll('x"', '_"'))
    assert.equal((await call('not_there')).includes('Tool not found'), true)
  })

  it('§9.2 #36: gives callers with different visibility private lists, kept by no cache', async () => {
    for (const { secret } of [all, some]) {
      const headers = { ...modernHeaders('tools/list'), ...bearer(secret) }
      const answer = await rollcall.post(path, modern('tools/list'), headers)
      assert.equal(answer.json.result.cacheScope, 'private')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })

  it('§9.2 #62: wants the key on every method', async () => {
    for (const method of ['GET', 'DELETE']) {
      assert.equal((await rollcall.send(path, { method })).status, 401)
    }
    const discover = await rollcall.post(
      path,
      modern('server/discover'),
      modernHeaders('server/discover'),
    )
    assert.equal(discover.status, 401)
  })

  it('stops opening once a key is revoked', async () => {
    const { json } = await rollcall.admin('POST', '/keys', { name: 'short', server: KEYED })
    assert.deepEqual(await names(bearer(json.secret)), ['a', 'b', 'c'])
    assert.equal((await rollcall.admin('DELETE', `/keys/${json.id}`)).status, 204)
    assert.equal((await rollcall.post(path, legacy('ping'), bearer(json.secret))).status, 401)
  })

  it('A28: answers 429 with Retry-After over the limit, each message of a batch taking a slot', async () => {
    const limited = `/mcp/limited/${LIMITED}`
    const batch = Array.from({ length: 49 }, (_, id) => legacy('ping', {}, id))
    // A window of the limiter may end between two requests; then there is one more of them.
    const statuses: number[] = []
    while (!statuses.includes(429) && statuses.length < 5) {
      statuses.push((await rollcall.post(limited, batch)).status)
    }
    assert.ok(statuses.length <= 4 && statuses.includes(429), String(statuses))
    const answer = await rollcall.post(limited, legacy('ping'))
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, '60'])
  })

  it('limits guesses at keys and at ids by address', async () => {
    const until429 = async (send: () => Promise<{ status: number }>) => {
      for (let count = 0; count < 500; count++) if ((await send()).status === 429) return count
      return Infinity
    }
    assert.ok(
      (await until429(() => rollcall.post(path, legacy('ping'), bearer('rcs_guess')))) < 130,
    )
    const id = () =>
      Math.floor(Math.random() * 2 ** 48)
        .toString(16)
        .padStart(16, '0')
    assert.ok((await until429(() => rollcall.post(`/mcp/x/${id()}`, legacy('ping')))) < 260)
    assert.deepEqual(await names(bearer(all.secret)), ['a', 'b', 'c'])
  })
})
