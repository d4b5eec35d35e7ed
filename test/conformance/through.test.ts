/** The official conformance suite at all four revisions, through us to an upstream on the official SDK. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startRelay, type Relay } from '../support/relay.ts'
import { startConformanceServer } from '../support/upstreams/conformance-server.ts'
import type { ModernMcp } from '../support/upstreams/mcp-modern.ts'
import { nameOf, REVISIONS, runAll, type Outcome } from './suite.ts'

const RUNS = 101

describe('The conformance suite through a remote server', () => {
  let upstream: ModernMcp
  let relay: Relay
  let outcomes: Outcome[]
  before(async () => {
    upstream = await startConformanceServer()
    relay = await startRelay()
    const { endpoint } = await relay.serve(upstream.url, { watchLists: true })
    outcomes = await runAll(relay.rollcall.url + endpoint)
  })
  after(async () => {
    await relay.close()
    await upstream.close()
  })

  for (const revision of REVISIONS) {
    it(`finds no failure and no warning at ${revision}`, () => {
      const ofRevision = outcomes.filter((outcome) => outcome.revision === revision)
      assert.deepEqual(
        ofRevision.filter(({ problems }) => problems.length > 0),
        [],
      )
    })
  }

  it('is run whole: 101 runs, which call every tool but the one that is only looked at', () => {
    assert.equal(new Set(outcomes.map(nameOf)).size, RUNS)
    const called = new Set(upstream.requests.map(({ body }) => body?.params?.name))
    const idle = [...upstream.world.tools.keys()].filter((name) => !called.has(name))
    assert.deepEqual(
      idle.filter((name) => name !== 'test_tool_that_came'),
      ['json_schema_2020_12_tool'],
    )
  })
})
