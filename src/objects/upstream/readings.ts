/**
 * When the lists of a remote server are read: what is due next, and how it went so far.
 *
 * Storage: `readings`, one row. A wish that comes while the lists are being read is for another
 * reading, since that one may have passed what changed.
 */
export const READINGS_SCHEMA = `CREATE TABLE readings (
   due_at INTEGER NOT NULL, begun_at INTEGER NOT NULL, failures INTEGER NOT NULL
 )`

const SOON_MS = 100 // a burst of changes is read once
const FIRST_RETRY_MS = 5000
const MIN_MS = 30_000 // whatever a remote server's ttl says

/** Times are in ms since the epoch; `failures` is how often it failed since it last did not. */
type Row = { due_at: number; begun_at: number; failures: number }

export class Readings {
  readonly #sql: SqlStorage
  #wishedAt = Infinity

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Lets the first one be due now. */
  start(now: number): void {
    this.#sql.exec('INSERT INTO readings (due_at, begun_at, failures) VALUES (?, 0, 0)', now)
  }

  /** When the next one is due. */
  get dueAt(): number {
    return this.#row().due_at
  }

  /** Wants one in a moment, but no sooner after the beginning of the last one than this. */
  wish(now: number, gapMs: number): void {
    const at = Math.max(now + SOON_MS, this.#row().begun_at + gapMs)
    this.#wishedAt = Math.min(this.#wishedAt, at)
    this.#sql.exec('UPDATE readings SET due_at = MIN(due_at, ?)', at)
  }

  /** One begins; should it not come to its end, another is due in a while. */
  begin(now: number): void {
    this.#wishedAt = Infinity
    const query = 'UPDATE readings SET begun_at = ?, due_at = ?'
    this.#sql.exec(query, now, now + jittered(FIRST_RETRY_MS))
  }

  /** One went well: the next is due after as long as the operator says, or the remote server. */
  succeed(now: number, everyMs: number, ttlMs: number | undefined): void {
    const waitMs = Math.min(everyMs, Math.max(ttlMs ?? everyMs, MIN_MS))
    this.#end(now + jittered(waitMs), 0)
  }

  /** One failed: the next is due the later the more have. */
  fail(now: number, everyMs: number): void {
    const failures = this.#row().failures + 1
    this.#end(now + jittered(Math.min(FIRST_RETRY_MS * 2 ** failures, everyMs)), failures)
  }

  #end(dueAt: number, failures: number): void {
    const at = Math.round(Math.min(dueAt, this.#wishedAt))
    this.#sql.exec('UPDATE readings SET due_at = ?, failures = ?', at, failures)
  }

  #row(): Row {
    return this.#sql.exec<Row>('SELECT * FROM readings').one()
  }
}

/** Spread out, so that servers that were made together are not all asked together. */
function jittered(ms: number): number {
  return Math.round(ms * (0.9 + 0.2 * Math.random()))
}
