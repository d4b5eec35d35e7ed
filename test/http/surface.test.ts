/** What is published of an organization's gateway, and what touches it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createOrganization,
  createServer,
  inOrganization,
  refusal,
  wrongFields,
} from '../support/admin.ts'
import { eventually } from '../support/eventually.ts'
import {
  accountOf,
  connectorFile,
  make,
  publications,
  publishedSurface,
  untilTold,
} from '../support/gateway.ts'
import { applySnapshot, remoteFile, remoteTool, snapshot } from '../support/remotes.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { dumpKv, forgetWhenPublished, inDatabase } from '../support/storage.ts'

const SURFACE = 'surface:org_default'

describe('The gateway that is published', () => {
  let rollcall: Rollcall
  let notion: string
  let memory: string
  before(async () => {
    rollcall = await startRollcall()
    await rollcall.admin('GET', '/servers')
    await untilTold(rollcall)
  })
  after(() => rollcall.close())

  const surface = async () => {
    await untilTold(rollcall)
    const found = await publishedSurface(rollcall)
    assert.ok(found?.surface)
    return { ...found.surface, tools: found.items('tools').map(({ name }) => name), catalog: found }
  }
  const version = async (key = SURFACE) =>
    Number((await publications(rollcall)).get(key)?.['version'] ?? 0)
  const admin = async (method: string, path: string, body?: unknown) => {
    await forgetWhenPublished(rollcall)
    const answer = await rollcall.admin(method, path, body)
    assert.ok(answer.status < 300, answer.text)
    return answer.json
  }

  it('is there from the beginning, empty', async () => {
    const { catalog, ...rest } = await surface()
    assert.deepEqual(rest, {
      status: 'active',
      features: { approvals: false, connectLinks: false, feedback: false },
      settings: {},
      capabilities: [],
      shared: [],
      environments: {},
      tools: [],
    })
    assert.deepEqual([catalog.id, catalog.organization], ['surface', 'org_default'])
  })

  it('has the active tools of its servers, by capability and then in their order', async () => {
    notion = (await createServer(rollcall, connectorFile('notion', ['write', 'read']))).id
    memory = (
      await createServer(rollcall, serverFile('M', [tool('search')], { gateway: 'memory' }))
    ).id
    await createServer(rollcall, serverFile('Not', [tool('hidden')]))
    const draft = serverFile('D', [tool('later')], { gateway: 'draft', status: 'draft' })
    await createServer(rollcall, draft)
    const { tools, capabilities, catalog } = await surface()
    assert.deepEqual(tools, ['memory__search', 'notion__write', 'notion__read'])
    assert.deepEqual(capabilities, [
      { id: 'memory', server: memory, account: 'none', kind: 'hosted' },
      { id: 'notion', server: notion, account: 'required', kind: 'hosted' },
    ])
    const item = catalog.find('tools', 'notion__read')
    assert.ok(item)
    assert.deepEqual(catalog.binding(item), { server: notion, tool: 'read', account: 'required' })
    await admin('PATCH', `/servers/${notion}/tools/write`, { status: 'paused' })
    assert.deepEqual((await surface()).tools, ['memory__search', 'notion__read'])
    await admin('PATCH', `/servers/${notion}/tools/write`, { status: 'active' })
  })

  it('shows a remote server as org__<slug>, and follows what is read of it', async () => {
    const file = remoteFile('CRM', { hosted: false, gateway: true })
    const { id } = await createServer(rollcall, file)
    await applySnapshot(rollcall, id, snapshot([remoteTool('find'), remoteTool('a__b')]))
    const { tools, capabilities } = await surface()
    assert.deepEqual(tools.slice(-2), ['org__crm__find', 'org__crm__a__b'])
    assert.partialDeepStrictEqual(capabilities.at(-1), {
      id: 'org__crm',
      server: id,
      kind: 'remote',
    })
    await admin('PATCH', `/servers/${id}`, { status: 'paused' })
    assert.deepEqual((await surface()).tools, ['memory__search', 'notion__write', 'notion__read'])
  })

  it('is made anew by each change that touches it, and told to its listeners', async () => {
    const team = await make(rollcall, '/accounts', accountOf(notion, 'team'))
    const changes: [string, string, unknown?][] = [
      ['PATCH', '/settings', { features: { feedback: true } }],
      ['PATCH', '/settings', { capabilities: { memory: false } }],
      ['PUT', '/environments/support', { entries: [{ server: notion, tools: ['read'] }] }],
      ['POST', '/grants', { account: team.id, to: 'everybody', tools: ['read'] }],
      ['PATCH', '/organizations/default', { status: 'suspended' }],
      ['PUT', `/servers/${memory}/tools/more`, tool('more')],
      ['PATCH', `/servers/${memory}`, { gateway: 'mind' }],
    ]
    for (const [method, path, body] of changes) {
      const before_ = await version()
      await admin(method, path, body)
      assert.equal(await version(), before_ + 1, `${method} ${path}`)
    }
    const { status, features, settings, shared, environments, tools, catalog } = await surface()
    assert.equal(status, 'suspended')
    assert.equal(features.feedback, true)
    assert.deepEqual(settings, { memory: false })
    assert.deepEqual(shared, [{ account: team.id, server: notion, tools: ['read'] }])
    assert.deepEqual(environments, { support: [{ server: notion, tools: ['read'] }] })
    assert.deepEqual(tools, ['mind__search', 'mind__more', 'notion__write', 'notion__read'])
    assert.equal(catalog.revision, await version())
  })

  it('says of an account that everybody shares whether it is a member’s own', async () => {
    const { principal: owner } = await make(rollcall, '/keys', { kind: 'member', name: 'ann' })
    const own = await make(
      rollcall,
      '/accounts',
      accountOf(notion, 'alias-of-ann', { owner, identity: 'ann@example.com' }),
    )
    await make(rollcall, '/grants', { account: own.id, to: 'everybody' })
    await forgetWhenPublished(rollcall)
    const { shared } = await surface()
    assert.deepEqual(
      shared.find(({ account }) => account === own.id),
      { account: own.id, server: notion, membersOnly: true },
    )
    const kv = JSON.stringify([...(await dumpKv(rollcall))])
    for (const word of ['token-of', 'alias-of-ann', 'ann@example.com']) {
      assert.ok(!kv.includes(word), `${word} is in KV`)
    }
  })

  it('stays as it is for what is one principal’s, which is one put of that', async () => {
    const { principal: id } = await make(rollcall, '/keys', { kind: 'member', name: 'bea' })
    await untilTold(rollcall)
    const before_ = await version()
    const account = await make(rollcall, '/accounts', accountOf(notion, 'bea', { owner: id }))
    const own = `principal:${id}`
    const first = await version(own)
    for (const patch of [
      { state: 'needs_reauth' },
      { alias: 'b' },
      { credential: { token: 'x' } },
    ]) {
      await admin('PATCH', `/accounts/${account.id}`, patch)
    }
    assert.equal(await version(own), first, 'state, alias and credential are not published')
    const [team] = (await admin('GET', '/accounts?owner=organization')).items
    const grant = await make(rollcall, '/grants', { account: team.id, to: { member: id } })
    assert.equal(await version(own), first + 1)
    await untilTold(rollcall)
    const { principal } = JSON.parse(`{"principal":${(await dumpKv(rollcall)).get(own) ?? 'null'}}`)
    assert.deepEqual(
      principal.accounts,
      [
        { account: account.id, server: notion, own: true },
        { account: team.id, server: notion, own: false },
      ].toSorted((one, other) => (one.account < other.account ? -1 : 1)),
    )
    await admin('DELETE', `/grants/${grant.id}`)
    await admin('DELETE', `/accounts/${account.id}`)
    assert.equal(await version(own), first + 3)
    assert.equal(await version(), before_)
  })

  it('refuses what does not fit: a capability twice, names with "__", accounts in the open', async () => {
    const post = (file: object) => rollcall.admin('POST', '/servers', file)
    const taken = await post(serverFile('N2', [], { gateway: 'notion' }))
    assert.deepEqual(refusal(taken), { status: 409, code: 'capability_taken' })
    const patched = await rollcall.admin('PATCH', `/servers/${memory}`, { gateway: 'notion' })
    assert.deepEqual(refusal(patched), { status: 409, code: 'capability_taken' })
    for (const gateway of ['manage', 'org', 'Notion', 'a_b', '-a', false, 'x'.repeat(33)]) {
      assert.deepEqual(wrongFields(await post(serverFile('W', [], { gateway }))), ['gateway'])
    }
    const parted = serverFile('P', [tool('fine'), tool('a__b')], { gateway: 'parted' })
    assert.deepEqual(wrongFields(await post(parted)), ['tools[1].name'])
    const put = await rollcall.admin('PUT', `/servers/${memory}/tools/a__b`, tool('a__b'))
    assert.deepEqual(wrongFields(put), ['name'])
    const off = (await post(serverFile('P', [tool('a__b')]))).json
    const shown = await rollcall.admin('PATCH', `/servers/${off.id}`, { gateway: true })
    assert.deepEqual(wrongFields(shown), ['tools.a__b.name'])
    assert.deepEqual(wrongFields(await post(serverFile('O', [], { account: 'required' }))), [
      'auth',
    ])
    const token = { account: 'token' }
    const http = { kind: 'http', url: 'https://example.com/', auth: { type: 'bearer', token } }
    const user = tool('user', { handler: http })
    assert.deepEqual(wrongFields(await post(serverFile('U', [user], { auth: 'key' }))), ['account'])
    const used = await post(serverFile('U', [user], { auth: 'key', account: 'required' }))
    assert.equal(used.status, 201, used.text)
    const none = await rollcall.admin('PATCH', `/servers/${used.json.id}`, { account: 'none' })
    assert.deepEqual(wrongFields(none), ['account'])
    const added = await rollcall.admin('PUT', `/servers/${off.id}/tools/user`, user)
    assert.deepEqual(wrongFields(added), ['account'])
    const remote = { url: 'https://127.0.0.1:9/', auth: { type: 'bearer', token } }
    assert.deepEqual(wrongFields(await post({ name: 'R', kind: 'remote', remote })), ['account'])
  })

  it('leaves defaults out of answers, and a copy off the gateway', async () => {
    const plain = await createServer(rollcall, serverFile('Plain', [], { account: 'none' }))
    assert.ok(!('account' in plain) && !('gateway' in plain))
    const copy = await admin('POST', `/servers/${notion}/duplicate`)
    assert.deepEqual([copy.account, copy.gateway], ['required', undefined])
    const { json } = await rollcall.admin('GET', `/servers/${notion}/export`)
    assert.deepEqual([json.account, json.gateway], ['required', 'notion'])
  })

  it('has at most 20,000 tools: the write that would go over is refused', async () => {
    await createOrganization(rollcall, 'many')
    const there = inOrganization('many')
    const many = (gateway: string, count: number) => {
      const tools = Array.from({ length: count }, (_, n) => tool(`t${n}`))
      return rollcall.admin('POST', '/servers', serverFile(gateway, tools, { gateway }), there)
    }
    assert.equal((await many('one', 15_000)).status, 201)
    const over = await many('two', 5001)
    assert.deepEqual(refusal(over), { status: 413, code: 'surface_too_large' })
    const { json } = await rollcall.admin('GET', '/servers', undefined, there)
    assert.equal(json.items.length, 1)
    assert.equal((await many('two', 5000)).status, 201)
  })

  it('goes with its organization', async () => {
    const { id } = await createOrganization(rollcall, 'short-lived')
    await untilTold(rollcall, id)
    assert.ok(await publishedSurface(rollcall, id))
    assert.equal((await rollcall.admin('DELETE', '/organizations/short-lived')).status, 204)
    const kv = await eventually(
      () => dumpKv(rollcall),
      (all) => all.get(`surface:${id}`)?.includes('"deleted":true') === true,
    )
    assert.ok(kv.get(`surface:${id}`))
  })
})

describe('An organization of 10,000 members', () => {
  let rollcall: Rollcall
  let notion: string
  before(async () => {
    rollcall = await startRollcall()
    notion = (await createServer(rollcall, connectorFile('notion', ['read']))).id
    await inDatabase(
      rollcall,
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
       INSERT INTO principals
         SELECT 'mem_' || i, 'member', 'Member ' || i, NULL, NULL, 'member', '[]', '{}', 'active', 1, 0, 0, NULL
         FROM n`,
    )
    await inDatabase(
      rollcall,
      `INSERT INTO accounts (
           id, server, owner, alias, identity, state, sealed, created_at, updated_at)
         SELECT 'acc_' || id, '${notion}', id, 'alias ' || id, NULL, 'connected', 'v1.k1.x.y', 0, 0
         FROM principals`,
    )
    await untilTold(rollcall)
  })
  after(() => rollcall.close())

  it('tells KV of one account with one put, and no value grows with the members', async () => {
    const sizes = async () =>
      new Map([...(await dumpKv(rollcall))].map(([key, { length }]) => [key, length]))
    const before_ = await sizes()
    const versions = await publications(rollcall)
    await make(rollcall, '/accounts', accountOf(notion, 'second', { owner: 'mem_5000' }))
    const told = await untilTold(rollcall)
    const changed = [...told].filter(
      ([key, { version }]) => versions.get(key)?.['version'] !== version,
    )
    assert.deepEqual(
      changed.map(([key]) => key),
      ['principal:mem_5000'],
    )
    const after_ = await sizes()
    assert.deepEqual(
      [...after_.keys()].filter((key) => !before_.has(key)),
      ['principal:mem_5000'],
    )
    for (const [key, size] of before_) assert.equal(after_.get(key), size, key)
    for (const [key, size] of after_) assert.ok(size < 2000, `${key} has ${size} bytes`)
  })
})
