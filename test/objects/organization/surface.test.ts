import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createGrant, putEnvironment } from '../../../src/objects/organization/grant-commands.ts'
import {
  describeConnectors,
  listSeenAccounts,
} from '../../../src/objects/organization/connectors.ts'
import { patchSettings } from '../../../src/objects/organization/settings-commands.ts'
import { readSurface } from '../../../src/objects/organization/surface.ts'
import { visibleAccounts } from '../../../src/objects/organization/visible-accounts.ts'
import { createGateway, NOTION } from '../../support/gateway-sql.ts'

const WRITE = { actor: 'test' }
const MANY_TOOLS = Array.from({ length: 1000 }, (_, n) => `${'t'.repeat(60)}${n}`)

describe('What a gateway shares', () => {
  it('is bounded: environments and shared accounts by a megabyte', () => {
    const { context, sql } = createGateway()
    const entries = [{ server: NOTION, tools: MANY_TOOLS }]
    assert.throws(
      () => {
        for (let n = 0; n < 100; n++) putEnvironment(context, `e${n}`, entries, WRITE)
      },
      { status: 413, code: 'surface_too_large' },
    )
    assert.ok(Object.keys(readSurface(sql).environments).length > 10)
  })

  it('is bounded for each principal by half of that', () => {
    const { context, account } = createGateway()
    const share = (n: number) => {
      const shared = account(`team${n}`, null)
      const grant = { id: `gra_${n}`, account: shared, to: { agent: 'agt_c' }, tools: MANY_TOOLS }
      createGrant(context, grant, WRITE)
    }
    assert.throws(
      () => {
        for (let n = 0; n < 20; n++) share(n)
      },
      { status: 413, code: 'too_many_accounts' },
    )
  })
})

describe('The accounts of a principal', () => {
  const setUp = () => {
    const gateway = createGateway()
    const own = gateway.account('own', 'mem_a')
    const team = gateway.account('team', null, 'needs_reauth')
    const bobs = gateway.account('bobs', 'mem_b')
    const share = (
      id: string,
      account: string,
      to: 'everybody' | { member: string },
      tools?: string[],
    ) => createGrant(gateway.context, { id, account, to, tools }, WRITE)
    share('gra_1', team, { member: 'mem_a' }, ['read'])
    share('gra_2', bobs, 'everybody')
    return { ...gateway, own, team, bobs, share }
  }

  it('are published with it but for those that everybody shares', () => {
    const { sql } = setUp()
    assert.deepEqual(visibleAccounts(sql, 'mem_a', 'member'), [
      { account: 'acc_own', server: NOTION, own: true },
      { account: 'acc_team', server: NOTION, own: false, tools: ['read'] },
    ])
    assert.deepEqual(visibleAccounts(sql, 'agt_c', 'agent'), [])
  })

  it('are described with their connector, as the environment has it', () => {
    const { context } = setUp()
    const looking = { id: 'mem_a', kind: 'member' } as const
    const [notion, ...others] = describeConnectors(context, looking)
    assert.deepEqual(others, [])
    const account = (alias: string, members: object = {}) => ({
      alias,
      identity: null,
      status: 'connected',
      member_scope: false,
      tools: null,
      ...members,
    })
    assert.deepEqual(notion, {
      id: 'notion',
      server: NOTION,
      name: NOTION,
      status: 'connected',
      tool_count: 2,
      accounts: [
        account('bobs'),
        account('own', { member_scope: true }),
        account('team', { status: 'needs_reauth', tools: ['read'] }),
      ],
    })
    const entry = { server: NOTION, account: 'acc_team', tools: ['read'] }
    putEnvironment(context, 'support', [entry], WRITE)
    putEnvironment(context, 'none', [], WRITE)
    const [narrow] = describeConnectors(context, looking, 'support')
    assert.deepEqual([narrow?.status, narrow?.tool_count], ['needs_reauth', 1])
    assert.deepEqual(
      narrow?.accounts.map(({ alias }) => alias),
      ['team'],
    )
    assert.deepEqual(describeConnectors(context, looking, 'none'), [])
    assert.throws(() => describeConnectors(context, looking, 'made-up'), { status: 404 })
    const [agents] = describeConnectors(context, { id: 'agt_c', kind: 'agent' })
    assert.deepEqual([agents?.status, agents?.accounts], ['not_connected', []])
  })

  it('are not described where their connector is off, which one without tools may be, too', () => {
    const { sql, context } = setUp()
    const counted = () =>
      describeConnectors(context, { id: 'mem_a', kind: 'member' }).map(
        ({ tool_count }) => tool_count,
      )
    const patch = (notion: Record<string, boolean> | false) =>
      patchSettings(context, { capabilities: { notion } }, WRITE)
    patch({ read: false })
    assert.deepEqual(counted(), [1])
    patch({ read: false, write: false })
    assert.deepEqual(counted(), [])
    sql.exec("UPDATE items SET status = 'paused' WHERE server = ?", NOTION)
    assert.deepEqual(counted(), [0])
    patch(false)
    assert.deepEqual(counted(), [])
  })

  it('are listed with ids, for whoever renames or removes one', () => {
    const { sql } = setUp()
    const listed = listSeenAccounts(sql, { id: 'mem_b', kind: 'member' })
    assert.equal(listed.length, 1)
    assert.partialDeepStrictEqual(listed[0], {
      id: 'acc_bobs',
      connector: 'notion',
      alias: 'bobs',
      own: true,
      tools: null,
    })
  })
})
