/**
 * The second half of a request: running what the first half (tools-call.ts) has found, checked and
 * prepared. A prepared call is plain data, so that it can run where the client's stream is.
 */
import type { Revision } from '../protocol/revisions.ts'
import type { HttpOutcome } from '../upstream/http/call.ts'
import { runHttp } from '../upstream/http/run.ts'
import { runSteps, type RunOptions } from '../upstream/run-steps.ts'
import type { World } from '../upstream/world.ts'
import { cancelledEntry, entryOf, failedEntry, type Note, type Ran } from './call-entry.ts'
import { finishRelay } from './finish-relay.ts'
import type { Prepared, Work } from './prepared.ts'
import { projectResult } from './project-result.ts'

export type FinishOptions = RunOptions & { revision: Revision; world: World; note: Note }

/**
 * Runs a prepared request, and notes a call; its result as a client of `revision` may have it, made
 * whole by `complete`.
 */
export async function finish(
  { subject, work, isUnknown }: Prepared,
  options: FinishOptions,
  complete = (result: Ran['result']) => result,
): Promise<Ran['result']> {
  const { signal, revision } = options
  const isCall = work.kind !== 'relay' || work.call.method === 'tools/call'
  const note = isUnknown === true || !isCall ? () => {} : options.note
  const at = Date.now()
  const told = revision === '2024-11-05' ? withoutMessages(options) : options
  let ran: Ran
  try {
    ran =
      work.kind === 'relay'
        ? await finishRelay(work.call, told)
        : projected(await runTool(work, told), revision)
  } catch (error) {
    note(signal?.aborted ? cancelledEntry(subject, at) : failedEntry(subject, at, error))
    throw error
  }
  note(signal?.aborted ? cancelledEntry(subject, at, ran) : entryOf(subject, at, ran))
  return complete(ran.result)
}

function runTool(
  work: Exclude<Work, { kind: 'relay' }>,
  options: FinishOptions,
): HttpOutcome | Promise<HttpOutcome> {
  if (work.kind === 'http') return runHttp(work.call, options.world, options)
  const { steps, result } = work
  return steps.length === 0 ? { result } : runSteps(steps, options).then(() => ({ result }))
}

function projected(ran: HttpOutcome, revision: Revision): Ran {
  return { ...ran, result: projectResult(ran.result, revision) }
}

/** Progress as 2024-11-05 knows it (`surfaces.md` D24). */
function withoutMessages(options: FinishOptions): FinishOptions {
  const notify: RunOptions['notify'] = (notification) => {
    const { message, ...params } = notification.params
    const isProgress = notification.method === 'notifications/progress'
    options.notify(isProgress ? { ...notification, params } : notification)
  }
  return { ...options, notify }
}
