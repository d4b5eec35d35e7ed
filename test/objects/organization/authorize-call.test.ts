import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  authorizeCall,
  type CallToAuthorize,
} from '../../../src/objects/organization/authorize-call.ts'
import { writeKey } from '../../../src/objects/organization/credentials.ts'
import {
  createGrant,
  deleteEnvironment,
  putEnvironment,
} from '../../../src/objects/organization/grant-commands.ts'
import { setStatus } from '../../../src/objects/organization/settings-commands.ts'
import { readUsage } from '../../../src/objects/organization/usage.ts'
import { createGateway, MEMORY, NOTION, NOW, REMOTE } from '../../support/gateway-sql.ts'

const WRITE = { actor: 'test' }
const DAY_MS = 86_400_000

function setUp() {
  const gateway = createGateway()
  const { context, sql } = gateway
  const call = (members: Partial<CallToAuthorize> = {}, now = NOW) => {
    const principal = members.principal ?? 'mem_a'
    const wanted = { credential: principal, principal, server: NOTION, tool: 'write', ...members }
    return authorizeCall({ ...context, now }, wanted)
  }
  const outcome = (members: Partial<CallToAuthorize> = {}, now = NOW) => {
    const answer = call(members, now)
    if (typeof answer === 'string') return answer
    return 'refused' in answer ? answer.refused.code : (answer.account?.id ?? 'allowed')
  }
  const key = (id: string, members: object = {}) =>
    writeKey(
      sql,
      { id, kind: 'member', name: id, principal: 'mem_a', hash: id, lastFour: '', ...members },
      NOW,
    )
  return { ...gateway, call, outcome, key }
}

describe('A call on the gateway', () => {
  it('is made with the own account, and names what the edge must be no older than', () => {
    const { call, account } = setUp()
    account('a', 'mem_a')
    account('b', 'mem_b')
    assert.deepEqual(call(), {
      revision: 1,
      surface: 3,
      version: 1,
      account: { id: 'acc_a', sealed: 'sealed a' },
    })
  })

  it('needs no account on a server without them', () => {
    const { call } = setUp()
    const { account, ...rest } = call({ server: MEMORY, tool: 'search' }) as { account?: unknown }
    assert.equal(account, undefined)
    assert.deepEqual(rest, { revision: 1, surface: 3, version: 1 })
  })

  it('is refused without an account: those of others and of the organization are nobody else’s', () => {
    const { outcome, account } = setUp()
    account('b', 'mem_b')
    account('team', null)
    assert.equal(outcome(), 'not_connected')
  })

  it('is made with an account that was shared with it, for its tools', () => {
    const { outcome, account, context } = setUp()
    const team = account('team', null)
    createGrant(
      context,
      { id: 'gra_1', account: team, to: { member: 'mem_a' }, tools: ['read'] },
      WRITE,
    )
    assert.equal(outcome({ tool: 'read' }), 'acc_team')
    assert.equal(outcome({ tool: 'write' }), 'tool_not_granted')
    assert.equal(outcome({ tool: 'read', principal: 'mem_b' }), 'not_connected')
    createGrant(context, { id: 'gra_2', account: team, to: 'everybody' }, WRITE)
    assert.equal(outcome({ tool: 'write' }), 'acc_team')
    assert.equal(outcome({ tool: 'write', principal: 'agt_c' }), 'acc_team')
  })

  it('of an agent is never made with the account of a member', () => {
    const { outcome, account, context } = setUp()
    const own = account('a', 'mem_a')
    createGrant(context, { id: 'gra_1', account: own, to: 'everybody' }, WRITE)
    assert.equal(outcome({ principal: 'mem_b' }), 'acc_a')
    assert.equal(outcome({ principal: 'agt_c' }), 'not_connected')
    const toAgent = { id: 'gra_2', account: own, to: { agent: 'agt_c' } }
    assert.throws(() => createGrant(context, toAgent, WRITE), { status: 422 })
  })

  it('is narrowed by the environment, also on remote servers, not on built-in ones', () => {
    const { outcome, account, context } = setUp()
    account('a', 'mem_a')
    putEnvironment(context, 'support', [{ server: NOTION, tools: ['read'] }], WRITE)
    const environment = 'support'
    assert.equal(outcome({ environment, tool: 'read' }), 'acc_a')
    assert.equal(outcome({ environment, tool: 'write' }), 'tool_not_found')
    assert.equal(outcome({ environment, server: REMOTE, tool: 'x' }), 'tool_not_found')
    assert.equal(outcome({ environment, server: MEMORY, tool: 'search' }), 'allowed')
    assert.equal(outcome({ environment: 'made-up' }), 'environment_not_found')
    assert.equal(outcome({ environment: 'constructor' }), 'environment_not_found')
  })

  it('by a key that is bound to an environment is narrowed by that one, whatever is said', () => {
    const { outcome, account, context, key } = setUp()
    account('a', 'mem_a')
    putEnvironment(context, 'support', [{ server: NOTION, tools: ['read'] }], WRITE)
    putEnvironment(context, 'all', [{ server: NOTION }], WRITE)
    key('key_1', { environment: 'support' })
    assert.equal(outcome({ credential: 'key_1' }), 'tool_not_found')
    assert.equal(outcome({ credential: 'key_1', environment: 'all' }), 'tool_not_found')
    deleteEnvironment(context, 'support', WRITE)
    assert.equal(outcome({ credential: 'key_1', tool: 'read' }), 'environment_not_found')
  })

  it('is refused for who is suspended, gone or unknown, and by a dead key', () => {
    const { outcome, account, context, key, suspend, sql } = setUp()
    account('a', 'mem_a')
    assert.equal(outcome({ principal: 'mem_z' }), 'invalid_api_key')
    assert.equal(outcome({ credential: 'key_z' }), 'invalid_api_key')
    key('key_1', { expiresAt: new Date(NOW + 1000).toISOString() })
    assert.equal(outcome({ credential: 'key_1' }), 'acc_a')
    assert.equal(outcome({ credential: 'key_1' }, NOW + 2000), 'invalid_api_key')
    key('key_2')
    sql.exec("UPDATE credentials SET revoked_at = 1 WHERE id = 'key_2'")
    assert.equal(outcome({ credential: 'key_2' }), 'invalid_api_key')
    suspend('agt_c')
    assert.equal(outcome({ principal: 'agt_c' }), 'agent_suspended')
    suspend('mem_b')
    assert.equal(outcome({ principal: 'mem_b' }), 'member_suspended')
    setStatus(context, 'suspended', WRITE)
    assert.equal(outcome(), 'org_suspended')
    setStatus(context, 'active', WRITE)
    assert.equal(outcome(), 'acc_a')
  })

  it('is of nothing where the server is gone or not on the gateway', () => {
    const { outcome, sql } = setUp()
    assert.equal(outcome({ server: '00000000000000dd' }), 'tool_not_found')
    sql.exec(
      `UPDATE servers SET settings = json_set(settings, '$.status', 'paused') WHERE id = ?`,
      MEMORY,
    )
    assert.equal(outcome({ server: MEMORY, tool: 'search' }), 'tool_not_found')
  })

  it('counts against the cap of its key for the month, only where it may be made', () => {
    const { outcome, account, key, sql } = setUp()
    key('key_1', { monthlyCap: 2 })
    assert.equal(outcome({ credential: 'key_1' }), 'not_connected')
    account('a', 'mem_a')
    assert.equal(outcome({ credential: 'key_1' }), 'acc_a')
    assert.equal(outcome({ credential: 'key_1' }), 'acc_a')
    assert.equal(outcome({ credential: 'key_1' }), 'key_spend_limit_exceeded')
    assert.equal(outcome(), 'acc_a', 'another credential of the member goes on')
    assert.equal(outcome({ credential: 'key_1' }, NOW + 4 * DAY_MS), 'acc_a')
    const usage = () => readUsage(sql, 'key_1').map(({ month, calls }) => `${month} ${calls}`)
    assert.deepEqual(usage(), ['2026-08 1', '2026-07 2'])
    assert.equal(outcome({ credential: 'key_1' }, NOW + 400 * DAY_MS), 'acc_a')
    assert.deepEqual(usage(), ['2027-09 1', '2026-08 1'])
  })
})
