/**
 * The second half of `tools/call`: running what the first half (tools-call.ts) has found, checked and
 * prepared. A prepared call is plain data, so that it can run where the client's stream is.
 */
import type { Revision } from '../protocol/revisions.ts'
import type { Step } from '../protocol/steps.ts'
import type { CallToolResult } from '../protocol/tool.ts'
import { runSteps, type RunOptions } from '../upstream/run-steps.ts'
import { projectResult } from './project-result.ts'

export type PreparedCall = { steps: readonly Step[]; result: CallToolResult }

/** Runs a prepared call; its result as a client of `revision` may have it. */
export async function finishCall(
  { steps, result }: PreparedCall,
  { revision, ...options }: RunOptions & { revision: Revision },
): Promise<CallToolResult> {
  await runSteps(revision === '2024-11-05' ? steps.map(withoutMessage) : steps, options)
  return projectResult(result, revision)
}

/** Progress as 2024-11-05 knows it (`surfaces.md` D24). */
function withoutMessage(step: Step): Step {
  if (!('progress' in step)) return step
  const { message, ...progress } = step.progress
  return { progress }
}
