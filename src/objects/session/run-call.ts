/** Running a call in its session: what it says on the way, and the text of its answer. */
import { finish, type FinishOptions } from '../../methods/finish.ts'
import {
  formatError,
  formatResultOpening,
  INTERNAL_ERROR,
  RpcError,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import { logError } from '../../protocol/log.ts'
import type { CallBody } from './packet.ts'
import type { SessionRecord } from './record.ts'

/** What a call runs in, beside what its session knows; without a stream it cannot `ask`. */
export type RunContext = Pick<FinishOptions, 'ask' | 'session' | 'world' | 'note' | 'waitUntil'> & {
  /** Aborts when the call is cancelled. */
  signal: AbortSignal
  /** Sends a message to the client before the answer. */
  send: (message: string) => void
}

/** The text of the answer to a call; undefined when it was cancelled, which is not answered. */
export async function runCall(
  { id, progressToken, prepared }: CallBody,
  { revision, clientCapabilities, logLevel = 'debug' }: SessionRecord,
  { send, ...context }: RunContext,
): Promise<string | undefined> {
  try {
    const notify = (notification: object) => send(JSON.stringify(notification))
    const declared = JSON.parse(clientCapabilities) as Record<string, unknown>
    const options = { ...context, declared, revision, progressToken, logLevel, notify }
    const result = await finish(prepared, options)
    return context.signal.aborted
      ? undefined
      : `${formatResultOpening(id)}${JSON.stringify(result)}}`
  } catch (error) {
    if (context.signal.aborted) return undefined
    if (error instanceof RpcError) return formatError(error, id)
    logError('a call failed', error)
    return formatError(new RpcError(INTERNAL_ERROR, 'Internal error'), id)
  }
}

/** The text of the answer to a request, given as JSON, whose own answer is nowhere. */
export function lostAnswer(request: string): string {
  const error = new RpcError(INTERNAL_ERROR, 'The answer was lost; the call may have run')
  return formatError(error, JSON.parse(request) as RequestId)
}
