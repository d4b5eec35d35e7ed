/** Time-outs in convai's terms, which knows whole seconds from 5 to 300 (`convai-api.md` §3). */

/** The time-out nearest to one of ours that convai can say. */
export function timeoutOf(seconds: number): number {
  return Math.min(300, Math.max(5, Math.round(seconds)))
}
