/** Keys and sessions in the admin API: who mints, sees and ends keys, and which credentials are taken. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SignJWT } from 'jose'
import { wrongFields } from '../support/admin.ts'
import {
  askAs,
  refused,
  sessionOf,
  startPrincipals,
  type Person,
  type Principals,
} from '../support/principals.ts'
import { SESSION_JWT_SECRET, startRollcall, type Rollcall } from '../support/rollcall.ts'

describe('members and agents in the admin API', () => {
  let rollcall: Rollcall
  let people: Principals['people']
  let agent: Person
  let stranger: Person
  let server: string
  before(async () => {
    rollcall = await startRollcall()
    ;({ people, agent, stranger, server } = await startPrincipals(rollcall))
  })
  after(() => rollcall.close())

  const ask = (credential: string, method: string, path: string, body?: unknown, headers = {}) =>
    askAs(rollcall, credential, method, path, body, headers)
  const session = (member: Person) => sessionOf(rollcall, member)

  it('mints nothing for a key, whoever holds it', async () => {
    const bodies = [
      { name: 'K', kind: 'member' },
      { name: 'K', kind: 'member', role: 'owner' },
      { name: 'K', kind: 'agent' },
      { name: 'K', server },
    ]
    for (const { key, keyId } of Object.values(people)) {
      for (const body of bodies) {
        refused(await ask(key, 'POST', '/keys', body), 403, 'api_key_cannot_mint')
      }
      refused(await ask(key, 'POST', `/keys/${keyId}/rotate`), 403, 'api_key_cannot_mint')
    }
  })

  it('lets a session mint: its own keys, an admin those of agents and servers, nobody another’s', async () => {
    const [member, admin] = [await session(people.member), await session(people.admin)]
    const own = await ask(member, 'POST', '/keys', { name: 'Mine', kind: 'member' })
    assert.deepEqual([own.status, own.json.principal], [201, people.member.id])
    assert.equal((await ask(member, 'POST', `/keys/${own.json.id}/rotate`)).status, 200)
    for (const body of [
      { name: 'A', kind: 'agent' },
      { name: 'S', server },
    ]) {
      refused(await ask(member, 'POST', '/keys', body), 403, 'admin_required')
      assert.equal((await ask(admin, 'POST', '/keys', body)).status, 201)
    }
    for (const token of [member, admin]) {
      const body = { name: 'O', kind: 'member', principal: people.owner.id }
      refused(await ask(token, 'POST', '/keys', body), 403, 'operator_required')
    }
    const rotate = await ask(admin, 'POST', `/keys/${people.owner.keyId}/rotate`)
    refused(rotate, 403, 'operator_required')
    const raised = { name: 'O', kind: 'member', role: 'owner' }
    assert.deepEqual(wrongFields(await ask(member, 'POST', '/keys', raised)), ['role'])
  })

  it('shows and ends one’s own keys, and those of all to admins', async () => {
    const token = await session(people.member)
    const { json: mine } = await ask(token, 'POST', '/keys', { name: 'Mine', kind: 'member' })
    const { json } = await ask(people.member.key, 'GET', '/keys')
    assert.ok(json.items.length > 0)
    assert.ok(
      json.items.every(({ principal }: { principal: string }) => principal === people.member.id),
    )
    const elsewhere = `/keys/${people.owner.keyId}`
    refused(await ask(people.member.key, 'GET', elsewhere), 404, 'key_not_found')
    refused(await ask(people.member.key, 'DELETE', elsewhere), 404, 'key_not_found')
    assert.equal((await ask(people.member.key, 'DELETE', `/keys/${mine.id}`)).status, 204)
    assert.equal((await ask(people.admin.key, 'GET', elsewhere)).status, 200)
  })

  it('takes one credential: from Authorization or x-api-key, a session from Authorization alone', async () => {
    const token = await session(people.owner)
    const send = (headers: Record<string, string>) => rollcall.send('/api/v1/servers', { headers })
    const bearer = { authorization: `Bearer ${people.owner.key}` }
    assert.equal((await send({ 'x-api-key': people.owner.key })).status, 200)
    assert.equal((await send({ ...bearer, 'x-api-key': people.owner.key })).status, 200)
    refused(await send({ ...bearer, 'x-api-key': people.admin.key }), 401, 'two_credentials')
    refused(await send({ 'x-api-key': token }), 401, 'invalid_jwt')
    refused(
      await rollcall.send(`/api/v1/servers?x-api-key=${people.owner.key}`),
      401,
      'missing_authorization',
    )
  })

  it('takes no session that it did not make', async () => {
    const token = await session(people.owner)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const sign = (body: object, secret = SESSION_JWT_SECRET, head = {}) =>
      new SignJWT(body as Record<string, string>)
        .setProtectedHeader({ alg: 'HS256', typ: 'rollcall-session+jwt', ...head })
        .sign(new TextEncoder().encode(secret))
    const none = encode({ alg: 'none', typ: 'rollcall-session+jwt' })
    const now = Math.floor(Date.now() / 1000)
    const forged = [
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${encode({ ...claims, sub: people.admin.id })}.${signature}`,
      await sign(claims, 'another-session-secret-of-32-chars'),
      await sign({ ...claims, aud: 'elsewhere' }),
      await sign({ ...claims, iss: 'elsewhere' }),
      await sign({ ...claims, exp: undefined }),
      await sign({ ...claims, iat: now - 400, exp: now - 100 }),
      await sign({ ...claims, exp: now + 3600 }),
      await sign(claims, SESSION_JWT_SECRET, { typ: 'JWT' }),
      await sign({ ...claims, sub: stranger.id }),
      await sign({ ...claims, sub: agent.id, org: 'org_nobody' }),
      await sign({ ...claims, padding: 'x'.repeat(6000) }, 'another-session-secret-of-32-chars'),
    ]
    for (const text of forged) {
      refused(await ask(text, 'GET', '/servers'), 401, 'invalid_jwt')
    }
    assert.equal((await ask(token, 'GET', '/servers')).status, 200)
  })
})
