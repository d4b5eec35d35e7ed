/** Running a call in its session: what it says on the way, and the text of its answer. */
import { finish, type Note } from '../../methods/finish.ts'
import {
  formatError,
  formatResultOpening,
  INTERNAL_ERROR,
  RpcError,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import type { World } from '../../upstream/world.ts'
import type { CallBody } from './packet.ts'
import type { SessionRecord } from './record.ts'

export type RunContext = {
  signal: AbortSignal
  /** Sends a message to the client before the answer. */
  send: (message: string) => void
  world: World
  note: Note
}

/** The text of the answer to a call; undefined when it was cancelled, which is not answered. */
export async function runCall(
  { id, progressToken, prepared }: CallBody,
  { revision, logLevel = 'debug' }: SessionRecord,
  { signal, send, world, note }: RunContext,
): Promise<string | undefined> {
  try {
    const notify = (notification: object) => send(JSON.stringify(notification))
    const options = { revision, progressToken, logLevel, signal, notify, world, note }
    const result = await finish(prepared, options)
    return signal.aborted ? undefined : `${formatResultOpening(id)}${JSON.stringify(result)}}`
  } catch (error) {
    if (signal.aborted) return undefined
    console.error(error)
    return formatError(new RpcError(INTERNAL_ERROR, 'Internal error'), id)
  }
}

/** The text of the answer to a request, given as JSON, whose own answer is nowhere. */
export function lostAnswer(request: string): string {
  const error = new RpcError(INTERNAL_ERROR, 'The answer was lost; the call may have run')
  return formatError(error, JSON.parse(request) as RequestId)
}
