/**
 * Answers the messages of one POST without a session (`mcp-protocol.md` §1.2): one message of either
 * era, or a batch of 2025-03-26. Parsing of the body and everything about HTTP stand elsewhere.
 */
import type { Caller } from '../../callers/caller.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { answerMessage } from '../../methods/answer-message.ts'
import type { Exchange, Result } from '../../methods/exchange.ts'
import { concat, encodeUtf8 } from '../../protocol/bytes.ts'
import { classify, type Classified } from '../../protocol/classify.ts'
import { HttpError } from '../../protocol/http-error.ts'
import {
  formatError,
  formatResultOpening,
  INTERNAL_ERROR,
  INVALID_REQUEST,
  parseMessage,
  RpcError,
  type RequestId,
} from '../../protocol/json-rpc.ts'
import { MODERN_REVISION } from '../../protocol/revisions.ts'
import { isSessionId } from './session-id.ts'

export type Asked = {
  caller: Caller
  catalog: Catalog
  headers: Headers
} & Pick<Exchange, 'verified' | 'catalogAt'>

/** A status and the text of a body; without one there is nothing to say (202). */
export type Answer = { status: number; body: string | Uint8Array<ArrayBuffer> | undefined }

const ACCEPTED: Answer = { status: 202, body: undefined }

/** Answers one message; refusals in JSON-RPC form are answers too. */
export async function answerOne(value: unknown, asked: Asked): Promise<Answer> {
  try {
    const classified = classify(parseMessage(value), asked.headers)
    if (classified.era === 'legacy') refuseSession(asked.headers)
    return await dispatch(classified, asked)
  } catch (error) {
    return answerError(error, undefined)
  }
}

/** Answers each message of a batch in its place; 202 when none of them wants an answer. */
export async function answerBatch(batch: readonly unknown[], asked: Asked): Promise<Answer> {
  const answers: (string | Uint8Array)[] = []
  for (const value of batch) {
    const { body } = await answerInBatch(value, asked)
    if (body !== undefined) answers.push(body)
  }
  if (answers.length === 0) return ACCEPTED
  const parts = answers.flatMap((body, index) => [
    encodeUtf8(index === 0 ? '[' : ','),
    typeof body === 'string' ? encodeUtf8(body) : body,
  ])
  return { status: 200, body: concat([...parts, encodeUtf8(']')]) }
}

async function answerInBatch(value: unknown, asked: Asked): Promise<Answer> {
  try {
    const message = parseMessage(value)
    if (message.kind === 'request' && message.method === 'initialize') {
      throw new RpcError(INVALID_REQUEST, 'initialize must not be in a batch', { id: message.id })
    }
    return await dispatch({ era: 'legacy', message, revision: '2025-03-26' }, asked)
  } catch (error) {
    return answerError(error, null)
  }
}

async function dispatch(classified: Classified, asked: Asked): Promise<Answer> {
  const { era, message } = classified
  if (message.kind !== 'request') return ACCEPTED
  const { id, method } = message
  try {
    const result = await answerMessage(era, method, {
      ...asked,
      params: message.params ?? {},
      revision: classified.era === 'modern' ? MODERN_REVISION : classified.revision,
      clientCapabilities:
        'envelope' in classified ? classified.envelope.clientCapabilities : undefined,
    })
    return { status: 200, body: formatResult(id, result) }
  } catch (error) {
    return answerError(error, id)
  }
}

/** `missing` stands for an id that could not be read: null in a batch, absent elsewhere (D4). */
function answerError(error: unknown, missing: RequestId | null | undefined): Answer {
  if (error instanceof HttpError) throw error
  if (error instanceof RpcError) {
    return { status: error.status, body: formatError(error, error.id ?? missing) }
  }
  console.error(error)
  const internal = new RpcError(INTERNAL_ERROR, 'Internal error')
  return { status: 200, body: formatError(internal, missing) }
}

function formatResult(id: RequestId, result: Result): string | Uint8Array<ArrayBuffer> {
  const opening = formatResultOpening(id)
  if (!isOpen(result)) return `${opening}${JSON.stringify(result)}}`
  const members = JSON.stringify(result.members)
  const closing = members === '{}' ? '}}' : `,${members.slice(1)}}`
  return concat([encodeUtf8(opening), result.open, encodeUtf8(closing)])
}

function isOpen(result: Result): result is Extract<Result, { open: Uint8Array }> {
  return result['open'] instanceof Uint8Array
}

/** An id of our shape is of no session that is there: 404, as a client expects then (D1). */
function refuseSession(headers: Headers): void {
  if (isSessionId(headers.get('mcp-session-id'))) {
    throw new HttpError(404, 'session_not_found', 'There is no such session')
  }
}
