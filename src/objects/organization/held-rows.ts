/**
 * Calls that are held for a person (`surfaces.md` C48; ApprovalRequest of `design.md` §3). A call waits
 * as `pending`, and runs once, after it was `approved`: `running` is written before it starts, so that
 * whatever stops it in the middle leaves `unknown`, never a second run.
 *
 * `due_at` is when a row's state ends by itself: a call expires when nobody has waited for it for five
 * minutes, one that runs longer than any call can is unknown, a result is kept for ten minutes, and the
 * row for a day. Arguments and results are sealed, for this row alone; arguments go when they are of no
 * use any more. A row's arguments never change, so what was approved is what runs.
 */
import type { Place } from '../../sealing/seal.ts'

const WAITING_MS = 5 * 60_000
const LONGEST_RUN_MS = 15 * 60_000 // an exchange ends after ten
const RESULT_KEPT_MS = 10 * 60_000
const KEPT_MS = 24 * 3_600_000
const MAX_OPEN_OF_PRINCIPAL = 100
const MAX_OPEN = 1000
const MAX_ROWS = 10_000 // the oldest of those that are over go first

export type HeldState =
  | 'pending'
  | 'approved'
  | 'denied'
  | 'expired'
  | 'running'
  | 'done'
  | 'unknown'

export type HeldRow = {
  /** Rises with each call that is held. */
  n: number
  id: string
  principal: string
  /** The credential by which it was made. */
  credential: string
  server: string
  /** The tool's name on its server, and on the gateway. */
  tool: string
  name: string
  /** The alias that was named. */
  account: string | null
  environment: string | null
  /** The arguments, sealed, as long as they are of use; and their hash. */
  sealed: string | null
  digest: string
  /** What the tool was then, as a hash; null where that was not noted yet. */
  item: string | null
  state: HeldState
  decided_by: string | null
  created_at: number
  decided_at: number | null
  due_at: number
  /** Who runs it: one that asks again to begin may. */
  run: string | null
  /** The result, sealed, as long as it is kept. */
  result: string | null
}

export type NewHeld = Omit<
  HeldRow,
  'n' | 'state' | 'decided_by' | 'decided_at' | 'due_at' | 'run' | 'result'
>

/** Where the arguments of a held call are sealed for. */
export const heldPlace = (organization: string, id: string): Place => ({
  purpose: 'secrets',
  path: [organization, 'held', id, 'arguments'],
})

/** Where the result of a held call is sealed for. */
export const heldResultPlace = (organization: string, id: string): Place => ({
  purpose: 'secrets',
  path: [organization, 'held', id, 'result'],
})

/** Ends what has come to its end by itself. */
export function settleHeld(sql: SqlStorage, now: number): void {
  if ((nextHeldAt(sql) ?? Infinity) > now) return
  sql.exec(
    `UPDATE held SET state = 'expired', sealed = NULL, due_at = created_at + ?2
     WHERE state IN ('pending', 'approved') AND due_at <= ?1`,
    now,
    KEPT_MS,
  )
  sql.exec(
    `UPDATE held SET state = 'unknown', sealed = NULL, due_at = created_at + ?2
     WHERE state = 'running' AND due_at <= ?1`,
    now,
    KEPT_MS,
  )
  sql.exec(
    `UPDATE held SET result = NULL, due_at = created_at + ?2
     WHERE result IS NOT NULL AND due_at <= ?1`,
    now,
    KEPT_MS,
  )
  sql.exec('DELETE FROM held WHERE due_at <= ?', now)
}

/** When something ends by itself next, in ms since the epoch; undefined where nothing is held. */
export function nextHeldAt(sql: SqlStorage): number | undefined {
  const { at } = sql.exec<{ at: number | null }>('SELECT MIN(due_at) AS at FROM held').one()
  return at ?? undefined
}

/** Writes a call that waits from now on. */
export function writeHeld(sql: SqlStorage, held: NewHeld): void {
  const { id, principal, created_at: now } = held
  const { n } = sql
    .exec<{ n: number }>(
      `INSERT INTO held (id, principal, credential, server, tool, name, account, environment, sealed,
         digest, item, state, created_at, due_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?) RETURNING n`,
      id,
      principal,
      held.credential,
      held.server,
      held.tool,
      held.name,
      held.account,
      held.environment,
      held.sealed,
      held.digest,
      held.item,
      now,
      now + WAITING_MS,
    )
    .one()
  const query = `DELETE FROM held
    WHERE n <= ? AND state NOT IN ('pending', 'approved', 'running')`
  sql.exec(query, n - MAX_ROWS)
}

/** A held call; undefined for none of that id. */
export function findHeld(sql: SqlStorage, id: string): HeldRow | undefined {
  return [...sql.exec<HeldRow>('SELECT * FROM held WHERE id = ?', id)][0]
}

/** The held call of an id where it is a principal's own (`surfaces.md` C16); undefined otherwise. */
export function findOwnHeld(sql: SqlStorage, principal: string, id: string): HeldRow | undefined {
  const row = findHeld(sql, id)
  return row?.principal === principal ? row : undefined
}

/** Held calls, newest first, from before one; of a state, where one is named. */
export function listHeld(
  sql: SqlStorage,
  state: HeldState | undefined,
  before: number,
  limit: number,
): HeldRow[] {
  return sql
    .exec<HeldRow>(
      `SELECT * FROM held WHERE n < ?1 AND (?2 IS NULL OR state = ?2) ORDER BY n DESC LIMIT ?3`,
      before,
      state ?? null,
      limit,
    )
    .toArray()
}

/** Notes that its caller waits for a call that is pending or approved; it is kept for a day at most. */
export function noteWaiting(sql: SqlStorage, { id, created_at }: HeldRow, now: number): void {
  const until = Math.min(now + WAITING_MS, created_at + KEPT_MS)
  sql.exec('UPDATE held SET due_at = ? WHERE id = ?', until, id)
}

/** Notes what a person decided. */
export function noteDecided(
  sql: SqlStorage,
  row: HeldRow,
  { state, by }: { state: 'approved' | 'denied'; by: string },
  now: number,
): void {
  const query = 'UPDATE held SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?'
  sql.exec(query, state, by, now, row.id)
  if (state === 'approved') noteWaiting(sql, row, now)
  else closeHeld(sql, row, state)
}

/** Notes that a call runs from now on. */
export function noteRunning(sql: SqlStorage, { id }: HeldRow, run: string, now: number): void {
  const query = `UPDATE held SET state = 'running', run = ?, due_at = ? WHERE id = ?`
  sql.exec(query, run, now + LONGEST_RUN_MS, id)
}

/** Notes that a call has run, with its result where that is kept. */
export function noteDone(
  sql: SqlStorage,
  row: HeldRow,
  result: string | undefined,
  now: number,
): void {
  closeHeld(sql, row, 'done')
  if (result === undefined) return
  const query = 'UPDATE held SET result = ?, due_at = ? WHERE id = ?'
  sql.exec(query, result, now + RESULT_KEPT_MS, row.id)
}

/** Notes that nothing comes of a call any more. */
export function closeHeld(sql: SqlStorage, { id, created_at }: HeldRow, state: HeldState): void {
  const query = 'UPDATE held SET state = ?, sealed = NULL, due_at = ? WHERE id = ?'
  sql.exec(query, state, created_at + KEPT_MS, id)
}

/** Whether another call of a principal may be held; those that wait or run are bounded. */
export function hasRoom(sql: SqlStorage, principal: string): boolean {
  const { own, every } = sql
    .exec<{ own: number; every: number }>(
      `SELECT COUNT(*) AS every, COUNT(CASE principal WHEN ? THEN 1 END) AS own
       FROM held WHERE state IN ('pending', 'approved', 'running')`,
      principal,
    )
    .one()
  return own < MAX_OPEN_OF_PRINCIPAL && every < MAX_OPEN
}
