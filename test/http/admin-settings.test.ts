/** What an organization switches, and what the operator switches off of it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { as, makePrincipal, type Principal } from '../support/accounts.ts'
import { refusal, wrongFields } from '../support/admin.ts'
import { startRollcall, type Rollcall } from '../support/rollcall.ts'

describe('accounts', () => {
  let rollcall: Rollcall
  let ann: Principal
  before(async () => {
    rollcall = await startRollcall()
    ann = await makePrincipal(rollcall, 'member', 'ann')
  })
  after(() => rollcall.close())

  const get = (path: string, headers = {}) => rollcall.admin('GET', path, undefined, headers)

  it('have an organization that switches features and capabilities', async () => {
    const none = { approvals: false, connectLinks: false, feedback: false }
    const approvals = { rules: [], default: 'run' }
    assert.deepEqual((await get('/settings')).json, { features: none, capabilities: {}, approvals })
    const patch = (body: object, headers = {}) =>
      rollcall.admin('PATCH', '/settings', body, headers)
    const capabilities = { notion: false, twitter: { post: false } }
    const on = await patch({ features: { feedback: true }, capabilities })
    assert.deepEqual(on.json, { features: { ...none, feedback: true }, capabilities, approvals })
    const back = await patch({ capabilities: { notion: null }, features: { approvals: true } })
    assert.deepEqual(back.json, {
      features: { ...none, feedback: true, approvals: true },
      capabilities: { twitter: { post: false } },
      approvals,
    })
    assert.deepEqual((await get('/settings', as(ann))).json, back.json)
    assert.deepEqual(refusal(await patch({}, as(ann))), { status: 403, code: 'admin_required' })
    assert.deepEqual(
      wrongFields(await patch({ features: { more: true }, capabilities: { a: 1 } })),
      ['features.more', 'capabilities.a'],
    )
  })

  it('have an organization with rules on calls, which are written whole', async () => {
    const patch = (body: object) => rollcall.admin('PATCH', '/settings', body)
    const approvals = {
      rules: [
        {
          match: {
            server: 'bank',
            tool: 'pay*',
            annotations: { readOnlyHint: false },
            arguments: { '/amount': { atLeast: 100 }, '/to': 'ann' },
            caller: 'agent',
          },
          effect: 'ask',
        },
      ],
      default: 'refuse',
    }
    const { features } = (await get('/settings')).json
    const written = await patch({ approvals })
    assert.deepEqual(written.json.approvals, approvals)
    assert.deepEqual(written.json.features, features)
    assert.deepEqual((await patch({ features: {} })).json.approvals, approvals)
    assert.deepEqual((await get('/settings')).json.approvals, approvals)
    const rule = { match: { sever: 'x', arguments: { amount: 1 } }, effect: 'allow' }
    assert.deepEqual(
      wrongFields(await patch({ approvals: { rules: [rule], more: 1 } })).toSorted(),
      [
        'approvals.default',
        'approvals.more',
        'approvals.rules[0].effect',
        'approvals.rules[0].match.arguments.amount',
        'approvals.rules[0].match.sever',
      ],
    )
    assert.deepEqual((await patch({ approvals: null })).json.approvals, {
      rules: [],
      default: 'run',
    })
  })

  it('have an organization that the operator suspends', async () => {
    const patch = (status: string, headers = {}) =>
      rollcall.admin('PATCH', '/organizations/default', { status }, headers)
    assert.equal((await patch('suspended')).json.status, 'suspended')
    assert.equal((await get('/organizations/default')).json.status, 'suspended')
    assert.equal((await patch('active')).json.status, 'active')
    assert.deepEqual(wrongFields(await patch('gone')), ['status'])
    assert.deepEqual(wrongFields(await rollcall.admin('PATCH', '/organizations/default', {})), [''])
    assert.equal((await patch('suspended', as(ann))).status, 403)
  })
})
