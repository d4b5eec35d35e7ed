/**
 * How many calls each credential has made through the gateway, by calendar month (UTC). Rows are kept
 * for thirteen months.
 */

const KEPT_MONTHS = 13

export type Usage = { month: string; calls: number }

/** Counts a call, unless that would be over the cap; whether it may be made. */
export function takeCall(
  sql: SqlStorage,
  credential: string,
  monthlyCap: number | undefined,
  now: number,
): boolean {
  const month = monthOf(now)
  const query = 'SELECT calls FROM usage WHERE key = ? AND month = ?'
  const calls = [...sql.exec<{ calls: number }>(query, credential, month)][0]?.calls ?? 0
  if (monthlyCap !== undefined && calls >= monthlyCap) return false
  sql.exec(
    'INSERT OR REPLACE INTO usage (key, month, calls) VALUES (?, ?, ?)',
    credential,
    month,
    calls + 1,
  )
  if (calls === 0) sql.exec('DELETE FROM usage WHERE month < ?', monthOf(now, KEPT_MONTHS))
  return true
}

/** The calls of a credential in each month that is kept, newest first. */
export function readUsage(sql: SqlStorage, credential: string): Usage[] {
  const query = 'SELECT month, calls FROM usage WHERE key = ? ORDER BY month DESC'
  return sql.exec<Usage>(query, credential).toArray()
}

/** A month such as `2026-07`, or the one so many before. */
function monthOf(now: number, before = 0): string {
  const date = new Date(now)
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - before))
    .toISOString()
    .slice(0, 7)
}
