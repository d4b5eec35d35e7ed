/** Accounts, grants and environments, as who administers and as members. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  allItems,
  createOrganization,
  createServer,
  inOrganization,
  refusal,
  wrongFields,
} from '../support/admin.ts'
import { as, listedIds, makePrincipal, type Principal } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'
import { accountOf, connectorFile, make } from '../support/gateway.ts'
import { SEAL_KEYS, startRollcall, type Rollcall } from '../support/rollcall.ts'
import { serverFile, tool } from '../support/servers.ts'
import { dumpDatabase, dumpKv, inDatabase } from '../support/storage.ts'

const K2 = `k2:${Buffer.alloc(32, 2).toString('base64')}`
const HUSH = 'hush-hush-sweet-credential'

describe('accounts', () => {
  let rollcall: Rollcall
  let notion: string
  let twitter: string
  let open: string
  let ann: Principal
  let bob: Principal
  let bot: Principal
  before(async () => {
    rollcall = await startRollcall()
    notion = (await createServer(rollcall, connectorFile('notion', ['read', 'write']))).id
    twitter = (await createServer(rollcall, connectorFile('twitter', ['post']))).id
    open = (await createServer(rollcall, serverFile('Open', [tool('a')], { gateway: 'open' }))).id
    ann = await makePrincipal(rollcall, 'member', 'ann')
    bob = await makePrincipal(rollcall, 'member', 'bob')
    bot = await makePrincipal(rollcall, 'agent', 'bot')
  })
  after(() => rollcall.close())

  const account = (server: string, alias: string, members: object = {}) =>
    make(rollcall, '/accounts', accountOf(server, alias, members))
  const get = (path: string, headers = {}) => rollcall.admin('GET', path, undefined, headers)
  const idsOf = (path: string, headers = {}) => listedIds(rollcall, path, headers)

  it('are stored, answered without their credential, changed and deleted', async () => {
    const credential = { token: HUSH, 'refresh-token': `${HUSH}-2` }
    const made = await rollcall.admin('POST', '/accounts', {
      server: notion,
      alias: ' work ',
      identity: 'ann@example.com',
      owner: ann.id,
      credential,
    })
    assert.equal(made.status, 201, made.text)
    const { id, createdAt, updatedAt, ...rest } = made.json
    assert.match(id, /^acc_[0-9a-f]{20}$/)
    assert.equal(createdAt, updatedAt)
    assert.deepEqual(rest, {
      server: notion,
      owner: ann.id,
      alias: 'work',
      identity: 'ann@example.com',
      state: 'connected',
    })
    assert.equal(made.headers.get('location'), `/api/v1/accounts/${id}`)
    assert.deepEqual((await get(`/accounts/${id}`)).json, made.json)
    const patch = { alias: 'home', identity: null, state: 'needs_reauth' }
    const patched = await rollcall.admin('PATCH', `/accounts/${id}`, patch)
    assert.equal(patched.status, 200)
    assert.partialDeepStrictEqual(patched.json, { ...patch, id, owner: ann.id })
    const again = await rollcall.admin('PATCH', `/accounts/${id}`, { credential: { token: 'x' } })
    assert.equal(again.json.state, 'connected', 'another credential connects it')
    assert.equal((await rollcall.admin('DELETE', `/accounts/${id}`)).status, 204)
    const gone = { status: 404, code: 'account_not_found' }
    assert.deepEqual(refusal(await get(`/accounts/${id}`)), gone)
    assert.deepEqual(refusal(await rollcall.admin('DELETE', `/accounts/${id}`)), gone)
  })

  it('keep their credentials out of the database, KV, the audit log and every answer', async () => {
    const { id } = await account(notion, 'secret', { credential: { token: HUSH } })
    await rollcall.admin('PATCH', `/accounts/${id}`, { credential: { token: `${HUSH}!` } })
    const texts = [
      await dumpDatabase(rollcall),
      JSON.stringify([...(await dumpKv(rollcall))]),
      (await get('/audit?limit=1000')).text,
      (await get('/accounts')).text,
      (await get(`/servers/${notion}/export`)).text,
      JSON.stringify(rollcall.harness.getLogs()),
    ]
    for (const text of texts) assert.ok(!text.includes(HUSH))
    const { json } = await get('/audit?limit=1000')
    const acts = new Set(json.items.map(({ act }: { act: string }) => act))
    for (const act of ['accounts.create', 'accounts.patch', 'accounts.delete']) {
      assert.ok(acts.has(act), act)
    }
    await rollcall.admin('DELETE', `/accounts/${id}`)
  })

  it('are not written where a change is none', async () => {
    const made = await account(notion, 'steady', { identity: 'me' })
    const patch = { alias: 'steady', identity: 'me', state: 'connected' }
    const newest = async () => (await get('/audit?limit=1')).json.items[0]
    const before_ = await newest()
    for (const body of [patch, {}]) {
      const { status, json } = await rollcall.admin('PATCH', `/accounts/${made.id}`, body)
      assert.deepEqual([status, json], [200, made])
    }
    assert.deepEqual(await newest(), before_)
    await rollcall.admin('DELETE', `/accounts/${made.id}`)
  })

  it('are listed page by page, by server and by owner', async () => {
    const team = await account(notion, 'team')
    const anns = await account(twitter, 'ann', { owner: ann.id })
    const bobs = await account(twitter, 'bob', { owner: bob.id })
    const ids: string[] = [team.id, anns.id, bobs.id]
    const all = ids.toSorted()
    assert.deepEqual(await idsOf('/accounts'), all)
    const paged = await allItems(rollcall, '/accounts', 1)
    assert.deepEqual(
      paged.map(({ id }) => id),
      all,
    )
    assert.deepEqual(await idsOf(`/accounts?server=${notion}`), [team.id])
    assert.deepEqual(await idsOf(`/accounts?owner=${ann.id}`), [anns.id])
    assert.deepEqual(await idsOf('/accounts?owner=organization'), [team.id])
    assert.deepEqual(await idsOf('/accounts', as(ann)), [anns.id], 'a member sees its own')
    assert.deepEqual(await idsOf(`/accounts?owner=${bob.id}`, as(ann)), [anns.id])
    const agents = { status: 403, code: 'member_principal_required' }
    assert.deepEqual(refusal(await get('/accounts', as(bot))), agents)
  })

  // A refusal told a member that somebody else had an account of that alias.
  it('have aliases that are theirs alone among those of their owner on their server', async () => {
    const taken = { status: 409, code: 'alias_taken' }
    const again = accountOf(twitter, 'ann', { owner: ann.id })
    assert.deepEqual(refusal(await rollcall.admin('POST', '/accounts', again)), taken)
    const team = await account(twitter, 'ann')
    const organizations = await rollcall.admin('POST', '/accounts', accountOf(twitter, 'ann'))
    assert.deepEqual(refusal(organizations), taken)
    await account(notion, 'ann')
    const mine = await account(twitter, 'mine', { owner: bob.id })
    const rename = (alias: string) => rollcall.admin('PATCH', `/accounts/${mine.id}`, { alias })
    assert.deepEqual(refusal(await rename('bob')), taken)
    assert.equal((await rename('ann')).status, 200)
    for (const { id } of [team, mine]) await rollcall.admin('DELETE', `/accounts/${id}`)
  })

  it('name every wrong field, and what they refer to that is not there', async () => {
    const wrong = async (members: object) =>
      wrongFields(
        await rollcall.admin('POST', '/accounts', { ...accountOf(notion, 'w'), ...members }),
      )
    assert.deepEqual(await wrong({ server: open }), ['server'])
    assert.deepEqual(await wrong({ server: '00000000000000ff' }), ['server'])
    assert.deepEqual(await wrong({ owner: 'mem_made_up' }), ['owner'])
    assert.deepEqual(await wrong({ owner: bot.id }), ['owner'])
    assert.deepEqual(await wrong({ alias: 'a\nb', state: 'lost' }), ['alias', 'state'])
    assert.deepEqual(await wrong({ credential: {} }), ['credential'])
    assert.deepEqual(await wrong({ credential: { token: '' } }), ['credential.token'])
    const text = await rollcall.admin(
      'POST',
      '/accounts',
      accountOf(notion, 'w', { credential: HUSH }),
    )
    assert.deepEqual(wrongFields(text), ['credential'])
    assert.ok(!text.text.includes(HUSH))
  })

  it('are shared with a member, an agent or everybody, once with each', async () => {
    const [team] = await idsOf('/accounts?owner=organization')
    const [anns] = await idsOf(`/accounts?owner=${ann.id}`)
    const share = (account_: string, to: unknown, members: object = {}) =>
      rollcall.admin('POST', '/grants', { account: account_, to, ...members })
    const first = await share(team, { member: ann.id }, { tools: ['read'] })
    assert.equal(first.status, 201, first.text)
    const { id, createdAt: _, ...rest } = first.json
    assert.match(id, /^gra_/)
    assert.deepEqual(rest, { account: team, to: { member: ann.id }, tools: ['read'] })
    assert.deepEqual((await get(`/grants/${id}`)).json, first.json)
    assert.equal((await share(team, { agent: bot.id })).status, 201)
    assert.equal((await share(team, 'everybody')).status, 201)
    const again = await share(team, { member: ann.id })
    assert.deepEqual(refusal(again), { status: 409, code: 'already_granted' })
    assert.deepEqual(wrongFields(await share('acc_made_up', 'everybody')), ['account'])
    assert.deepEqual(wrongFields(await share(team, { member: bot.id })), ['to.member'])
    assert.deepEqual(wrongFields(await share(team, { agent: ann.id })), ['to.agent'])
    assert.deepEqual(wrongFields(await share(anns, { member: ann.id })), ['to.member'])
    assert.deepEqual(wrongFields(await share(anns, { agent: bot.id })), ['to.agent'])
    assert.deepEqual(wrongFields(await share(team, 'nobody')), ['to'])
    assert.deepEqual(wrongFields(await share(team, { member: bob.id }, { tools: ['no name'] })), [
      'tools[0]',
    ])
    assert.equal((await get(`/grants?account=${team}`)).json.items.length, 3)
  })

  it('stand in environments, with entries that are all there', async () => {
    const [team] = await idsOf(`/accounts?owner=organization&server=${notion}`)
    const entries = [{ server: notion, account: team, tools: ['read'] }, { server: twitter }]
    const made = await rollcall.admin('POST', '/environments', { name: 'support', entries })
    assert.equal(made.status, 201, made.text)
    assert.deepEqual([made.json.name, made.json.entries], ['support', entries])
    const taken = await rollcall.admin('POST', '/environments', { name: 'support', entries: [] })
    assert.deepEqual(refusal(taken), { status: 409, code: 'environment_taken' })
    const put = (name: string, list: unknown[]) =>
      rollcall.admin('PUT', `/environments/${name}`, { entries: list })
    assert.equal((await put('other', [])).status, 201)
    assert.equal((await put('other', [{ server: twitter }])).status, 200)
    assert.equal((await get('/environments')).json.items.length, 2)
    assert.deepEqual(wrongFields(await put('no.name', [])), ['name'])
    assert.deepEqual(wrongFields(await put('__proto__', [])), ['name'])
    assert.deepEqual(
      wrongFields(
        await put('wrong', [
          { server: '00000000000000ff' },
          { server: open },
          { server: twitter, account: team },
          { server: notion },
          { server: notion, account: team },
        ]),
      ),
      ['entries[0].server', 'entries[1].server', 'entries[2].account', 'entries[4]'],
    )
    const refused = await rollcall.admin('PUT', '/environments/other', { entries: [] }, as(ann))
    assert.deepEqual(refusal(refused), { status: 403, code: 'admin_required' })
    assert.equal((await rollcall.admin('DELETE', '/environments/other')).status, 204)
    const gone = await get('/environments/other')
    assert.deepEqual(refusal(gone), { status: 404, code: 'environment_not_found' })
  })

  it('go with what they are of: an account with its grants and entries, a server, a member', async () => {
    const [team] = await idsOf(`/accounts?owner=organization&server=${notion}`)
    await rollcall.admin('DELETE', `/accounts/${team}`)
    assert.deepEqual(await idsOf(`/grants?account=${team}`), [])
    assert.deepEqual((await get('/environments/support')).json.entries, [{ server: twitter }])
    const [bobs] = await idsOf(`/accounts?owner=${bob.id}`)
    await make(rollcall, '/grants', { account: bobs, to: { member: ann.id } })
    assert.equal((await rollcall.admin('DELETE', `/members/${bob.id}`)).status, 204)
    assert.deepEqual(await idsOf(`/accounts?owner=${bob.id}`), [])
    const left = await rollcall.admin('PATCH', `/servers/${twitter}`, { account: null })
    assert.deepEqual(refusal(left), { status: 409, code: 'accounts_left' })
    assert.equal((await rollcall.admin('DELETE', `/servers/${twitter}`)).status, 204)
    assert.deepEqual(await idsOf(`/accounts?server=${twitter}`), [])
    assert.deepEqual(await idsOf('/grants'), [])
    assert.deepEqual((await get('/environments/support')).json.entries, [])
  })

  it('of another organization are answered like made-up ones', async () => {
    await createOrganization(rollcall, 'other')
    const there = inOrganization('other')
    const { id } = await account(notion, 'here')
    assert.deepEqual(await idsOf('/accounts', there), [])
    const paths = [`/accounts/${id}`, `/accounts/acc_${'0'.repeat(20)}`]
    const [theirs, madeUp] = await Promise.all(paths.map((path) => get(path, there)))
    assert.deepEqual(refusal(theirs!), refusal(madeUp!))
    const post = (path: string, body: object) => rollcall.admin('POST', path, body, there)
    assert.deepEqual(wrongFields(await post('/accounts', accountOf(notion, 'x'))), ['server'])
    assert.deepEqual(wrongFields(await post('/grants', { account: id, to: 'everybody' })), [
      'account',
    ])
    const entries = [{ server: notion }]
    assert.deepEqual(wrongFields(await post('/environments', { name: 'e', entries })), [
      'entries[0].server',
    ])
  })

  // The last: it changes the keys of this Rollcall.
  it('have their credentials sealed anew when a new key is put first', async () => {
    await account(notion, 'old')
    const rows = () => inDatabase(rollcall, 'SELECT id, sealed FROM accounts')
    for (const { sealed } of await rows()) assert.match(String(sealed), /^v1\.k1\./)
    await rollcall.harness.update(({ workers, ...options }) => ({
      ...options,
      workers: workers.map((worker) =>
        'configPath' in worker
          ? { ...worker, secrets: { ...worker.secrets, SEAL_KEYS: `${K2},${SEAL_KEYS}` } }
          : worker,
      ),
    }))
    assert.equal((await get('/accounts')).status, 200)
    await eventually(rows, (all) => all.every(({ sealed }) => String(sealed).startsWith('v1.k2.')))
  })
})
