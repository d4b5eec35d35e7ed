import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { initialize } from '../../src/methods/initialize.ts'
import { ROLLCALL_VERSION } from '../../src/protocol/implementation.ts'
import { LEGACY_REVISIONS } from '../../src/protocol/revisions.ts'
import { catalogOf } from '../support/catalogs.ts'
import { exchangeOf } from '../support/exchanges.ts'
import { serverFile } from '../support/servers.ts'

const catalog = catalogOf(serverFile('One'))
const open = (params: object, file = catalog) =>
  initialize(exchangeOf(file, { params: { ...params } }))

describe('initialize', () => {
  it('answers with revision, capabilities and who we are, and nothing of the stateless era', () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    assert.deepEqual(open(params), {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'One', version: ROLLCALL_VERSION },
    })
  })

  for (const protocolVersion of LEGACY_REVISIONS) {
    it(`§9.2 #8: answers ${protocolVersion} with the same`, () => {
      assert.equal(open({ protocolVersion }).protocolVersion, protocolVersion)
    })
  }

  for (const protocolVersion of [
    '2026-07-28',
    '2027-01-01',
    '2024-10-07',
    'junk',
    '',
    'constructor',
  ]) {
    it(`§9.2 #7, #8: answers '${protocolVersion}' with the newest of the session era`, () => {
      assert.equal(open({ protocolVersion }).protocolVersion, '2025-11-25')
    })
  }

  it('gives the instructions where there are some', () => {
    const file = catalogOf(serverFile('One', [], { instructions: 'Be kind.' }))
    assert.equal(open({ protocolVersion: '2025-11-25' }, file).instructions, 'Be kind.')
  })

  it('promises change notices only where the server has them', () => {
    const file = catalogOf(serverFile('One', [], { notifications: false }))
    assert.deepEqual(open({ protocolVersion: '2025-11-25' }, file).capabilities, { tools: {} })
  })

  const bad: [string, object][] = [
    ['no revision', {}],
    ['a revision that is a number', { protocolVersion: 20250618 }],
    ['a revision that is null', { protocolVersion: null }],
    ['capabilities that are an array', { protocolVersion: '2025-06-18', capabilities: [] }],
    ['capabilities that are null', { protocolVersion: '2025-06-18', capabilities: null }],
    ['client info that is text', { protocolVersion: '2025-06-18', clientInfo: 'x' }],
  ]
  for (const [what, params] of bad) {
    it(`refuses ${what} with -32602, in-band`, () => {
      assert.throws(() => open(params), { code: -32602, status: 200 })
    })
  }
})
