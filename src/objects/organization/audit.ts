/** The audit log: a row for each write, in the same transaction. The newest 100,000 are kept. */

const MAX_ROWS = 100_000
const TRIM_EVERY = 1000

export type AuditEntry = {
  id: number
  at: string
  actor: string
  act: string
  target: string
  /** JSON text: an open object does not cross RPC by type. */
  detail: string
}

type Row = { id: number; at: number; actor: string; act: string; target: string; detail: string }

/** Who did what to what; `detail` has names, numbers and what people wrote, never a secret. */
export type Act = {
  actor: string
  act: string
  target: string
  detail?: Readonly<Record<string, unknown>>
}

export function writeAudit(
  sql: SqlStorage,
  { actor, act, target, detail }: Act,
  now: number,
): void {
  const { id } = sql
    .exec<{ id: number }>(
      'INSERT INTO audit (at, actor, act, target, detail) VALUES (?, ?, ?, ?, ?) RETURNING id',
      now,
      actor,
      act,
      target,
      JSON.stringify(detail ?? {}),
    )
    .one()
  if (id % TRIM_EVERY === 0) sql.exec('DELETE FROM audit WHERE id <= ?', id - MAX_ROWS)
}

/** The log, newest first, from before an id. */
export function readAudit(sql: SqlStorage, before: number, limit: number): AuditEntry[] {
  return sql
    .exec<Row>('SELECT * FROM audit WHERE id < ? ORDER BY id DESC LIMIT ?', before, limit)
    .toArray()
    .map((row) => ({ ...row, at: new Date(row.at).toISOString() }))
}
