/** Answers batches, which 2025-03-26 alone has, as one value (`mcp-protocol.md` §2.2). */
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import { CLAIM } from '../../protocol/envelope.ts'
import {
  INVALID_REQUEST,
  isObject,
  parseMessage,
  RpcError,
  type Message,
  type Request as RpcRequest,
} from '../../protocol/json-rpc.ts'
import { ACCEPTED, answerError, type Answer } from '../messages.ts'

/** What is done with a message that wants no answer. */
export type TakeNote = (message: Exclude<Message, RpcRequest>) => Promise<Answer>

const MAX_BATCH_LENGTH = 50 // each message may call an upstream
const MAX_BATCH_BYTES = 16 * 1024 * 1024

/**
 * The messages of an array (`surfaces.md` D2), which 2025-03-26 alone has: the session's revision,
 * or else the header's, or else none at all. Everything else is −32600 (400).
 */
export function requireBatch(
  batch: readonly unknown[],
  headers: Headers,
  negotiated: string | undefined,
): readonly unknown[] {
  const refuse = (message: string) => new RpcError(INVALID_REQUEST, message, { status: 400 })
  if (batch.length === 0) throw refuse('An empty batch')
  if (batch.some(isClaiming)) throw refuse('This revision has no batches')
  const revision = negotiated ?? headers.get('mcp-protocol-version') ?? '2025-03-26'
  if (revision !== '2025-03-26') throw refuse('This revision has no batches')
  if (batch.length > MAX_BATCH_LENGTH) throw refuse(`A batch may have ${MAX_BATCH_LENGTH} messages`)
  return batch
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

function isClaiming(value: unknown): boolean {
  if (!isObject(value) || !isObject(value['params'])) return false
  const meta = value['params']['_meta']
  return isObject(meta) && CLAIM in meta
}
