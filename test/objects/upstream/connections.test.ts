/** Connections of a remote server that is met over a real socket, on a clock of the test's. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Connections } from '../../../src/objects/upstream/connections.ts'
import { STEPS } from '../../../src/objects/upstream/schema.ts'
import { OpenedSecrets } from '../../../src/upstream/opened-secrets.ts'
import type { Target } from '../../../src/upstream/relay/target.ts'
import { postTo } from '../../support/remote-mcp.ts'
import { createSql } from '../../support/sql.ts'
import { startLegacyMcp, type LegacyMcp } from '../../support/upstreams/mcp-legacy.ts'

const HOUR_MS = 3_600_000
const SHARED = { capabilities: {}, session: undefined }

describe('Connections', () => {
  let upstream: LegacyMcp
  before(async () => {
    upstream = await startLegacyMcp({ kind: 'sessions' })
  })
  after(() => upstream.close())

  const setUp = () => {
    let now = 1_000_000_000
    const sql = createSql(STEPS.join(';'))
    const connections = new Connections(sql, () => now)
    const way = { post: postTo(upstream.url), secrets: new OpenedSecrets(new Map()) }
    const find = async (environment: string, url: string, members: Partial<Target> = {}) => {
      const at = { organization: 'o', server: 's', remote: { url }, sealed: {}, hops: 0 }
      const found = await connections.find({ ...at, environment, ...members }, way, SHARED)
      assert.equal(found.era, 'legacy')
      return found.era === 'legacy' ? found.sessionId : undefined
    }
    return { connections, find, pass: (ms: number) => (now += ms) }
  }

  it('are kept for each configuration, whatever environments share it', async () => {
    const { find } = setUp()
    const one = await find('production', 'https://one')
    const two = await find('staging', 'https://two')
    assert.notEqual(one, two)
    assert.equal(await find('elsewhere', 'https://one'), one)
    assert.equal(await find('production', 'https://one'), one)
    assert.equal(await find('staging', 'https://two'), two)
  })

  it('of a configuration that an environment had before are no longer there', async () => {
    const { find } = setUp()
    const one = await find('production', 'https://one')
    await find('production', 'https://other')
    assert.notEqual(await find('production', 'https://one'), one)
  })

  it('go after an hour without use, but for the one of the default environment', async () => {
    const { connections, find, pass } = setUp()
    const one = await find('production', 'https://one')
    await find('staging', 'https://two')
    await find('production', 'https://one', { account: { id: 'a', sealed: 'x' } })
    pass(HOUR_MS / 2)
    const three = await find('dev', 'https://three')
    assert.deepEqual(connections.takeUnused(), [])
    pass(HOUR_MS / 2)
    const unused = connections.takeUnused()
    assert.deepEqual(
      unused.map(({ environment }) => environment),
      ['staging'],
    )
    pass(HOUR_MS / 4)
    assert.equal(await find('dev', 'https://three'), three)
    pass(HOUR_MS / 2)
    assert.deepEqual(connections.takeUnused(), [])
    assert.equal(await find('production', 'https://one'), one)
  })

  it('of other environments that fall back to the default are the default one’s', async () => {
    const { connections, find, pass } = setUp()
    const one = await find('elsewhere', 'https://one')
    assert.equal(await find('production', 'https://one'), one)
    pass(2 * HOUR_MS)
    assert.equal(connections.nextUnusedAt(), undefined)
  })
})
