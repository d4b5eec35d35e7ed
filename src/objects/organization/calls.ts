/**
 * The call log of an organization: a row for each batch of calls, since a row is what writing costs. A
 * batch has the number of its first call for an id, so that the others have theirs by their place. The
 * last 10,000 calls of 30 days are kept, less those that were deleted: whole batches beyond that are
 * taken away with each one that is written, and what is too old in the others is not read.
 */
import type { CallEntry } from '../../methods/call-entry.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1000
const MAX_CALLS = 10_000

/** Which calls: every member that is given must hold. Times are in ms since the epoch. */
export type CallFilter = {
  server?: string | undefined
  tool?: string | undefined
  caller?: string | undefined
  outcome?: CallEntry['outcome'] | undefined
  /** At this time or later. */
  from?: number | undefined
  /** Before this time. */
  to?: number | undefined
  /** A text in `problem`, in whatever case. */
  q?: string | undefined
}

/** The place of a call in the log: the newest first, of those at one time the one written last. */
export type CallPlace = { at: number; id: number }

export type CallRecord = Omit<CallEntry, 'organization'> & CallPlace

type Row = Omit<CallRecord, 'status' | 'bytes' | 'problem'> & {
  status: number | null
  bytes: number | null
  problem: string | null
}

const MEMBERS = ['at', 'server', 'tool', 'caller', 'outcome', 'status', 'ms', 'bytes', 'problem']
/** Every call, `null` in the place of one that was deleted. */
const EACH = `(SELECT b.id AS batch, b.id + c.key AS id,
  ${MEMBERS.map((member) => `c.value ->> '$.${member}' AS ${member}`).join(', ')}
  FROM call_batches b, json_each(b.entries) c WHERE c.type <> 'null')`

const CONDITIONS: Readonly<Record<keyof CallFilter, string>> = {
  server: 'server = ?',
  tool: 'tool = ?',
  caller: 'caller = ?',
  outcome: 'outcome = ?',
  from: 'at >= ?',
  to: 'at < ?',
  q: 'instr(lower(problem), lower(?)) > 0', // a LIKE pattern may have 50 bytes
}

/** Writes a batch, the JSON of its entries, and takes away what is too old or too much. */
export function writeCalls(sql: SqlStorage, entries: string, length: number, now: number): void {
  const { id } = sql.exec<{ id: number }>(APPEND, now, length, entries).one()
  sql.exec(FORGET, now - KEPT_MS, id + length - MAX_CALLS)
}

const APPEND = `INSERT INTO call_batches (id, at, length, entries) VALUES (
  coalesce((SELECT id + length FROM call_batches ORDER BY id DESC LIMIT 1), 1), ?, ?, ?)
  RETURNING id`

/** Reads what it takes away and a batch more, however many there are. */
const FORGET = `DELETE FROM call_batches WHERE id < max(
  (SELECT id FROM call_batches WHERE at >= ?1 ORDER BY id LIMIT 1),
  coalesce((SELECT id FROM call_batches WHERE id <= ?2 ORDER BY id DESC LIMIT 1), 0))`

/** The calls of a filter from before a place on, newest first. */
export function readCalls(
  { sql, now }: Pick<Context, 'sql' | 'now'>,
  filter: CallFilter,
  { at, id }: CallPlace,
  limit: number,
): CallRecord[] {
  const { where, values } = conditionOf(filter)
  return sql
    .exec<Row>(
      `SELECT id, ${MEMBERS.join(', ')} FROM ${EACH} WHERE ${where} AND at >= ?
       AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?`,
      ...values,
      now - KEPT_MS,
      at,
      id,
      limit,
    )
    .toArray()
    .map(({ status, bytes, problem, ...row }) => ({
      ...row,
      status: status ?? undefined,
      bytes: bytes ?? undefined,
      problem: problem ?? undefined,
    }))
}

/** Deletes the calls of a filter; how many those were. */
export function deleteCalls(context: Context, filter: CallFilter, { actor }: Write): number {
  const { sql, now, organization } = context
  const { where, values } = conditionOf(filter)
  return context.transact(() => {
    const found = sql
      .exec<{ batch: number; id: number }>(
        `SELECT batch, id FROM ${EACH} WHERE ${where}`,
        ...values,
      )
      .toArray()
    for (const [batch, calls] of Map.groupBy(found, (call) => call.batch)) {
      removeFromBatch(
        sql,
        batch,
        calls.map(({ id }) => id - batch),
      )
    }
    const { q, ...named } = filter
    // What was searched for may be what must not be kept.
    const detail = { ...named, ...(q !== undefined && { q: true }), deleted: found.length }
    writeAudit(sql, { actor, act: 'calls.delete', target: organization, detail }, now)
    return found.length
  })
}

/** Puts `null` in these places, so that the others keep theirs; a batch that has no call left goes. */
function removeFromBatch(sql: SqlStorage, batch: number, places: readonly number[]): void {
  sql.exec(
    `UPDATE call_batches SET entries = (
       SELECT json_group_array(CASE WHEN key IN (SELECT value FROM json_each(?2))
         THEN NULL ELSE json(value) END) FROM json_each(entries))
     WHERE id = ?1`,
    batch,
    JSON.stringify(places),
  )
  sql.exec(
    `DELETE FROM call_batches WHERE id = ?
       AND NOT EXISTS (SELECT 1 FROM json_each(entries) WHERE type <> 'null')`,
    batch,
  )
}

function conditionOf(filter: CallFilter): { where: string; values: (string | number)[] } {
  const where = ['TRUE']
  const values: (string | number)[] = []
  for (const [name, condition] of Object.entries(CONDITIONS)) {
    const value = filter[name as keyof CallFilter]
    if (value === undefined) continue
    where.push(condition)
    values.push(value)
  }
  return { where: where.join(' AND '), values }
}
