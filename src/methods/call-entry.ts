/** What the call log has of a call: never its arguments, never its result (`surfaces.md` A35). */
import { encodeUtf8 } from '../protocol/bytes.ts'
import { HttpError } from '../protocol/http-error.ts'
import { isObject, RpcError } from '../protocol/json-rpc.ts'
import type { Subject } from './prepared.ts'

const MAX_PROBLEM_LENGTH = 300

/** One call as the log has it. */
export type CallEntry = Subject & {
  at: number
  outcome: 'ok' | 'error' | 'cancelled'
  ms: number
  /** The status of the upstream's answer, where there was one. */
  status?: number | undefined
  /** The size of the upstream's answer, or else of the result; unknown where there was neither. */
  bytes?: number | undefined
  /** What went wrong, in words that hold no secret. */
  problem?: string | undefined
}

export type Note = (entry: CallEntry) => void

/** What running a request comes to: its result, and what the log is to say of an upstream. */
export type Ran = Pick<CallEntry, 'status' | 'bytes' | 'problem'> & {
  result: Readonly<Record<string, unknown>>
}

/** The entry of a call that began `at` and came to a result. */
export function entryOf(subject: Subject, at: number, ran: Ran): CallEntry {
  const { result, status, bytes = encodeUtf8(JSON.stringify(result)).length } = ran
  const ms = Date.now() - at
  if (result['isError'] !== true) return { ...subject, at, outcome: 'ok', ms, status, bytes }
  const problem = clean(ran.problem ?? firstText(result))
  return { ...subject, at, outcome: 'error', ms, status, bytes, problem }
}

/** The entry of a call that threw; of our own faults it says none of the text. */
export function failedEntry(subject: Subject, at: number, error: unknown): CallEntry {
  const isOurs = error instanceof RpcError || error instanceof HttpError
  const problem = isOurs ? error.message : 'Internal error'
  return { ...subject, at, outcome: 'error', ms: Date.now() - at, problem: clean(problem) }
}

/** The entry of a call whose client has left, or has cancelled it. */
export function cancelledEntry(subject: Subject, at: number, ran?: Ran): CallEntry {
  const { status, bytes } = ran ?? {}
  return { ...subject, at, outcome: 'cancelled', ms: Date.now() - at, status, bytes }
}

function firstText({ content }: Ran['result']): string {
  const texts = Array.isArray(content) ? content.filter(isObject) : []
  const text = texts.find(({ type }) => type === 'text')?.['text']
  return typeof text === 'string' ? text : ''
}

/** A text cut to its length, on one line. */
function clean(text: string): string {
  return text
    .slice(0, MAX_PROBLEM_LENGTH)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .toWellFormed()
}
