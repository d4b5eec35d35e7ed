/**
 * Answers single messages as values: a status and a body, errors among them (`mcp-protocol.md` §2).
 * What is streamed, batches and sessions stand elsewhere.
 */
import { answerMessage } from '../methods/answer-message.ts'
import type { Exchange, Result } from '../methods/exchange.ts'
import { concat, encodeUtf8 } from '../protocol/bytes.ts'
import { Unavailable } from '../memory/lookup.ts'
import { HttpError } from '../protocol/http-error.ts'
import {
  formatError,
  formatResultOpening,
  INTERNAL_ERROR,
  RpcError,
  type Request as RpcRequest,
  type RequestId,
} from '../protocol/json-rpc.ts'
import { logError } from '../protocol/log.ts'

/** A status and the text of a body; without one there is nothing to say (202). */
export type Answer = { status: number; body: string | Uint8Array<ArrayBuffer> | undefined }

export type Asked = Omit<Exchange, 'params'>

export const ACCEPTED: Answer = { status: 202, body: undefined }

/** Answers a request of an era. */
export function answerRequest(
  era: 'legacy' | 'modern',
  { id, method, params = {} }: RpcRequest,
  asked: Asked,
): Answer | Promise<Answer> {
  return answerBy(id, () => answerMessage(era, method, { ...asked, params }))
}

/** The answer to a request of what gives its result; what that throws in JSON-RPC form is one too. */
export function answerBy(
  id: RequestId,
  run: () => Result | Promise<Result>,
): Answer | Promise<Answer> {
  try {
    const result = run()
    if (result instanceof Promise) return answerLater(id, result)
    return { status: 200, body: formatResult(id, result) }
  } catch (error) {
    return answerError(error, id)
  }
}

async function answerLater(id: RequestId, result: Promise<Result>): Promise<Answer> {
  try {
    return { status: 200, body: formatResult(id, await result) }
  } catch (error) {
    return answerError(error, id)
  }
}

/**
 * The answer that an error is. `missing` stands for an id that could not be read: null in a batch,
 * absent elsewhere (`surfaces.md` D4). HTTP refusals are for the whole request, and thrown on.
 */
export function answerError(error: unknown, missing: RequestId | null | undefined): Answer {
  if (error instanceof HttpError || error instanceof Unavailable) throw error
  if (error instanceof RpcError) {
    return { status: error.status, body: formatError(error, error.id ?? missing) }
  }
  logError('a message failed', error)
  return { status: 200, body: formatError(new RpcError(INTERNAL_ERROR, 'Internal error'), missing) }
}

/** The text of a result's answer; a list stays the bytes it is. */
export function formatResult(id: RequestId, result: Result): string | Uint8Array<ArrayBuffer> {
  const opening = formatResultOpening(id)
  if (!isOpen(result)) return `${opening}${JSON.stringify(result)}}`
  const members = JSON.stringify(result.members)
  const closing = members === '{}' ? '}}' : `,${members.slice(1)}}`
  return concat([encodeUtf8(opening), result.open, encodeUtf8(closing)])
}

function isOpen(result: Result): result is Extract<Result, { open: Uint8Array }> {
  return result['open'] instanceof Uint8Array
}
