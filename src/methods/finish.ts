/**
 * The second half of a request: running what the first half (tools-call.ts) has found, checked and
 * prepared. A prepared call is plain data, so that it can run where the client's stream is.
 */
import type { Step } from '../handlers/steps.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { HttpOutcome } from '../upstream/http/call.ts'
import { runHttp } from '../upstream/http/run.ts'
import { runSteps, type RunOptions } from '../upstream/run-steps.ts'
import type { World } from '../upstream/world.ts'
import type { Prepared, Subject, Work } from './prepared.ts'
import { projectResult } from './project-result.ts'

/** One call as the log has it. */
export type CallEntry = Subject & {
  at: number
  outcome: 'ok' | 'error' | 'cancelled'
  ms: number
  /** The status and size of the upstream's answer, where there was one. */
  status?: number | undefined
  bytes?: number | undefined
  /** What went wrong, in words that hold no secret. */
  problem?: string | undefined
}

export type Note = (entry: CallEntry) => void

export type FinishOptions = RunOptions & { revision: Revision; world: World; note: Note }

/** Runs a prepared request; its result as a client of `revision` may have it. */
export async function finish(
  { work }: Prepared,
  options: FinishOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const { result } = await run(work, options)
  return projectResult(result, options.revision)
}

async function run(work: Work, options: FinishOptions): Promise<HttpOutcome> {
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
