/**
 * The call log of an organization: a row for each call of a tool, kept for 30 days and 10,000 rows,
 * whichever is less. It is trimmed with each batch that is written, and older rows are not read.
 */
import type { CallEntry } from '../../methods/call-entry.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'

const KEPT_MS = 30 * 24 * 60 * 60 * 1000
const MAX_ROWS = 10_000
const MAX_ROWS_OVER = 500 // until they are counted again, which goes through all

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

type Row = {
  id: number
  at: number
  server: string
  tool: string
  caller: string
  outcome: CallEntry['outcome']
  status: number | null
  ms: number
  bytes: number | null
  problem: string | null
}

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
export function writeCalls(sql: SqlStorage, entries: string, now: number): void {
  const members = ['at', 'server', 'tool', 'caller', 'outcome', 'status', 'ms', 'bytes', 'problem']
  const values = members.map((member) => `value ->> '$.${member}'`).join(', ')
  // One statement for all: a call is to cost little more for being noted.
  sql.exec(`INSERT INTO calls (${members.join(', ')}) SELECT ${values} FROM json_each(?)`, entries)
  const [kept] = sql
    .exec<{ length: number; oldest: number }>(
      `SELECT (SELECT MAX(id) FROM calls) - id + 1 AS length, at AS oldest
       FROM calls ORDER BY id LIMIT 1`,
    )
    .toArray()
  if (kept === undefined) return
  if (kept.length > MAX_ROWS + MAX_ROWS_OVER || kept.oldest < now - KEPT_MS) trim(sql, now)
}

function trim(sql: SqlStorage, now: number): void {
  sql.exec('DELETE FROM calls WHERE at < ?', now - KEPT_MS)
  sql.exec(
    // Those written first, which needs no sorting of all: batches come within seconds of their calls.
    'DELETE FROM calls WHERE id <= (SELECT id FROM calls ORDER BY id DESC LIMIT 1 OFFSET ?)',
    MAX_ROWS,
  )
}

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
      `SELECT * FROM calls WHERE ${where} AND at >= ? AND (at, id) < (?, ?)
       ORDER BY at DESC, id DESC LIMIT ?`,
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
    const rows = sql.exec(`DELETE FROM calls WHERE ${where} RETURNING id`, ...values).toArray()
    const { q, ...named } = filter
    // What was searched for may be what must not be kept.
    const detail = { ...named, ...(q !== undefined && { q: true }), deleted: rows.length }
    writeAudit(sql, { actor, act: 'calls.delete', target: organization, detail }, now)
    return rows.length
  })
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
