/** Sends what a static tool has before its result, as the client asked for it and no more. */
import { INTERNAL_ERROR } from '../protocol/json-rpc.ts'
import { isAtLeast, type LogLevel } from '../protocol/logging.ts'
import type { Step } from '../handlers/steps.ts'
import type { Cancellation } from './cancellation.ts'

export type Notification = {
  jsonrpc: '2.0'
  method: string
  params: Readonly<Record<string, unknown>>
}

/** The client could not, or would not, answer what it was asked. */
export class AskRefused extends Error {
  override readonly name = 'AskRefused'
  /** The code of the error that it answered with. */
  readonly code: number
  constructor(message: string, code = INTERNAL_ERROR) {
    super(message)
    this.code = code
  }
}

/**
 * Asks the client, and gives the result it answers with; `AskRefused` where it answers none. `signal`
 * aborts when nobody waits for the answer any more.
 */
export type Ask = (
  method: string,
  params: Readonly<Record<string, unknown>>,
  signal: Cancellation | undefined,
) => Promise<Record<string, unknown>>

/** How a call talks while it runs. */
export type Talk = {
  /** Progress is sent only under the token a client gave. */
  progressToken: string | number | undefined
  /** The least severe level the client wants; undefined: no logs. */
  logLevel: LogLevel | undefined
  /** Ends the waiting, and everything after it; undefined where nothing does: to listen costs. */
  signal: Cancellation | undefined
  notify: (notification: Notification) => void
}

export type RunOptions = Talk & {
  /** What the client can be asked, as it declared it; nothing where it has no way to answer. */
  declared: Readonly<Record<string, unknown>>
  /** Absent where the client cannot be asked while the call runs. */
  ask?: Ask | undefined
  /** The id of the session that the call is in. */
  session?: string | undefined
  /** Keeps work that may outlive the call. */
  waitUntil: (work: Promise<unknown>) => void
}

/** Runs the steps in order; returns early when the call was cancelled. */
export async function runSteps(steps: readonly Step[], options: Talk): Promise<void> {
  const { progressToken, logLevel, signal, notify } = options
  for (const step of steps) {
    if (signal?.aborted) return
    if ('waitMs' in step) {
      await wait(step.waitMs, signal)
    } else if ('progress' in step) {
      if (progressToken === undefined) continue
      const params = { progressToken, ...step.progress }
      notify({ jsonrpc: '2.0', method: 'notifications/progress', params })
    } else if (logLevel !== undefined && isAtLeast(step.log.level, logLevel)) {
      notify({ jsonrpc: '2.0', method: 'notifications/message', params: step.log })
    }
  }
}

function wait(ms: number, signal: Cancellation | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
    function done(): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
