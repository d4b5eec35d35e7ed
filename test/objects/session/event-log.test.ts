import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  appendEvent,
  beginStream,
  dropEndedStreams,
  endStream,
  EVENT_LOG_SCHEMA,
  eventsAfter,
  findStream,
  formatEventId,
  KEPT_AFTER_MS,
  nextDropAt,
  openStreams,
  parseEventId,
} from '../../../src/objects/session/event-log.ts'
import { createSql } from '../../support/sql.ts'

const MIB = 1024 * 1024

const createLog = () => createSql(EVENT_LOG_SCHEMA)

/** What a client is given that saw everything up to a sequence. */
function replay(sql: SqlStorage, stream: number, sequence: number) {
  const stored = findStream(sql, stream)
  assert.ok(stored)
  return eventsAfter(sql, stored, sequence)
}

const bodies = (sql: SqlStorage, stream: number, sequence: number) =>
  replay(sql, stream, sequence)?.map(({ body }) => body)

const append = (sql: SqlStorage, stream: number, count: number, body = '{}') => {
  for (let n = 0; n < count; n++) appendEvent(sql, stream, body)
}

/** What the whole log holds. */
function measure(sql: SqlStorage) {
  return sql
    .exec<{ events: number; bytes: number; longest: number }>(
      `SELECT COUNT(DISTINCT stream * 1000000 + sequence) AS events,
         COALESCE(SUM(length(CAST(body AS BLOB))), 0) AS bytes,
         COALESCE(MAX(length(CAST(body AS BLOB))), 0) AS longest FROM events`,
    )
    .one()
}

describe('the event log', () => {
  it('§9.2 #30: numbers the events of each stream from 1 on, and replays that stream alone', () => {
    const sql = createLog()
    const [first, second] = [beginStream(sql, '1'), beginStream(sql, '"b"')]
    assert.notEqual(first, second)
    const sequences = [
      appendEvent(sql, first, '{"a":1}'),
      appendEvent(sql, second, '{"b":1}'),
      appendEvent(sql, first, '{"a":2}'),
      appendEvent(sql, first, '{"a":3}'),
    ]
    assert.deepEqual(sequences, [1, 1, 2, 3])
    assert.deepEqual(replay(sql, first, 1), [
      { sequence: 2, body: '{"a":2}' },
      { sequence: 3, body: '{"a":3}' },
    ])
    assert.deepEqual(bodies(sql, first, 0), ['{"a":1}', '{"a":2}', '{"a":3}'])
    assert.deepEqual(bodies(sql, second, 0), ['{"b":1}'])
    assert.deepEqual(bodies(sql, first, 3), [])
  })

  it('knows a stream, its request and its end', () => {
    const sql = createLog()
    const id = beginStream(sql, '"r"')
    appendEvent(sql, id, '{}')
    assert.deepEqual(findStream(sql, id), { id, request: '"r"', sent: 1, endedAt: undefined })
    assert.deepEqual(openStreams(sql), [{ id, request: '"r"', sent: 1, endedAt: undefined }])
    endStream(sql, id, 500)
    endStream(sql, id, 900)
    assert.equal(findStream(sql, id)?.endedAt, 500)
    assert.deepEqual(openStreams(sql), [])
    assert.equal(findStream(sql, id + 1), undefined)
  })

  it('keeps a stream five minutes after its end, and an open one for ever', () => {
    const sql = createLog()
    const [ended, open] = [beginStream(sql, '1'), beginStream(sql, '2')]
    append(sql, ended, 2)
    append(sql, open, 1)
    assert.equal(nextDropAt(sql), undefined)
    endStream(sql, ended, 1000)
    assert.equal(nextDropAt(sql), 1000 + 300_000)
    dropEndedStreams(sql, 1000 + KEPT_AFTER_MS - 1)
    assert.equal(replay(sql, ended, 0)?.length, 2)
    dropEndedStreams(sql, 1000 + KEPT_AFTER_MS)
    assert.equal(findStream(sql, ended), undefined)
    assert.equal(nextDropAt(sql), undefined)
    assert.equal(replay(sql, open, 0)?.length, 1)
    assert.equal(measure(sql).events, 1)
  })

  it('§9.2 #30: never gives the number of a dropped stream again', () => {
    const sql = createLog()
    const first = beginStream(sql, '1')
    endStream(sql, first, 0)
    dropEndedStreams(sql, KEPT_AFTER_MS)
    assert.ok(beginStream(sql, '2') > first)
  })
})

describe('the event log, long events', () => {
  const long: [string, string][] = [
    ['one row', 'x'.repeat(160 * 1024)],
    ['one more than a row', 'x'.repeat(160 * 1024 + 1)],
    ['several rows', 'abc'.repeat(300_000)],
    ['three bytes a character', '語'.repeat(340_000)],
    ['two units a character', '👩'.repeat(200_000)],
    ['two units a character, a row ending between them', `x${'👩'.repeat(200_000)}`],
  ]
  for (const [what, body] of long) {
    it(`gives an event of ${what} back whole, from rows under 512 KiB`, () => {
      const sql = createLog()
      const stream = beginStream(sql, '1')
      appendEvent(sql, stream, '{}')
      appendEvent(sql, stream, body)
      const [event, ...more] = replay(sql, stream, 1) ?? []
      assert.equal(event?.sequence, 2)
      assert.ok(event.body === body, 'another body') // a diff of megabytes helps nobody
      assert.deepEqual(more, [])
      assert.ok(measure(sql).longest < 512 * 1024)
    })
  }
})

describe('the event log, its bounds', () => {
  it('keeps the last 100 events, and refuses a replay that would have gaps', () => {
    const sql = createLog()
    const stream = beginStream(sql, '1')
    for (let n = 1; n <= 130; n++) appendEvent(sql, stream, `{"n":${n}}`)
    assert.equal(measure(sql).events, 100)
    assert.equal(replay(sql, stream, 0), undefined)
    assert.equal(replay(sql, stream, 29), undefined)
    const kept = bodies(sql, stream, 30)
    assert.deepEqual([kept?.length, kept?.[0], kept?.at(-1)], [100, '{"n":31}', '{"n":130}'])
    assert.deepEqual(bodies(sql, stream, 129), ['{"n":130}'])
    assert.deepEqual(bodies(sql, stream, 130), [])
  })

  it('keeps 100 events exactly', () => {
    const sql = createLog()
    const stream = beginStream(sql, '1')
    append(sql, stream, 100)
    assert.equal(replay(sql, stream, 0)?.length, 100)
  })

  for (const [what, character, units] of [
    ['ASCII', 'x', 300_000],
    ['three bytes a character', '語', 100_000],
  ] as const) {
    it(`keeps 1 MiB of whole events of ${what}, the newest`, () => {
      const sql = createLog()
      const stream = beginStream(sql, '1')
      append(sql, stream, 5, character.repeat(units))
      const { events, bytes } = measure(sql)
      assert.deepEqual([events, bytes], [3, 900_000])
      assert.ok(bytes <= MIB)
      assert.equal(replay(sql, stream, 1), undefined)
      assert.equal(replay(sql, stream, 2)?.length, 3)
    })
  }

  it('keeps 1 MiB exactly', () => {
    const sql = createLog()
    const stream = beginStream(sql, '1')
    append(sql, stream, 2, 'x'.repeat(MIB / 2))
    assert.equal(replay(sql, stream, 0)?.length, 2)
  })

  it('refuses a replay of an event that is over 1 MiB by itself, and goes on', () => {
    const sql = createLog()
    const stream = beginStream(sql, '1')
    appendEvent(sql, stream, 'x'.repeat(MIB + 1))
    assert.equal(measure(sql).events, 0)
    assert.equal(replay(sql, stream, 0), undefined)
    assert.equal(appendEvent(sql, stream, '{}'), 2)
    assert.deepEqual(bodies(sql, stream, 1), ['{}'])
    assert.equal(replay(sql, stream, 0), undefined)
  })

  it('counts the streams of a session together, and drops what is oldest', () => {
    const sql = createLog()
    const [first, second] = [beginStream(sql, '1'), beginStream(sql, '2')]
    append(sql, first, 60)
    append(sql, second, 60)
    assert.equal(measure(sql).events, 100)
    assert.equal(replay(sql, first, 19), undefined)
    assert.equal(replay(sql, first, 20)?.length, 40)
    assert.equal(replay(sql, second, 0)?.length, 60)
  })

  // A stream begun earlier may end later: its answer is then the newest event of the log.
  it('keeps the newest event of an older stream while a newer one fills the log', () => {
    const sql = createLog()
    const [slow, busy] = [beginStream(sql, '1'), beginStream(sql, '2')]
    append(sql, busy, 100)
    appendEvent(sql, slow, '{"answer":true}')
    assert.deepEqual(bodies(sql, slow, 0), ['{"answer":true}'])
    assert.equal(replay(sql, busy, 0), undefined)
    assert.equal(replay(sql, busy, 1)?.length, 99)
  })
})

describe('event ids', () => {
  const table: [string, { stream: number; sequence: number }][] = [
    ['1.0', { stream: 1, sequence: 0 }],
    ['12.345', { stream: 12, sequence: 345 }],
    ['999999999.999999999', { stream: 999_999_999, sequence: 999_999_999 }],
  ]
  for (const [text, id] of table) {
    it(`are '${text}', both ways`, () => {
      assert.equal(formatEventId(id.stream, id.sequence), text)
      assert.deepEqual(parseEventId(text), id)
    })
  }

  const bad = [
    '',
    '1',
    '1.',
    '.1',
    '1.2.3',
    '1-2',
    'a.b',
    '-1.2',
    '1.-2',
    '+1.2',
    '1e3.2',
    ' 1.2',
    '1.2\n',
    '1234567890.1',
    '1.1234567890',
    '١.٢',
  ]
  for (const text of bad) {
    it(`are not ${JSON.stringify(text)}`, () => assert.equal(parseEventId(text), undefined))
  }
})
