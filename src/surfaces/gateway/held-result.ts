/** What a caller is told of a call that is held for a person (`surfaces.md` C48): always a result. */
import type { HeldState } from '../../objects/organization/held-rows.ts'
import type { CallToolResult } from '../../protocol/tool.ts'

/** The tool of ours that waits for a held call. */
export const APPROVAL_WAIT = 'manage__approval_wait'

/** The result of a call that has not run, since a person must approve it: on a page, where there is one. */
export function heldResult(id: string, url: string | undefined): CallToolResult {
  const args = JSON.stringify({ approval_id: id })
  const message = `This call has not run: a person must approve it. Call ${APPROVAL_WAIT} with ${args} at once, and do not repeat this call: it expires when nobody waits for it for five minutes.`
  const where = url === undefined ? '' : ` An admin of the organization can decide here: ${url}`
  const result = failed(id, 'approval_pending', message + where)
  if (url === undefined) return result
  return { ...result, structuredContent: { ...result.structuredContent, url } }
}

/** The result of waiting for a call that waits for a person still, or runs. */
export function waitingResult(id: string, state: HeldState): CallToolResult {
  const message =
    state === 'pending'
      ? `No person has decided yet, and the call has not run. Call ${APPROVAL_WAIT} again at once.`
      : `The call was approved and runs. Call ${APPROVAL_WAIT} again for its result.`
  const structuredContent = { status: 'still_waiting', state, approval_id: id, message }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

const ENDS: ReadonlyMap<HeldState, { code: string; message: string }> = new Map([
  ['denied', { code: 'approval_denied', message: 'A person denied this call. It has not run.' }],
  [
    'expired',
    {
      code: 'approval_expired',
      message:
        'The approval of this call expired, since nobody waited for it. It has not run; make the call again if it is still wanted.',
    },
  ],
  [
    'unknown',
    {
      code: 'outcome_unknown',
      message:
        'Outcome unknown: the call was approved and began to run, and what came of it was lost. It may have been done; check before making it again.',
    },
  ],
  [
    'done',
    {
      code: 'result_gone',
      message:
        'The call was approved and has run, and its result is not kept any more. Do not make it again.',
    },
  ],
])

/** The result of waiting for a call that is over, without a result of its own; undefined for others. */
export function endResult(id: string, state: HeldState): CallToolResult | undefined {
  const end = ENDS.get(state)
  return end && failed(id, end.code, end.message)
}

function failed(id: string, code: string, message: string) {
  const structuredContent = { error: { code, message }, approval_id: id }
  return { content: [{ type: 'text' as const, text: message }], isError: true, structuredContent }
}
