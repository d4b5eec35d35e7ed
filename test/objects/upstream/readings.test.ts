import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Readings, READINGS_SCHEMA } from '../../../src/objects/upstream/readings.ts'
import { createSql } from '../../support/sql.ts'

const NOW = 1_000_000_000
const MINUTE_MS = 60_000

function start() {
  const readings = new Readings(createSql(READINGS_SCHEMA))
  readings.start(NOW)
  return readings
}

/** How long it is until the next is due, a tenth more or less. */
const requireDueIn = ({ dueAt }: Readings, ms: number) => {
  const waitMs = dueAt - NOW
  assert.ok(waitMs >= 0.9 * ms && waitMs <= 1.1 * ms, `${waitMs} is not ${ms}`)
}

describe('Readings', () => {
  it('are due at first, and again should one not come to its end', () => {
    const readings = start()
    assert.equal(readings.dueAt, NOW)
    readings.begin(NOW)
    requireDueIn(readings, 5000)
  })

  it('are due as often as the operator says, and sooner where the remote server does', () => {
    const readings = start()
    const rows: [ttlMs: number | undefined, ms: number][] = [
      [undefined, 10 * MINUTE_MS],
      [MINUTE_MS, MINUTE_MS],
      [1, 30_000],
      [60 * MINUTE_MS, 10 * MINUTE_MS],
    ]
    for (const [ttlMs, ms] of rows) {
      readings.begin(NOW)
      readings.succeed(NOW, 10 * MINUTE_MS, ttlMs)
      requireDueIn(readings, ms)
    }
  })

  it('are due the later the more have failed, but no later than others are', () => {
    const readings = start()
    for (const seconds of [10, 20, 40, 80, 160, 320, 600, 600]) {
      readings.begin(NOW)
      readings.fail(NOW, 10 * MINUTE_MS)
      requireDueIn(readings, seconds * 1000)
    }
    readings.succeed(NOW, 10 * MINUTE_MS, undefined)
    readings.fail(NOW, 10 * MINUTE_MS)
    requireDueIn(readings, 10_000)
  })

  it('are due in a moment when they are wished for, but not all the time', () => {
    const readings = start()
    readings.begin(NOW)
    readings.succeed(NOW, 10 * MINUTE_MS, undefined)
    readings.wish(NOW + 10, 1000)
    assert.equal(readings.dueAt, NOW + 1000)
    readings.wish(NOW + 10, 5000)
    assert.equal(readings.dueAt, NOW + 1000)
    readings.begin(NOW)
    readings.succeed(NOW, 10 * MINUTE_MS, undefined)
    readings.wish(NOW + 2000, 1000)
    assert.equal(readings.dueAt, NOW + 2100)
  })

  it('are due soon after one during which they were wished for', () => {
    const readings = start()
    readings.begin(NOW)
    readings.wish(NOW + 500, 1000)
    readings.succeed(NOW + 700, 10 * MINUTE_MS, undefined)
    assert.equal(readings.dueAt, NOW + 1000)
    readings.begin(NOW + 1000)
    readings.succeed(NOW + 1000, 10 * MINUTE_MS, undefined)
    assert.ok(readings.dueAt > NOW + 8 * MINUTE_MS)
  })
})
