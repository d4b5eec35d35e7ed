/**
 * The second half of a request: running what the first half (tools-call.ts) has found, checked and
 * prepared. A prepared call is plain data, so that it can run where the client's stream is.
 */
import type { Step } from '../handlers/steps.ts'
import { encodeUtf8 } from '../protocol/bytes.ts'
import { HttpError } from '../protocol/http-error.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { CallToolResult } from '../protocol/tool.ts'
import { runHttp } from '../upstream/http/run.ts'
import { runSteps, type RunOptions } from '../upstream/run-steps.ts'
import type { World } from '../upstream/world.ts'
import type { Prepared, Subject, Work } from './prepared.ts'
import { projectResult } from './project-result.ts'

const MAX_PROBLEM_LENGTH = 300

/** One call as the log has it: never its arguments, never its result. */
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

export type FinishOptions = RunOptions & { revision: Revision; world: World; note: Note }

/** What running a piece of work comes to: its result, and what the log is to say of an upstream. */
export type Ran = Pick<CallEntry, 'status' | 'bytes' | 'problem'> & { result: CallToolResult }

/** Runs a prepared request, and notes it; its result as a client of `revision` may have it. */
export async function finish(
  { subject, work, isUnknown }: Prepared,
  options: FinishOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { signal } = options
  const note = isUnknown === true ? () => {} : options.note
  const at = Date.now()
  try {
    const ran = await run(work, options)
    const result = projectResult(ran.result, options.revision)
    note(signal.aborted ? cancelledEntry(subject, at, ran) : entryOf(subject, at, ran))
    return result
  } catch (error) {
    note(signal.aborted ? cancelledEntry(subject, at) : failedEntry(subject, at, error))
    throw error
  }
}

/** The entry of a call that began `at` and threw; of our own faults it says none of the text. */
export function failedEntry(subject: Subject, at: number, error: unknown): CallEntry {
  const isOurs = error instanceof RpcError || error instanceof HttpError
  const problem = isOurs ? error.message : 'Internal error'
  return { ...subject, at, outcome: 'error', ms: Date.now() - at, problem: clean(problem) }
}

function cancelledEntry(subject: Subject, at: number, ran?: Ran): CallEntry {
  const { status, bytes } = ran ?? {}
  return { ...subject, at, outcome: 'cancelled', ms: Date.now() - at, status, bytes }
}

function entryOf(subject: Subject, at: number, { result, status, bytes, problem }: Ran): CallEntry {
  const entry = {
    ...subject,
    at,
    ms: Date.now() - at,
    status,
    bytes: bytes ?? encodeUtf8(JSON.stringify(result)).length,
  }
  if (result.isError !== true) return { ...entry, outcome: 'ok' }
  return { ...entry, outcome: 'error', problem: clean(problem ?? firstText(result)) }
}

function firstText({ content }: CallToolResult): string {
  return content.find((block) => block.type === 'text')?.text ?? ''
}

/** A text cut to its length, on one line. */
function clean(text: string): string {
  return text
    .slice(0, MAX_PROBLEM_LENGTH)
    .replaceAll(/\p{Cc}+/gu, ' ')
    .toWellFormed()
}

async function run(work: Work, options: FinishOptions): Promise<Ran> {
  if (work.kind === 'http') return runHttp(work.call, options.world, options)
  const { revision } = options
  const { steps, result } = work
  await runSteps(revision === '2024-11-05' ? steps.map(withoutMessage) : steps, options)
  return { result }
}

/** Progress as 2024-11-05 knows it (`surfaces.md` D24). */
function withoutMessage(step: Step): Step {
  if (!('progress' in step)) return step
  const { message, ...progress } = step.progress
  return { progress }
}
