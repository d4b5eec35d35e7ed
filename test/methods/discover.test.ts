import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { discover } from '../../src/methods/discover.ts'
import { ROLLCALL_VERSION } from '../../src/protocol/implementation.ts'
import { SUPPORTED_VERSIONS } from '../../src/protocol/revisions.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, modernExchangeOf } from '../support/exchanges.ts'
import { serverFile } from '../support/servers.ts'

const discovered = (members: object = {}) =>
  asSent(discover(modernExchangeOf(catalogOf(serverFile('One', [], members)))))

describe('server/discover', () => {
  it('§9.2 #35, #37: answers with all that is required, serverInfo in _meta', () => {
    assert.deepEqual(discovered(), {
      supportedVersions: SUPPORTED_VERSIONS,
      capabilities: { tools: { listChanged: true } },
      ttlMs: 30_000,
      cacheScope: 'public',
      resultType: 'complete',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'One', version: ROLLCALL_VERSION } },
    })
  })

  it('gives the instructions and the server’s ttl', () => {
    const { instructions, ttlMs } = discovered({ instructions: 'Be kind.', ttlMs: 0 })
    assert.deepEqual([instructions, ttlMs], ['Be kind.', 0])
  })

  it('promises change notices only where the server has them', () => {
    assert.deepEqual(discovered({ notifications: false }).capabilities, { tools: {} })
  })

  it('§9.2 #36: is private on a keyed server', () => {
    assert.equal(discovered({ auth: 'key' }).cacheScope, 'private')
  })
})
