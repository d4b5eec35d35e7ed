import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loadGateway, MANAGE, type Gateway } from '../../src/catalog/gateway.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { NEWEST_LEGACY } from '../../src/protocol/revisions.ts'
import { gatewayOf, ownTool, surfaceBytes } from '../support/gateways.ts'
import { serverFile, tool } from '../support/servers.ts'

const listed = ({ catalog }: Gateway) => {
  const text = new TextDecoder().decode(catalog.list('tools', NEWEST_LEGACY))
  return (JSON.parse(`${text}}`) as { tools: { name: string }[] }).tools.map(({ name }) => name)
}

const SERVERS = [
  { id: 'alpha', file: serverFile('Alpha', [tool('z'), tool('a')]) },
  { id: 'manager', file: serverFile('Manager', [tool('b')]) },
  { id: 'org__x', file: serverFile('X', [tool('c')]) },
]

describe('loadGateway', () => {
  it('X16: puts our own tools in their place, by the id of the capability, then its own order', () => {
    const gateway = gatewayOf(SERVERS, [ownTool('whoami'), ownTool('accounts_list')])
    const expected = [
      'alpha__z',
      'alpha__a',
      'manage__whoami',
      'manage__accounts_list',
      'manager__b',
      'org__x__c',
    ]
    assert.deepEqual(listed(gateway), expected)
    assert.deepEqual([...gateway.tools.keys()], expected)
  })

  it('C35: knows what each name stands for, whatever is in it', () => {
    const gateway = gatewayOf(SERVERS, [ownTool('whoami')])
    const found = [...gateway.tools.values()].map(({ capability, operation }) => [
      capability === MANAGE ? MANAGE : capability.id,
      operation,
    ])
    assert.deepEqual(found, [
      ['alpha', 'z'],
      ['alpha', 'a'],
      [MANAGE, 'whoami'],
      ['manager', 'b'],
      ['org__x', 'c'],
    ])
  })

  it('puts our own last where no capability is after them, and alone where there is none', () => {
    const own = [ownTool('whoami')]
    assert.deepEqual(listed(gatewayOf(SERVERS.slice(0, 1), own)).at(-1), 'manage__whoami')
    assert.deepEqual(listed(gatewayOf([], own)), ['manage__whoami'])
    assert.deepEqual(listed(gatewayOf([], [])), [])
  })

  it('lists some, as every revision may have them', () => {
    const { catalog } = gatewayOf(SERVERS, [ownTool('whoami', { title: 'Who' })])
    const selection = { key: 'some', includes: (name: string) => name.endsWith('whoami') }
    const text = (revision: '2025-03-26' | '2026-07-28') =>
      new TextDecoder().decode(catalog.list('tools', revision, selection))
    assert.match(text('2026-07-28'), /"title":"Who"/)
    assert.doesNotMatch(text('2025-03-26'), /"title"/)
  })

  it('refuses what is no surface, and gives a tombstone as it is', () => {
    const renderings = new BoundedMap<Uint8Array<ArrayBuffer>>(1000)
    assert.throws(() => loadGateway(surfaceBytes([], { surface: undefined }), [], renderings), {
      message: 'no surface',
    })
  })
})
