import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CallEntry } from '../../../src/methods/call-entry.ts'
import { readAudit } from '../../../src/objects/organization/audit.ts'
import {
  deleteCalls,
  readCalls,
  writeCalls,
  type CallFilter,
} from '../../../src/objects/organization/calls.ts'
import type { Context } from '../../../src/objects/organization/context.ts'
import { STEPS } from '../../../src/objects/organization/schema.ts'
import { createSql } from '../../support/sql.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = 100 * DAY_MS
const START = { at: Number.MAX_SAFE_INTEGER, id: 0 }

const entry = (at: number, members: Partial<CallEntry> = {}): CallEntry => ({
  organization: 'org_a',
  server: '0123456789abcdef',
  tool: 'a',
  caller: 'anonymous',
  at,
  outcome: 'ok',
  ms: 1,
  ...members,
})

const writeBatch = (sql: SqlStorage, entries: readonly CallEntry[], now: number) =>
  writeCalls(sql, JSON.stringify(entries), entries.length, now)

function createLog(entries: readonly CallEntry[]) {
  const sql = createSql()
  if (entries.length > 0) writeBatch(sql, entries, NOW)
  const context = {
    sql,
    now: NOW,
    organization: 'org_a',
    transact: <T>(write: () => T) => write(),
  } as Context
  const times = (filter: CallFilter = {}) =>
    readCalls(context, filter, START, 20_000).map(({ at }) => at)
  return { sql, context, times }
}

/** Takes the steps of the schema from one on. */
function take(sql: SqlStorage, step: number) {
  for (const statement of STEPS.slice(step).join('').split(';').slice(0, -1)) sql.exec(statement)
}

describe('The call log of an organization', () => {
  it('reads newest first, and of one time the last written first, page by page', () => {
    const { context } = createLog([
      entry(NOW - 1, { tool: 'b' }),
      entry(NOW - 2, { tool: 'a' }),
      entry(NOW - 1, { tool: 'c' }),
    ])
    let place = START
    const tools: string[] = []
    for (;;) {
      const [record] = readCalls(context, {}, place, 1)
      if (record === undefined) break
      tools.push(record.tool)
      place = record
    }
    assert.deepEqual(tools, ['c', 'b', 'a'])
  })

  it('keeps an entry as it is, and only what there is of it', () => {
    const whole = { status: 503, bytes: 12, outcome: 'error', problem: 'HTTP 503' } as const
    const { context } = createLog([entry(NOW - 1), entry(NOW, whole)])
    const { organization: _, ...rest } = entry(NOW, whole)
    const [first, second] = readCalls(context, {}, START, 10)
    assert.deepEqual(first, { id: 2, ...rest })
    assert.equal(second?.problem, undefined)
  })

  it('finds by each filter, and by all that are given', () => {
    const { times } = createLog([
      entry(1 + NOW - DAY_MS, { server: 'fedcba9876543210' }),
      entry(2 + NOW - DAY_MS, { tool: 'b' }),
      entry(3 + NOW - DAY_MS, { caller: 'key_1', tool: 'b' }),
      entry(4 + NOW - DAY_MS, { outcome: 'error', problem: '100% of _Everything_ is wrong' }),
    ])
    const found = (filter: CallFilter) => times(filter).map((at) => at - NOW + DAY_MS)
    assert.deepEqual(found({ server: 'fedcba9876543210' }), [1])
    assert.deepEqual(found({ tool: 'b' }), [3, 2])
    assert.deepEqual(found({ caller: 'key_1' }), [3])
    assert.deepEqual(found({ outcome: 'error' }), [4])
    assert.deepEqual(found({ from: 2 + NOW - DAY_MS, to: 4 + NOW - DAY_MS }), [3, 2])
    assert.deepEqual(found({ q: '_EVERYTHING_' }), [4])
    assert.deepEqual(found({ q: '_x' }), [])
    assert.deepEqual(found({ q: '100%' }), [4])
    assert.deepEqual(found({ tool: 'b', caller: 'anonymous' }), [2])
    assert.deepEqual(found({ q: "'; DROP TABLE calls; --" }), [])
  })

  it('keeps 30 days: older batches go with the next one, and older calls are not read before', () => {
    const { sql, context, times } = createLog([entry(NOW - 29 * DAY_MS), entry(NOW)])
    assert.equal(times().length, 2)
    const later = { ...context, now: NOW + 2 * DAY_MS }
    assert.equal(readCalls(later, {}, START, 10).length, 1)
    writeBatch(sql, [entry(NOW + 30 * DAY_MS)], NOW + 30 * DAY_MS + 1)
    assert.deepEqual(times(), [NOW + 30 * DAY_MS])
  })

  it('keeps 10,000 calls, and of the batch that has one too many what is over', () => {
    const batch = (length: number, at: (n: number) => number) =>
      Array.from({ length }, (_, n) => entry(at(n)))
    const { sql, times } = createLog([])
    for (let n = 0; n < 15; n++)
      writeBatch(
        sql,
        batch(1000, (m) => NOW - 20_000 + 1000 * n + m),
        NOW,
      )
    assert.equal(times().length, 10_000)
    assert.equal(times().at(-1), NOW - 15_000)
    writeBatch(sql, [entry(NOW)], NOW)
    assert.equal(times().length, 10_001)
    assert.equal(times().at(-1), NOW - 15_000)
  })

  it('deletes what a filter finds, with a row in the audit log that has no text searched for', () => {
    const { sql, context, times } = createLog([
      entry(NOW, { tool: 'b', problem: 'the secret hunter2' }),
      entry(NOW, { tool: 'b' }),
      entry(NOW),
    ])
    const by = { actor: 'operator' }
    assert.equal(deleteCalls(context, { tool: 'b', q: 'hunter2' }, by), 1)
    assert.equal(times().length, 2)
    const [row] = readAudit(sql, Number.MAX_SAFE_INTEGER, 1)
    assert.equal(row?.act, 'calls.delete')
    assert.deepEqual(JSON.parse(row.detail), { tool: 'b', q: true, deleted: 1 })
  })

  it('keeps the places of what is left of a batch, and nothing of one that is deleted whole', () => {
    const { sql, context } = createLog([entry(NOW, { tool: 'a' }), entry(NOW, { tool: 'b' })])
    writeBatch(sql, [entry(NOW, { tool: 'a' })], NOW)
    const [, second] = readCalls(context, {}, START, 2)
    const by = { actor: 'operator' }
    assert.equal(deleteCalls(context, { tool: 'a' }, by), 2)
    const left = readCalls(context, {}, START, 10)
    assert.deepEqual(left, [second])
    assert.equal(deleteCalls(context, {}, by), 1)
    assert.deepEqual(sql.exec('SELECT * FROM call_batches').toArray(), [])
  })

  it('takes over the calls of the table that had a row for each', () => {
    const step = STEPS.findIndex((each) => each.includes('CREATE TABLE call_batches'))
    const sql = createSql(STEPS.slice(0, step).join(''))
    const columns = 'at, server, tool, caller, outcome, status, ms'
    sql.exec(`INSERT INTO calls (${columns}) VALUES (?, 'a', 'b', 'c', 'ok', 200, 7)`, NOW)
    take(sql, step)
    assert.deepEqual(readCalls({ sql, now: NOW }, {}, START, 2), [
      {
        id: 1,
        at: NOW,
        server: 'a',
        tool: 'b',
        caller: 'c',
        outcome: 'ok',
        status: 200,
        ms: 7,
        bytes: undefined,
        problem: undefined,
      },
    ])
  })

  it('takes over batches that were numbered themselves, and writes on after them', () => {
    const step = STEPS.findIndex((each) => each.includes('numbered_batches'))
    const sql = createSql(STEPS.slice(0, step).join(''))
    const put = (id: number, entries: unknown[], length: number) =>
      sql.exec(
        'INSERT INTO call_batches VALUES (?, ?, ?, ?)',
        id,
        NOW,
        length,
        JSON.stringify(entries),
      )
    put(4, [entry(NOW, { tool: 'a' }), null, entry(NOW, { tool: 'b' })], 2)
    put(5, [entry(NOW, { tool: 'c' })], 1)
    take(sql, step)
    writeBatch(sql, [entry(NOW, { tool: 'd' })], NOW)
    const read = readCalls({ sql, now: NOW }, {}, START, 10)
    assert.deepEqual(
      read.map(({ id, tool }) => [id, tool]),
      [
        [5, 'd'],
        [4, 'c'],
        [3, 'b'],
        [1, 'a'],
      ],
    )
  })
})
