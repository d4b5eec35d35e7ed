/**
 * The log of a session's call streams, so that a client can ask for what it missed.
 *
 * An event id is `<stream>.<sequence>`. Events are kept whole: a long one takes several rows, and
 * what does not fit the bounds is dropped oldest first, so a replay is either complete or refused.
 * A stream's rows go five minutes after its answer.
 */

import { encodeUtf8 } from '../../protocol/bytes.ts'

export const KEPT_AFTER_MS = 5 * 60 * 1000
const MAX_EVENTS = 100
const MAX_BYTES = 1024 * 1024
const MAX_ROW_CHARACTERS = 160 * 1024 // at most 480 KiB of UTF-8; a row must stay under 512 KiB

/** The tables; made with the session, not with the object. */
export const EVENT_LOG_SCHEMA = `
  CREATE TABLE streams (
    id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, sent INTEGER NOT NULL, ended_at INTEGER
  );
  CREATE TABLE events (
    age INTEGER PRIMARY KEY, stream INTEGER NOT NULL, sequence INTEGER NOT NULL,
    part INTEGER NOT NULL, bytes INTEGER NOT NULL, body TEXT NOT NULL,
    UNIQUE (stream, sequence, part)
  );
  CREATE INDEX streams_ended ON streams (ended_at);`

export type StoredStream = {
  id: number
  request: string
  sent: number
  endedAt: number | undefined
}

export type StoredEvent = { sequence: number; body: string }

type StreamRow = { id: number; request: string; sent: number; ended_at: number | null }

/** Begins a stream for a request, whose id is kept as JSON text; the stream's number. */
export function beginStream(sql: SqlStorage, request: string): number {
  const query = 'INSERT INTO streams (request, sent) VALUES (?, 0) RETURNING id'
  return sql.exec<{ id: number }>(query, request).one().id
}

export function findStream(sql: SqlStorage, id: number): StoredStream | undefined {
  const row = [...sql.exec<StreamRow>('SELECT * FROM streams WHERE id = ?', id)][0]
  return row && { id, request: row.request, sent: row.sent, endedAt: row.ended_at ?? undefined }
}

/** Appends an event and gives its sequence; those of one stream only grow. */
export function appendEvent(sql: SqlStorage, stream: number, body: string): number {
  const update = 'UPDATE streams SET sent = sent + 1 WHERE id = ? RETURNING sent'
  const { sent: sequence } = sql.exec<{ sent: number }>(update, stream).one()
  for (const [part, text] of partsOf(body).entries()) {
    sql.exec(
      'INSERT INTO events (stream, sequence, part, bytes, body) VALUES (?, ?, ?, ?, ?)',
      stream,
      sequence,
      part,
      encodeUtf8(text).length,
      text,
    )
  }
  trim(sql)
  return sequence
}

/** Notes that a stream has had its last event. */
export function endStream(sql: SqlStorage, stream: number, now: number): void {
  sql.exec('UPDATE streams SET ended_at = ? WHERE id = ? AND ended_at IS NULL', now, stream)
}

/** The events of a stream after a sequence; undefined when some of them are no longer kept. */
export function eventsAfter(
  sql: SqlStorage,
  { id, sent }: StoredStream,
  sequence: number,
): StoredEvent[] | undefined {
  const rows = sql.exec<{ sequence: number; body: string }>(
    'SELECT sequence, body FROM events WHERE stream = ? AND sequence > ? ORDER BY sequence, part',
    id,
    sequence,
  )
  const bodies = new Map<number, string>()
  for (const row of rows) bodies.set(row.sequence, (bodies.get(row.sequence) ?? '') + row.body)
  if (bodies.size < sent - sequence) return undefined
  return [...bodies].map(([number, body]) => ({ sequence: number, body }))
}

/** Drops the streams that ended long enough ago. */
export function dropEndedStreams(sql: SqlStorage, now: number): void {
  const ended = 'SELECT id FROM streams WHERE ended_at <= ?'
  sql.exec(`DELETE FROM events WHERE stream IN (${ended})`, now - KEPT_AFTER_MS)
  sql.exec('DELETE FROM streams WHERE ended_at <= ?', now - KEPT_AFTER_MS)
}

/** When the next stream is to be dropped, in ms since the epoch. */
export function nextDropAt(sql: SqlStorage): number | undefined {
  const query = 'SELECT MIN(ended_at) AS at FROM streams'
  const { at } = sql.exec<{ at: number | null }>(query).one()
  return at === null ? undefined : at + KEPT_AFTER_MS
}

/** The streams that have no last event yet. */
export function openStreams(sql: SqlStorage): StoredStream[] {
  return sql
    .exec<StreamRow>('SELECT * FROM streams WHERE ended_at IS NULL')
    .toArray()
    .map(({ id, request, sent }) => ({ id, request, sent, endedAt: undefined }))
}

/** The text of an event id. */
export function formatEventId(stream: number, sequence: number): string {
  return `${stream}.${sequence}`
}

/** Reads an event id; undefined for what we did not make. */
export function parseEventId(text: string): { stream: number; sequence: number } | undefined {
  const [, stream, sequence] = /^(\d{1,9})\.(\d{1,9})$/.exec(text) ?? []
  if (stream === undefined || sequence === undefined) return undefined
  return { stream: Number(stream), sequence: Number(sequence) }
}

/** A text in pieces that fit a row, never cut within a surrogate pair. */
function partsOf(body: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < body.length;) {
    const end = at + MAX_ROW_CHARACTERS
    const isCutWithin = /[\uD800-\uDBFF]/.test(body[end - 1] ?? '') && end < body.length
    parts.push(body.slice(at, isCutWithin ? end - 1 : end))
    at = isCutWithin ? end - 1 : end
  }
  return parts
}

/** Drops whole events, oldest first, until the log is within its bounds. */
function trim(sql: SqlStorage): void {
  const rows = sql
    .exec<{ stream: number; sequence: number; bytes: number }>(
      `SELECT stream, sequence, SUM(bytes) AS bytes FROM events
       GROUP BY stream, sequence ORDER BY MIN(age)`,
    )
    .toArray()
  let bytes = rows.reduce((sum, row) => sum + row.bytes, 0)
  let count = rows.length
  for (const row of rows) {
    if (count <= MAX_EVENTS && bytes <= MAX_BYTES) return
    sql.exec('DELETE FROM events WHERE stream = ? AND sequence = ?', row.stream, row.sequence)
    count -= 1
    bytes -= row.bytes
  }
}
