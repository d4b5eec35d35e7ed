import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { CallEntry } from '../../src/methods/call-entry.ts'
import { CallLog } from '../../src/objects/call-log.ts'
import { createClock, takeTimers } from '../support/clock.ts'

const entry = (organization: string, tool: string): CallEntry => ({
  organization,
  server: '0123456789abcdef',
  tool,
  caller: 'anonymous',
  at: 0,
  outcome: 'ok',
  ms: 1,
})
/** A request that lives as long as what it waits for. */
const lives = (work: Promise<unknown>) => void work
/** A log whose batches are kept, each as its organization and the tools in it. */
function kept(t: TestContext, now?: () => number) {
  const timers = takeTimers(t)
  const batches: [organization: string, tools: string[]][] = []
  const log = new CallLog(async (organization, entries) => {
    batches.push([organization, entries.map(({ tool }) => tool)])
  }, now ?? timers.now)
  const add = (organization: string, count: number, from = 0) => {
    for (let n = from; n < from + count; n++) log.add(entry(organization, `t${n}`), lives)
  }
  return { log, timers, batches, add }
}

describe('The call log of an isolate', () => {
  it('writes what waits after five seconds, an organization at a time', async (t) => {
    const { timers, batches, add } = kept(t)
    add('org_a', 2)
    await timers.pass(3000)
    add('org_a', 1, 2)
    add('org_b', 1)
    await timers.pass(1900)
    assert.equal(batches.length, 0)
    await timers.pass(200)
    assert.deepEqual(batches, [['org_a', ['t0', 't1', 't2']]])
    await timers.pass(3000)
    assert.deepEqual(batches[1], ['org_b', ['t0']])
  })

  it('writes fifty at once, and the next ones when the first were to be written', async (t) => {
    const { timers, batches, add } = kept(t)
    add('org_a', 49)
    await timers.pass(4000)
    assert.equal(batches.length, 0)
    add('org_a', 2, 49)
    await timers.pass(0)
    assert.deepEqual(
      batches.map(([, tools]) => tools.length),
      [50],
    )
    await timers.pass(900)
    assert.equal(batches.length, 1)
    await timers.pass(200)
    assert.deepEqual(batches[1], ['org_a', ['t50']])
    add('org_a', 1, 51)
    await timers.pass(4900)
    assert.equal(batches.length, 2)
    await timers.pass(200)
    assert.deepEqual(batches[2], ['org_a', ['t51']])
  })

  it('writes with the next call a batch whose request died', async (t) => {
    const clock = createClock()
    const { timers, batches, add } = kept(t, clock.now)
    add('org_a', 1)
    clock.pass(5001) // its timer never fires
    add('org_a', 1, 1)
    await timers.pass(0)
    assert.deepEqual(batches, [['org_a', ['t0', 't1']]])
  })

  it('holds a thousand at most, of which the oldest go', async (t) => {
    const { timers, batches, add } = kept(t)
    for (let n = 0; n < 21; n++) add(`org_${n}`, 49) // 1,029
    await timers.pass(5100)
    assert.equal(batches.flatMap(([, tools]) => tools).length, 1000)
    assert.equal(batches[0]?.[1][0], 't29')
    add('org_0', 1)
    await timers.pass(5100)
    assert.deepEqual(batches.at(-1), ['org_0', ['t0']])
  })

  it('lets the oldest go also where an organization has just written fifty', async (t) => {
    const { timers, batches, add } = kept(t)
    add('org_a', 50)
    for (let n = 0; n < 25; n++) add(`org_${n}`, 40) // 1,000
    add('org_a', 2, 50)
    await timers.pass(5100)
    const ofOrganization = (name: string) =>
      batches.flatMap(([organization, tools]) => (organization === name ? [tools] : []))
    assert.deepEqual(
      ofOrganization('org_a').map((tools) => tools.length),
      [50, 2],
    )
    assert.equal(ofOrganization('org_0')[0]?.[0], 't2')
  })

  it('says once that a batch was lost, without its entries', async (t) => {
    const timers = takeTimers(t)
    const said = t.mock.method(console, 'error', () => {})
    const log = new CallLog(() => Promise.reject(new Error('away')), timers.now)
    log.add(entry('org_a', 'hidden_tool'), lives)
    log.add(entry('org_a', 'hidden_tool'), lives)
    await timers.pass(5100)
    assert.equal(said.mock.callCount(), 1)
    assert.doesNotMatch(said.mock.calls[0]?.arguments.map(String).join() ?? '', /hidden_tool/)
  })
})
