/** Members, agents and their keys in the admin API, as the operator keeps them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { keyKindOf } from '../../src/callers/secret.ts'
import {
  allItems,
  createOrganization,
  inOrganization,
  refusal,
  wrongFields,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import { startRollcall, type Answer, type Rollcall } from '../support/rollcall.ts'
import { dumpDatabase, dumpKv } from '../support/storage.ts'

const EXTERNAL = { issuer: 'https://login.example.com', subject: 'ada' }

describe('members and agents', () => {
  let rollcall: Rollcall
  before(async () => {
    rollcall = await startRollcall({ secrets: { SESSION_JWT_SECRET: '' } })
  })
  after(() => rollcall.close())

  const make = async (path: string, body: object, headers = {}) => {
    const made = await rollcall.admin('POST', path, body, headers)
    assert.equal(made.status, 201, made.text)
    return made.json
  }
  const published = (key: string, isThere: (value: string | undefined) => boolean) =>
    eventually(
      async () => (await dumpKv(rollcall)).get(key),
      (value) => isThere(value),
    )

  it('makes a member with what is said of it, and the defaults', async () => {
    const { id, createdAt: _, updatedAt: __, ...member } = await make('/members', { name: ' Ada ' })
    assert.match(id, /^mem_[0-9a-f]{20}$/)
    const defaults = { role: 'member', permissions: [], settings: {}, status: 'active' }
    assert.deepEqual(member, { name: 'Ada', ...defaults })
    const said = {
      name: 'Bea',
      externalId: EXTERNAL,
      role: 'admin',
      permissions: ['connections:org'],
      settings: { notion: false, memory: { search: false } },
      status: 'suspended',
    }
    const { id: bea, createdAt, updatedAt, ...rest } = await make('/members', said)
    assert.deepEqual(rest, said)
    const one = await rollcall.admin('GET', `/members/${bea}`)
    assert.deepEqual(one.json, { id: bea, ...said, createdAt, updatedAt })
    assert.equal(one.headers.get('etag'), '"1"')
    assert.equal((await rollcall.admin('DELETE', `/members/${bea}`)).status, 204)
  })

  it('makes an agent, which has no role', async () => {
    const { id, createdAt: _, updatedAt: __, ...agent } = await make('/agents', { name: 'Bot' })
    assert.match(id, /^agt_[0-9a-f]{20}$/)
    assert.deepEqual(agent, { name: 'Bot', settings: {}, status: 'active' })
    const asMember = await rollcall.admin('GET', `/members/${id}`)
    assert.deepEqual(refusal(asMember), { status: 404, code: 'member_not_found' })
    const role = await rollcall.admin('POST', '/agents', { name: 'Bot', role: 'owner' })
    assert.deepEqual(wrongFields(role), ['role'])
  })

  it('names every wrong field', async () => {
    const body = {
      name: '',
      role: 'boss',
      permissions: ['all'],
      settings: { notion: 'off' },
      status: 'gone',
      externalId: { issuer: '' },
    }
    const fields = wrongFields(await rollcall.admin('POST', '/members', body))
    const tops = fields.map((field) => field.replace(/[.[].*/, ''))
    assert.deepEqual([...new Set(tops)].toSorted(), Object.keys(body).toSorted())
  })

  it('changes what is named and publishes it, once', async () => {
    const { id } = await make('/members', {
      name: 'Cy',
      externalId: { ...EXTERNAL, subject: 'cy' },
    })
    await published(`principal:${id}`, (value) => value !== undefined)
    const patch = { role: 'admin', externalId: null, settings: { notion: false } }
    const { status, json, headers } = await rollcall.admin('PATCH', `/members/${id}`, patch)
    assert.equal(status, 200)
    assert.deepEqual(
      [json.role, json.externalId, json.settings],
      ['admin', undefined, { notion: false }],
    )
    assert.equal(headers.get('etag'), '"2"')
    const same = await rollcall.admin('PATCH', `/members/${id}`, patch)
    assert.equal(same.headers.get('etag'), '"2"')
    const moved = await rollcall.admin(
      'PATCH',
      `/members/${id}`,
      { name: 'X' },
      { 'if-match': '"1"' },
    )
    assert.deepEqual(refusal(moved), { status: 412, code: 'revision_moved' })
    const value = await published(
      `principal:${id}`,
      (text) => text?.includes('"version":2') === true,
    )
    assert.deepEqual(JSON.parse(value ?? ''), {
      id,
      organization: 'org_default',
      kind: 'member',
      status: 'active',
      role: 'admin',
      permissions: [],
      settings: { notion: false },
      accounts: [],
      version: 2,
    })
  })

  it('deletes none that moved, and no key of one', async () => {
    const moved = { status: 412, code: 'revision_moved' }
    for (const kind of ['member', 'agent']) {
      const { id: key, principal } = await make('/keys', { name: 'Moving', kind })
      const path = `/${kind}s/${principal}`
      const changed = await rollcall.admin('PATCH', path, { name: 'Moved' })
      const etag = changed.headers.get('etag') ?? ''
      const remove = (at: string, revision: string) =>
        rollcall.admin('DELETE', at, undefined, { 'if-match': revision })
      for (const at of [path, `/keys/${key}`]) {
        assert.deepEqual(refusal(await remove(at, '"1"')), moved, at)
      }
      assert.equal((await rollcall.admin('GET', `/keys/${key}`)).status, 200)
      assert.equal((await remove(`/keys/${key}`, etag)).status, 204)
      assert.equal((await remove(path, etag)).status, 204)
    }
  })

  it('publishes no name and no external id', async () => {
    const external = { issuer: 'https://secret-issuer.test', subject: 'secret-subject' }
    const { id } = await make('/members', { name: 'Whispered', externalId: external })
    await published(`principal:${id}`, (value) => value !== undefined)
    const kv = JSON.stringify([...(await dumpKv(rollcall))])
    assert.doesNotMatch(kv, /Whispered|secret-/)
  })

  it('lets a person be a member of several organizations, and once of each', async () => {
    const body = { name: 'Dee', externalId: { ...EXTERNAL, subject: 'dee' } }
    const first = await make('/members', body)
    const again = await rollcall.admin('POST', '/members', body)
    assert.deepEqual(refusal(again), { status: 409, code: 'external_id_taken' })
    await createOrganization(rollcall, 'second')
    await make('/members', body, inOrganization('second'))
    assert.equal((await rollcall.admin('DELETE', `/members/${first.id}`)).status, 204)
    const { id } = await make('/members', body)
    assert.notEqual(id, first.id)
  })

  it('lists them by kind, page by page', async () => {
    for (const kind of ['members', 'agents']) {
      for (const name of ['One', 'Two', 'Three']) await make(`/${kind}`, { name })
      const all = await allItems(rollcall, `/${kind}`, 1000)
      assert.deepEqual(await allItems(rollcall, `/${kind}`, 2), all)
      assert.ok(all.every(({ id }) => id.startsWith(kind === 'members' ? 'mem_' : 'agt_')))
    }
  })

  it('keeps those of an organization from another', async () => {
    await createOrganization(rollcall, 'apart')
    const headers = inOrganization('apart')
    const { id } = await make('/members', { name: 'Mine' })
    for (const [method, body] of [['GET'], ['PATCH', { name: 'X' }], ['DELETE']] as const) {
      const answer = await rollcall.admin(method, `/members/${id}`, body, headers)
      assert.deepEqual(refusal(answer), { status: 404, code: 'member_not_found' })
    }
    const key = { name: 'K', kind: 'member', principal: id }
    const made = await rollcall.admin('POST', '/keys', key, headers)
    assert.deepEqual(refusal(made), { status: 404, code: 'member_not_found' })
    assert.deepEqual((await rollcall.admin('GET', '/members', undefined, headers)).json, {
      items: [],
    })
  })

  it('makes keys of members and agents, and the principal too where none is named', async () => {
    const { id } = await make('/members', { name: 'Eve' })
    const said = {
      name: 'Laptop',
      kind: 'member',
      principal: id,
      environment: 'support',
      monthlyCap: 10,
    }
    const { secret, id: _, lastFour, createdAt: __, ...key } = await make('/keys', said)
    assert.deepEqual(key, { ...said, expiresAt: null })
    assert.equal(lastFour, secret.slice(-4))
    assert.equal(keyKindOf(secret), 'member')
    const owner = await make('/keys', { name: 'Olive', kind: 'member', role: 'owner' })
    const olive = await rollcall.admin('GET', `/members/${owner.principal}`)
    assert.deepEqual([olive.json.name, olive.json.role], ['Olive', 'owner'])
    const agent = await make('/keys', { name: 'Robot', kind: 'agent' })
    assert.equal(keyKindOf(agent.secret), 'agent')
    assert.equal((await rollcall.admin('GET', `/agents/${agent.principal}`)).json.name, 'Robot')
    const theirs = await rollcall.admin('GET', `/keys?principal=${id}`)
    assert.deepEqual(
      theirs.json.items.map(({ name }: { name: string }) => name),
      ['Laptop'],
    )
    const roles = { name: 'K', kind: 'member', principal: id, role: 'owner' }
    assert.deepEqual(wrongFields(await rollcall.admin('POST', '/keys', roles)), ['role'])
    const wrongKind = await rollcall.admin('POST', '/keys', {
      name: 'K',
      kind: 'agent',
      principal: id,
    })
    assert.deepEqual(refusal(wrongKind), { status: 404, code: 'agent_not_found' })
  })

  const asked = (secret: string) =>
    rollcall.send('/api/v1/servers', { headers: { 'x-api-key': secret } })

  it('rotates a key: a new secret opens, the old one is dead, at once and in KV', async () => {
    const key = await make('/keys', { name: 'Turning', kind: 'member' })
    await published(`principal:${key.principal}`, (value) => value !== undefined)
    assert.equal((await asked(key.secret)).status, 200)
    const { status, json } = await rollcall.admin('POST', `/keys/${key.id}/rotate`)
    assert.equal(status, 200)
    assert.equal(json.id, key.id)
    assert.notEqual(json.secret, key.secret)
    assert.deepEqual(refusal(await asked(key.secret)), { status: 401, code: 'invalid_api_key' })
    assert.equal((await asked(json.secret)).status, 200)
    const values = await eventually(
      async () => [...(await dumpKv(rollcall))].filter(([name]) => name.startsWith('credential:')),
      (all) =>
        all.filter(([, value]) => value.includes(key.id)).length === 1 &&
        all.some(([, value]) => value === '{}'),
    )
    assert.ok(values.length > 1)
    assert.ok(!(await dumpDatabase(rollcall)).includes(json.secret))
  })

  it('ends the keys of a member with the member, and says so in the audit log', async () => {
    const key = await make('/keys', { name: 'Short', kind: 'member' })
    assert.equal((await asked(key.secret)).status, 200)
    assert.equal((await rollcall.admin('DELETE', `/members/${key.principal}`)).status, 204)
    assert.deepEqual(refusal(await asked(key.secret)), { status: 401, code: 'invalid_api_key' })
    const gone = await rollcall.admin('GET', `/keys/${key.id}`)
    assert.deepEqual(refusal(gone), { status: 404, code: 'key_not_found' })
    await published(`principal:${key.principal}`, (value) => value === '{}')
    const { json } = await rollcall.admin('GET', '/audit?limit=3')
    const acts = json.items.map(({ act, target }: Record<string, string>) => [act, target])
    assert.deepEqual(acts, [
      ['members.delete', key.principal],
      ['keys.create', key.id],
      ['members.create', key.principal],
    ])
  })

  it('takes all that is theirs away with an organization', async () => {
    const { id } = await createOrganization(rollcall, 'going')
    const headers = inOrganization('going')
    const body = { name: 'Fay', externalId: { ...EXTERNAL, subject: 'fay' } }
    const member = await make('/members', body, headers)
    const key = await make('/keys', { name: 'K', kind: 'member', principal: member.id }, headers)
    const agent = await make('/keys', { name: 'A', kind: 'agent' }, headers)
    assert.equal((await asked(key.secret)).status, 200)
    assert.equal((await rollcall.admin('DELETE', `/organizations/${id}`)).status, 204)
    for (const { secret } of [key, agent]) assert.equal((await asked(secret)).status, 401)
    const isGone = (name: string) => published(name, (value) => value === '{}')
    for (const principal of [member.id, agent.principal]) await isGone(`principal:${principal}`)
    // Of its gateway KV keeps for a day that it is gone.
    const tombstone = (value = '') => value.includes('"deleted":true')
    await published(`surface:${id}`, tombstone)
    const values = [...(await dumpKv(rollcall)).values()]
    assert.deepEqual(
      values.filter((value) => value.includes(id) && !tombstone(value)),
      [],
    )
    const storage = await eventually<Answer['json']>(
      () => dumpDatabase(rollcall, id).catch(() => ''),
      (text: string) => !text.includes('Fay'),
    )
    assert.ok(!storage.includes(key.lastFour))
  })

  it('mints no session where there is no secret to sign with', async () => {
    const { id } = await make('/members', { name: 'Gil' })
    const answer = await rollcall.admin('POST', `/members/${id}/session`)
    assert.deepEqual(refusal(answer), { status: 503, code: 'sessions_not_configured' })
  })
})
