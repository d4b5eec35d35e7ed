/** What members may do in the admin API and agents may not, and the ways they may not get around that. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { inOrganization, wrongFields } from '../support/admin.ts'
import {
  askAs,
  refused,
  sessionOf,
  startPrincipals,
  type Person,
  type Principals,
} from '../support/principals.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'

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
