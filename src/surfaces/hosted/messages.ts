/**
 * Answers single messages and batches as values: a status and a body, errors among them
 * (`mcp-protocol.md` §2). What is streamed, and sessions, stand elsewhere.
 */
import { answerMessage } from '../../methods/answer-message.ts'
import type { Exchange, Result } from '../../methods/exchange.ts'
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import { Unavailable } from '../../memory/lookup.ts'
import { HttpError } from '../../protocol/http-error.ts'
import {
  formatError,
  formatResultOpening,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  isObject,
  parseMessage,
  RpcError,
  type Message,
  type Request as RpcRequest,
  type RequestId,
} from '../../protocol/json-rpc.ts'

/** A status and the text of a body; without one there is nothing to say (202). */
export type Answer = { status: number; body: string | Uint8Array<ArrayBuffer> | undefined }

export type Asked = Omit<Exchange, 'params'>

/** What is done with a message that wants no answer. */
export type TakeNote = (message: Exclude<Message, RpcRequest>) => Promise<Answer>

const MAX_BATCH_BYTES = 16 * 1024 * 1024

export const ACCEPTED: Answer = { status: 202, body: undefined }

/** Answers a request of an era; what it throws in JSON-RPC form is an answer too. */
export function answerRequest(
  era: 'legacy' | 'modern',
  { id, method, params = {} }: RpcRequest,
  asked: Asked,
): Answer | Promise<Answer> {
  try {
    const result = answerMessage(era, method, { ...asked, params })
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
 * Answers each message of a batch in its place; 202 when none of them wants an answer. Calls run side
 * by side, so that a slow one keeps no other waiting; the rest is answered in turn, since together
 * the answers are bounded: fifty lists of a large server would not fit an isolate.
 */
export async function answerBatch(
  batch: readonly unknown[],
  answerRequestOf: (message: RpcRequest) => Answer | Promise<Answer>,
  takeNote: TakeNote,
): Promise<Answer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  const answer = (value: unknown) => answerInBatch(value, answerRequestOf, takeNote)
  const calls = new Map(batch.filter(isCall).map((value) => [value, answer(value)]))
  for (const running of calls.values()) running.catch(() => {}) // it is awaited in its place
  for (const value of batch) {
    const { body } = await (calls.get(value) ?? answer(value))
    if (body === undefined) continue
    const text = typeof body === 'string' ? encodeUtf8(body) : body
    bytes += text.length
    if (bytes > MAX_BATCH_BYTES) throw tooLarge()
    parts.push(encodeUtf8(parts.length === 0 ? '[' : ','), text)
  }
  if (parts.length === 0) return ACCEPTED
  return { status: 200, body: concat([...parts, encodeUtf8(']')]) }
}

function isCall(value: unknown): boolean {
  return isObject(value) && value['method'] === 'tools/call'
}

function tooLarge(): RpcError {
  const message = `The answers to this batch are over ${MAX_BATCH_BYTES / 1024 / 1024} MiB together`
  return new RpcError(INVALID_REQUEST, message, { status: 400 })
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
  console.error(error)
  return { status: 200, body: formatError(new RpcError(INTERNAL_ERROR, 'Internal error'), missing) }
}

async function answerInBatch(
  value: unknown,
  answerRequestOf: (message: RpcRequest) => Answer | Promise<Answer>,
  takeNote: TakeNote,
): Promise<Answer> {
  try {
    const message = parseMessage(value)
    if (message.kind !== 'request') return await takeNote(message)
    if (message.method === 'initialize') {
      throw new RpcError(INVALID_REQUEST, 'initialize must not be in a batch', { id: message.id })
    }
    return await answerRequestOf(message)
  } catch (error) {
    return answerError(error, null)
  }
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
