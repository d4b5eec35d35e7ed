/** What members may do in the admin API and agents may not, and the ways they may not get around that. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SignJWT } from 'jose'
import {
  createOrganization,
  createServer,
  inOrganization,
  refusal,
  wrongFields,
} from '../support/admin.ts'
import {
  startRollcall,
  SESSION_JWT_SECRET,
  type Answer,
  type Rollcall,
} from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

type Person = { id: string; key: string; keyId: string }
type Role = 'owner' | 'admin' | 'member'

describe('members and agents in the admin API', () => {
  let rollcall: Rollcall
  let people: Record<Role, Person>
  let agent: Person
  let stranger: Person
  let server: string
  before(async () => {
    rollcall = await startRollcall()
    const person = async (body: object, headers = {}): Promise<Person> => {
      const { status, text, json } = await rollcall.admin('POST', '/keys', body, headers)
      assert.equal(status, 201, text)
      return { id: json.principal, key: json.secret, keyId: json.id }
    }
    const member = (role: Role) => person({ name: role, kind: 'member', role })
    people = {
      owner: await member('owner'),
      admin: await member('admin'),
      member: await member('member'),
    }
    agent = await person({ name: 'agent', kind: 'agent' })
    await createOrganization(rollcall, 'other')
    stranger = await person(
      { name: 'stranger', kind: 'member', role: 'owner' },
      inOrganization('other'),
    )
    ;({ id: server } = await createServer(rollcall, serverFile('Ours', [tool('a')])))
  })
  after(() => rollcall.close())

  const ask = (credential: string, method: string, path: string, body?: unknown, headers = {}) =>
    rollcall.admin(method, path, body, { authorization: `Bearer ${credential}`, ...headers })
  const session = async ({ id }: Person, headers = {}): Promise<string> => {
    const answer = await rollcall.admin('POST', `/members/${id}/session`, undefined, headers)
    assert.equal(answer.status, 201, answer.text)
    return answer.json.token
  }
  const refused = (answer: Answer, status: number, code: string) =>
    assert.deepEqual(refusal(answer), { status, code }, answer.text)

  it('lets everybody read servers, and admins change them', async () => {
    for (const { key } of Object.values(people)) {
      assert.equal((await ask(key, 'GET', `/servers/${server}`)).status, 200)
      assert.equal((await ask(key, 'GET', '/members')).status, 200)
    }
    const patch = { description: 'Changed' }
    for (const { key } of [people.owner, people.admin]) {
      assert.equal((await ask(key, 'PATCH', `/servers/${server}`, patch)).status, 200)
    }
    const { key } = people.member
    refused(await ask(key, 'PATCH', `/servers/${server}`, patch), 403, 'admin_required')
    refused(await ask(key, 'GET', '/audit'), 403, 'admin_required')
    refused(await ask(key, 'PUT', '/secrets/s', { value: 'v' }), 403, 'admin_required')
  })

  it('lets agents in nowhere', async () => {
    const paths = ['/servers', '/members', '/agents', '/environments', '/settings', '/accounts']
    for (const path of [...paths, `/servers/${server}`, '/keys', '/audit', '/organizations']) {
      refused(await ask(agent.key, 'GET', path), 403, 'member_principal_required')
    }
    const minting = await ask(agent.key, 'POST', '/keys', { name: 'K', kind: 'agent' })
    refused(minting, 403, 'member_principal_required')
  })

  it('shows what a server is made of, and was, to admins alone', async () => {
    for (const path of [`/servers/${server}/export`, `/servers/${server}/revisions`]) {
      refused(await ask(people.member.key, 'GET', path), 403, 'admin_required')
      assert.equal((await ask(people.admin.key, 'GET', path)).status, 200)
    }
  })

  it('tells who a member is elsewhere to that member and admins alone', async () => {
    const externalId = { issuer: 'https://login.example.com', subject: 'mia' }
    const body = { name: 'Mia', externalId }
    const { json: mia } = await rollcall.admin('POST', '/members', body)
    const key = { name: 'M', kind: 'member', principal: mia.id }
    const { secret } = (await rollcall.admin('POST', '/keys', key)).json
    const told = async (credential: string) => {
      const { json } = await ask(credential, 'GET', '/members')
      const listed = json.items.find(({ id }: { id: string }) => id === mia.id)
      const one = await ask(credential, 'GET', `/members/${mia.id}`)
      assert.deepEqual(listed, one.json)
      return listed.externalId
    }
    for (const credential of [secret, people.admin.key, people.owner.key]) {
      assert.deepEqual(await told(credential), externalId)
    }
    assert.equal(await told(people.member.key), undefined)
    assert.equal(await told(await session(people.member)), undefined)
  })

  it('previews what a key of a server is listed for admins alone', async () => {
    const made = await rollcall.admin('POST', '/keys', { name: 'S', server, tools: [] })
    for (const id of [made.json.id, 'key_made_up', people.member.keyId]) {
      const path = `/servers/${server}/preview?credential=${id}`
      refused(await ask(people.member.key, 'GET', path), 403, 'admin_required')
    }
    const path = `/servers/${server}/preview?credential=${made.json.id}`
    const { status, text } = await ask(people.admin.key, 'GET', path)
    assert.equal(status, 200, text)
  })

  it('lets the operator alone say which person a member is, and an admin take that away', async () => {
    const externalId = { issuer: 'https://login.example.com', subject: 'claimed' }
    const owner = await session(people.owner)
    const body = { name: 'Claimed', externalId }
    refused(await ask(owner, 'POST', '/members', body), 403, 'operator_required')
    const made = await rollcall.admin('POST', '/members', body)
    assert.equal(made.status, 201, made.text)
    const path = `/members/${made.json.id}`
    const other = { externalId: { ...externalId, subject: 'another' } }
    refused(await ask(owner, 'PATCH', path, other), 403, 'operator_required')
    assert.deepEqual((await rollcall.admin('GET', path)).json.externalId, externalId)
    const freed = await ask(owner, 'PATCH', path, { externalId: null })
    assert.equal(freed.status, 200, freed.text)
    assert.equal(freed.json.externalId, undefined)
    refused(await ask(owner, 'PATCH', path, { externalId }), 403, 'operator_required')
  })

  it('names the principal in the audit log', async () => {
    await ask(people.admin.key, 'PATCH', `/servers/${server}`, { description: 'By an admin' })
    const { json } = await rollcall.admin('GET', '/audit?limit=1')
    assert.equal(json.items[0].actor, people.admin.id)
  })

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

  it('raises nobody above who asks, oneself neither', async () => {
    const [member, admin, owner] = await Promise.all(
      [people.member, people.admin, people.owner].map((one) => session(one)),
    )
    assert.ok(member && admin && owner)
    const patch = (token: string, { id }: Person, body: object) =>
      ask(token, 'PATCH', `/members/${id}`, body)
    for (const { key } of Object.values(people)) {
      refused(await patch(key, people.member, { role: 'member' }), 403, 'session_required')
    }
    refused(await patch(member, people.member, { role: 'admin' }), 403, 'admin_required')
    refused(
      await patch(member, people.member, { permissions: ['connections:org'] }),
      403,
      'admin_required',
    )
    refused(await patch(admin, people.admin, { role: 'owner' }), 403, 'insufficient_role')
    refused(await patch(admin, people.owner, { role: 'member' }), 403, 'insufficient_role')
    refused(await patch(admin, people.owner, { status: 'suspended' }), 403, 'insufficient_role')
    refused(await ask(admin, 'DELETE', `/members/${people.owner.id}`), 403, 'insufficient_role')
    refused(await ask(admin, 'DELETE', `/keys/${people.owner.keyId}`), 403, 'insufficient_role')
    const made = { name: 'Two', role: 'owner' }
    refused(await ask(admin, 'POST', '/members', made), 403, 'insufficient_role')
    assert.equal((await ask(owner, 'POST', '/members', made)).status, 201)
    assert.equal(
      (await ask(admin, 'POST', '/members', { name: 'Three', role: 'admin' })).status,
      201,
    )
    assert.equal((await patch(admin, people.member, { name: 'member' })).status, 200)
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

  it('keeps to the operator what is the operator’s', async () => {
    const token = await session(people.owner)
    for (const credential of [token, people.owner.key]) {
      refused(await ask(credential, 'GET', '/organizations'), 403, 'operator_required')
      refused(await ask(credential, 'DELETE', '/organizations/other'), 403, 'operator_required')
      const path = `/members/${people.owner.id}/session`
      refused(await ask(credential, 'POST', path), 403, 'operator_required')
    }
  })

  it('lets only the operator choose an id, and answers an id that is not there with 404', async () => {
    const file = serverFile('Chosen', [])
    const { key } = people.owner
    const chosen = '0123456789abcdef'
    refused(await ask(key, 'PUT', `/servers/${chosen}`, file), 404, 'server_not_found')
    const named = await ask(key, 'POST', '/servers', { ...file, id: chosen })
    assert.deepEqual(wrongFields(named), ['id'])
    assert.equal(
      (await ask(key, 'PUT', `/servers/${server}`, serverFile('Ours', [tool('a')]))).status,
      200,
    )
    refused(await ask(stranger.key, 'PUT', `/servers/${server}`, file), 404, 'server_not_found')
    refused(await ask(stranger.key, 'GET', `/servers/${server}`), 404, 'server_not_found')
    refused(await ask(stranger.key, 'GET', `/members/${people.owner.id}`), 404, 'member_not_found')
    refused(await ask(stranger.key, 'DELETE', `/keys/${people.owner.keyId}`), 404, 'key_not_found')
  })

  it('keeps a principal in its own organization, whatever the header says', async () => {
    const token = await session(people.owner)
    for (const credential of [people.owner.key, token]) {
      for (const own of ['default', 'org_default']) {
        assert.equal(
          (await ask(credential, 'GET', '/servers', undefined, inOrganization(own))).status,
          200,
        )
      }
      for (const name of ['other', 'nobody', '', 'default, other', 'Default']) {
        const answer = await ask(credential, 'GET', '/servers', undefined, inOrganization(name))
        refused(answer, 404, 'organization_not_found')
      }
    }
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

  it('forgets at once who is suspended, demoted or gone', async () => {
    const make = async (body: object) => (await rollcall.admin('POST', '/keys', body)).json
    const made = await make({ name: 'Briefly', kind: 'member', role: 'admin' })
    const member = { id: made.principal, key: made.secret, keyId: made.id }
    const token = await session(member)
    const change = (patch: object) => rollcall.admin('PATCH', `/members/${member.id}`, patch)
    assert.equal((await ask(member.key, 'GET', '/audit')).status, 200)
    await change({ role: 'member' })
    for (const credential of [member.key, token]) {
      refused(await ask(credential, 'GET', '/audit'), 403, 'admin_required')
    }
    await change({ status: 'suspended' })
    for (const credential of [member.key, token]) {
      refused(await ask(credential, 'GET', '/servers'), 403, 'member_suspended')
    }
    const none = await rollcall.admin('POST', `/members/${member.id}/session`)
    refused(none, 403, 'member_suspended')
    await rollcall.admin('DELETE', `/members/${member.id}`)
    refused(await ask(member.key, 'GET', '/servers'), 401, 'invalid_api_key')
    refused(await ask(token, 'GET', '/servers'), 401, 'invalid_jwt')
    await rollcall.admin('PATCH', `/agents/${agent.id}`, { status: 'suspended' })
    refused(await ask(agent.key, 'GET', '/servers'), 403, 'agent_suspended')
  })
})
