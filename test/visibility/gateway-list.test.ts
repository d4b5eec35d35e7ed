import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Principal } from '../../src/callers/principal.ts'
import { visibleOnGateway, withheldTool } from '../../src/visibility/gateway-list.ts'
import { gatewayOf, ownTool, principalOf, serverOf, type Shown } from '../support/gateways.ts'
import { serverFile, tool } from '../support/servers.ts'

const SHOWN: readonly Shown[] = [
  { id: 'memory', file: serverFile('Memory', [tool('search')]) },
  { id: 'notion', account: 'required', file: serverFile('N', [tool('read'), tool('write')]) },
  { id: 'org__x', kind: 'remote', file: serverFile('X', [tool('far')]) },
]
const environments = { support: [{ server: serverOf('notion'), tools: ['read'] }] }
const GATEWAY = gatewayOf(SHOWN, [ownTool('whoami'), ownTool('send_feedback')], { environments })
const NOTION = { account: 'acc_1', server: serverOf('notion'), own: true }

describe('visibleOnGateway', () => {
  const cases: readonly [string, Partial<Principal>, string | undefined, readonly string[]][] = [
    [
      'a member without accounts',
      {},
      undefined,
      ['manage__whoami', 'memory__search', 'org__x__far'],
    ],
    [
      'a member with an account',
      { accounts: [NOTION] },
      undefined,
      ['manage__whoami', 'memory__search', 'notion__read', 'notion__write', 'org__x__far'],
    ],
    [
      'the same in an environment',
      { accounts: [NOTION] },
      'support',
      ['manage__whoami', 'memory__search', 'notion__read'],
    ],
    [
      'a member who has switched things off',
      { accounts: [NOTION], settings: { memory: false, notion: { read: false } } },
      undefined,
      ['manage__whoami', 'notion__write', 'org__x__far'],
    ],
  ]
  for (const [who, members, environment, names] of cases) {
    it(`shows ${who} ${names.join(', ')}, and says why of the rest`, () => {
      const principal = principalOf(members)
      const visible = visibleOnGateway(GATEWAY, { principal, environment })
      assert.deepEqual([...visible.names], names)
      for (const [name, each] of GATEWAY.tools) {
        const view = { surface: GATEWAY.surface, principal, environment }
        assert.equal(withheldTool(each, view) === undefined, visible.names.has(name), name)
      }
    })
  }

  it('has one key for all who see the same, and another for anybody else', () => {
    const keyOf = (members: object, environment?: string) =>
      visibleOnGateway(GATEWAY, { principal: principalOf(members), environment }).key
    const shared = { ...NOTION, account: 'acc_2', own: false, tools: ['read'] }
    assert.equal(keyOf({ accounts: [NOTION] }), keyOf({ id: 'mem_2', accounts: [shared] }))
    assert.notEqual(keyOf({ accounts: [NOTION] }), keyOf({}))
    assert.notEqual(keyOf({ accounts: [NOTION] }), keyOf({ accounts: [NOTION] }, 'support'))
  })
})
