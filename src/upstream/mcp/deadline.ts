/**
 * How long an exchange may last: silence up to a limit, which news from the remote server extend,
 * and never beyond a maximum (`mcp-protocol.md` §6.4).
 */
import type { Cancellation } from '../cancellation.ts'
import { UpstreamFault } from './fault.ts'

export type Limits = {
  /** Ends the exchange as cancelled. */
  signal?: Cancellation | undefined
  /** How long the remote server may be silent. */
  timeoutMs?: number | undefined
  /** How long the exchange may last, whatever is heard. */
  maxMs?: number | undefined
}

const DEFAULT_TIMEOUT_MS = 60_000
const DEFAULT_MAX_MS = 600_000

export type Deadline = {
  /** Aborted with the fault to throw. */
  signal: AbortSignal
  /** Something was heard: the silence starts anew. */
  extend: () => void
  /** The remote server waits for us, which is no silence of its; the answer says when that is over. */
  hold: () => () => void
  /** The value, or the fault that came before it. */
  race: <T>(promise: Promise<T>) => Promise<T>
  /** Lets the timers go; every deadline is ended. */
  end: () => void
}

/** Starts the clock of one exchange. */
export function startDeadline({ signal, timeoutMs, maxMs }: Limits): Deadline {
  const abort = new AbortController()
  const limitMs = timeoutMs ?? DEFAULT_TIMEOUT_MS
  const hardMs = maxMs ?? Math.max(DEFAULT_MAX_MS, limitMs)
  let holders = 0

  const fail = (ms: number) => () =>
    abort.abort(
      new UpstreamFault('timeout', `The remote server did not answer within ${ms / 1000} s`),
    )
  const cancel = () => abort.abort(new UpstreamFault('cancelled', 'The request was cancelled'))
  let silence = setTimeout(fail(limitMs), limitMs)
  const extend = () => {
    clearTimeout(silence)
    if (holders === 0) silence = setTimeout(fail(limitMs), limitMs)
  }
  const hard = setTimeout(fail(hardMs), hardMs)
  if (signal?.aborted === true) cancel()
  signal?.addEventListener('abort', cancel)

  return {
    signal: abort.signal,
    extend,
    hold() {
      holders += 1
      clearTimeout(silence)
      return () => {
        holders -= 1
        extend()
      }
    },
    race(promise) {
      return new Promise((resolve, reject) => {
        const lose = () => reject(abort.signal.reason)
        if (abort.signal.aborted) lose()
        abort.signal.addEventListener('abort', lose)
        promise.then(resolve, reject).finally(() => abort.signal.removeEventListener('abort', lose))
      })
    },
    end() {
      clearTimeout(silence)
      clearTimeout(hard)
      holders = Infinity // a late end of holding starts no timer
      signal?.removeEventListener('abort', cancel)
    },
  }
}
