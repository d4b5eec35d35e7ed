/** The official conformance suite at all four revisions, run directly against the upstream made for it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startConformanceServer } from '../support/upstreams/conformance-server.ts'
import type { ModernMcp } from '../support/upstreams/mcp-modern.ts'
import { nameOf, runAll, type Outcome } from './suite.ts'

const RUNS = 101

describe('The upstream for conformance', () => {
  let upstream: ModernMcp
  let outcomes: Outcome[]
  before(async () => {
    upstream = await startConformanceServer()
    outcomes = await runAll(upstream.url)
  })
  after(() => upstream.close())

  it('passes every run of the suite', () => {
    assert.deepEqual(
      outcomes.filter(({ problems }) => problems.length > 0),
      [],
    )
    assert.equal(new Set(outcomes.map(nameOf)).size, RUNS)
  })

  it('ends a stream before its answer, so that the suite takes it up', () => {
    const takenUp = upstream.requests.filter(({ headers }) => 'last-event-id' in headers)
    assert.notEqual(takenUp.length, 0)
  })

  it('has each of its tools called, but for the one that is only looked at', () => {
    const called = new Set(upstream.requests.map(({ body }) => body?.params?.name))
    const idle = [...upstream.world.tools.keys()].filter((name) => !called.has(name))
    assert.deepEqual(idle, ['json_schema_2020_12_tool'])
  })
})
