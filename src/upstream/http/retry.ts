/** When a request is sent again, and how long that waits. */

/** Methods that do the same when they are sent twice. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE'])
const PASSING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])
const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 10_000

/** How many times a request may be sent. */
export function attemptsOf(method: string, retries: number): number {
  return IDEMPOTENT.has(method) ? 1 + retries : 1
}

/** Whether a status may be another one in a moment. */
export function isPassing(status: number): boolean {
  return PASSING.has(status)
}

/**
 * How long to wait after an attempt, counted from 0: twice as long each time, of that a random half,
 * and never less than the API asks for in `Retry-After`.
 */
export function delayMs(
  attempt: number,
  retryAfter: string | null,
  { now = Date.now(), random = Math.random() } = {},
): number {
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt)
  return Math.max(most * (0.5 + random / 2), askedMs(retryAfter, now))
}

/** `Retry-After` in seconds or as a date; 0 where it is neither. */
function askedMs(retryAfter: string | null, now: number): number {
  if (retryAfter === null) return 0
  if (/^\s*\d{1,10}\s*$/.test(retryAfter)) return Number(retryAfter) * 1000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? 0 : Math.max(0, at - now)
}
