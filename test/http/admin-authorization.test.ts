import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createKey,
  createOrganization,
  createServer,
  inOrganization,
  refusal,
} from '../support/admin.ts'
import { OPERATOR_TOKEN, startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile } from '../support/servers.ts'

const WRONG = 'wrong-operator-token-0123456789'
const BEARER = { authorization: `Bearer ${OPERATOR_TOKEN}` }

const REFUSED: [what: string, headers: Record<string, string>, code: string][] = [
  ['no credential', {}, 'missing_authorization'],
  ['a wrong token', { authorization: `Bearer ${WRONG}` }, 'invalid_token'],
  ['a wrong token in x-api-key', { 'x-api-key': WRONG }, 'invalid_token'],
  ['another scheme', { authorization: `Basic ${btoa('a:b')}` }, 'invalid_authorization'],
  ['an empty bearer', { authorization: 'Bearer ' }, 'invalid_authorization'],
  ['two different credentials', { ...BEARER, 'x-api-key': WRONG }, 'two_credentials'],
]

const ACCEPTED: [what: string, headers: Record<string, string>][] = [
  ['Authorization: Bearer', BEARER],
  ['the scheme in lower case', { authorization: `bearer ${OPERATOR_TOKEN}` }],
  ['x-api-key', { 'x-api-key': OPERATOR_TOKEN }],
  ['the same token in both', { ...BEARER, 'x-api-key': OPERATOR_TOKEN }],
]

describe('who may use the admin API', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall()
  })
  after(() => rollcall.close())

  it('makes the organization "default" once, however many first requests there are', async () => {
    const many = Array.from({ length: 30 }, () => rollcall.admin('GET', '/servers'))
    for (const { status, json } of await Promise.all(many)) {
      assert.equal(status, 200)
      assert.deepEqual(json, { items: [] })
    }
    const { json } = await rollcall.admin('GET', '/organizations')
    assert.deepEqual(json, { items: [{ id: 'org_default', name: 'default' }] })
    const audit = await rollcall.admin('GET', '/audit')
    assert.deepEqual(
      audit.json.items.map(({ act, target }: { act: string; target: string }) => [act, target]),
      [['organizations.create', 'org_default']],
    )
  })

  for (const [what, headers, code] of REFUSED) {
    it(`refuses ${what}`, async () => {
      const answer = await rollcall.send('/api/v1/servers', { headers })
      assert.deepEqual(refusal(answer), { status: 401, code })
      assert.doesNotMatch(answer.text, /operator-token/)
    })
  }

  // RFC 9110 §15.5.2: a 401 must say how to authenticate. Two refusals were without it.
  it('tells with every 401 how to authenticate', async () => {
    for (const [what, headers] of REFUSED) {
      const answer = await rollcall.send('/api/v1/servers', { headers })
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm=/, what)
    }
  })

  for (const [what, headers] of ACCEPTED) {
    it(`accepts ${what}`, async () => {
      assert.equal((await rollcall.send('/api/v1/servers', { headers })).status, 200)
    })
  }

  it('refuses a server key', async () => {
    const { id } = await createServer(rollcall, serverFile('Keyed'))
    const { secret } = await createKey(rollcall, id)
    const headers = { authorization: `Bearer ${secret}` }
    const answer = await rollcall.send('/api/v1/servers', { headers })
    assert.deepEqual(refusal(answer), { status: 401, code: 'invalid_token' })
  })

  it('answers an unknown path with endpoint_not_found, and 401 without a token', async () => {
    for (const path of ['/api/v1/nothing', '/api/v1/servers/a/b/c/d', '/api/v1/']) {
      const missing = await rollcall.send(path, { headers: BEARER })
      assert.deepEqual(refusal(missing), { status: 404, code: 'endpoint_not_found' }, path)
      assert.equal((await rollcall.send(path)).status, 401, path)
    }
    const outside = await rollcall.send('/api/v2/servers', { headers: BEARER })
    assert.deepEqual(refusal(outside), { status: 404, code: 'endpoint_not_found' })
  })

  it('finds an organization by its name and by its id', async () => {
    const { id } = await createOrganization(rollcall, 'found')
    await createServer(rollcall, serverFile('Theirs'), inOrganization('found'))
    const { json } = await rollcall.admin('GET', '/servers', undefined, inOrganization(id))
    assert.deepEqual(
      json.items.map(({ name }: { name: string }) => name),
      ['Theirs'],
    )
  })

  it('answers 404 for an organization that is not there', async () => {
    for (const name of ['nobody', 'org_0123456789abcdef0123', '', 'No Name']) {
      const answer = await rollcall.admin('GET', '/servers', undefined, inOrganization(name))
      assert.deepEqual(refusal(answer), { status: 404, code: 'organization_not_found' }, name)
    }
  })

  it('lets pages of this machine call in development, and no others', async () => {
    const local = { ...BEARER, origin: 'http://localhost:3000' }
    const answer = await rollcall.send('/api/v1/servers', { headers: local })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('access-control-allow-origin'), local.origin)
    const headers = { ...BEARER, origin: 'https://elsewhere.example' }
    const refused = await rollcall.send('/api/v1/servers', { headers })
    assert.deepEqual(refusal(refused), { status: 403, code: 'origin_not_allowed' })
    const init = { method: 'OPTIONS', headers: { origin: local.origin } }
    const preflight = await rollcall.send('/api/v1/servers', init)
    assert.equal(preflight.status, 204)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PATCH/)
  })

  it('counts refused tokens against their address, and still takes the right one', async () => {
    const guesses = Array.from({ length: 130 }, () =>
      rollcall.send('/api/v1/servers', { headers: { 'x-api-key': WRONG } }),
    )
    const answers = await Promise.all(guesses)
    const limited = answers.find(({ status }) => status === 429)
    assert.ok(limited, 'none of 130 was limited')
    assert.ok(Number(limited.headers.get('retry-after')) > 0)
    assert.equal((await rollcall.admin('GET', '/servers')).status, 200)
  })
})
