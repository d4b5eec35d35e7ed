/** Accounts of members: who may make, change and share them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { as, listedIds, makePrincipal, type Principal } from '../support/accounts.ts'
import { createServer, refusal, wrongFields } from '../support/admin.ts'
import { accountOf, connectorFile, make } from '../support/gateway.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

describe('accounts', () => {
  let rollcall: Rollcall
  let notion: string
  let ann: Principal
  let bob: Principal
  let bot: Principal
  before(async () => {
    rollcall = await startRollcall()
    notion = (await createServer(rollcall, connectorFile('notion', ['read', 'write']))).id
    ann = await makePrincipal(rollcall, 'member', 'ann')
    bob = await makePrincipal(rollcall, 'member', 'bob')
    bot = await makePrincipal(rollcall, 'agent', 'bot')
  })
  after(() => rollcall.close())

  const account = (server: string, alias: string, members: object = {}) =>
    make(rollcall, '/accounts', accountOf(server, alias, members))
  const get = (path: string, headers = {}) => rollcall.admin('GET', path, undefined, headers)
  const idsOf = (path: string, headers = {}) => listedIds(rollcall, path, headers)

  it('of a member are changed by the member; those of others are not there', async () => {
    const mine = await rollcall.admin(
      'POST',
      '/accounts',
      accountOf(notion, 'mine', { owner: ann.id }),
      as(ann),
    )
    assert.equal(mine.status, 201, mine.text)
    const path = `/accounts/${mine.json.id}`
    const patch = (caller: { key: string }) =>
      rollcall.admin('PATCH', path, { alias: 'm' }, as(caller))
    assert.equal((await patch(ann)).status, 200)
    assert.deepEqual(refusal(await patch(bob)), { status: 404, code: 'account_not_found' })
    const agents = { status: 403, code: 'member_principal_required' }
    assert.deepEqual(refusal(await patch(bot)), agents)
    for (const [owner, code] of [
      [null, 'admin_required'],
      [bob.id, 'operator_required'],
    ] as const) {
      const theirs = accountOf(notion, 'theirs', { owner })
      const refused = await rollcall.admin('POST', '/accounts', theirs, as(ann))
      assert.deepEqual(refusal(refused), { status: 403, code })
    }
    const share = (caller: { key: string }) =>
      rollcall.admin(
        'POST',
        '/grants',
        { account: mine.json.id, to: { member: bob.id } },
        as(caller),
      )
    assert.deepEqual(wrongFields(await share(bob)), ['account'])
    const grant = await share(ann)
    assert.equal(grant.status, 201, grant.text)
    assert.deepEqual(await idsOf('/grants', as(ann)), [grant.json.id])
    assert.deepEqual(await idsOf('/grants', as(bob)), [])
    const revoke = (caller: { key: string }) =>
      rollcall.admin('DELETE', `/grants/${grant.json.id}`, undefined, as(caller))
    assert.deepEqual(refusal(await revoke(bob)), { status: 404, code: 'grant_not_found' })
    assert.equal((await revoke(ann)).status, 204)
    assert.equal((await rollcall.admin('DELETE', path, undefined, as(ann))).status, 204)
  })

  // An admin could share a member's account with itself, or put its own credential into it.
  it('of a member are nobody’s to make, change or share but its and the operator’s', async () => {
    const key = { name: 'adm', kind: 'member', role: 'admin' }
    const { principal: id, secret } = await make(rollcall, '/keys', key)
    const { token } = await make(rollcall, `/members/${id}/session`, {})
    const anns = await account(notion, 'hers', { owner: ann.id })
    const path = `/accounts/${anns.id}`
    const refused = { status: 403, code: 'operator_required' }
    const attempts: [method: string, at: string, body: object][] = [
      ['POST', '/grants', { account: anns.id, to: { member: id } }],
      ['PATCH', path, { credential: { token: 'mine' } }],
      ['PATCH', path, { alias: 'x' }],
      ['POST', '/accounts', accountOf(notion, 'planted', { owner: ann.id })],
    ]
    for (const credential of [secret, token]) {
      for (const [method, at, body] of attempts) {
        const answer = await rollcall.admin(method, at, body, as({ key: credential }))
        assert.deepEqual(refusal(answer), refused, `${method} ${at}`)
      }
      assert.deepEqual((await get(path, as({ key: credential }))).json, anns)
      assert.ok((await idsOf('/accounts', as({ key: credential }))).includes(anns.id))
    }
    const made: string[] = []
    for (const [method, at, body] of attempts) {
      const { status, text, json } = await rollcall.admin(method, at, body)
      assert.ok(status < 300, text)
      made.push(json.id)
    }
    const end = (at: string) => rollcall.admin('DELETE', at, undefined, as({ key: secret }))
    assert.equal((await end(`/grants/${made[0]}`)).status, 204)
    for (const each of [anns.id, made.at(-1)]) {
      assert.equal((await end(`/accounts/${each}`)).status, 204)
    }
    assert.equal((await rollcall.admin('DELETE', `/members/${id}`)).status, 204)
  })
})
