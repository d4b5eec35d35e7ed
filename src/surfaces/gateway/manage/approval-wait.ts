/**
 * `manage__approval_wait`: waits until a person has decided a held call of the caller's own, runs it
 * then, once, and gives its result (`surfaces.md` C16, C17, C48). A result is the tool's own, so this
 * one promises no shape of it.
 */
import { organizationOf } from '../../../objects/resident.ts'
import * as z from 'zod'
import { requireValid } from '../../../catalog/issues.ts'
import type { HeldState } from '../../../objects/organization/held-rows.ts'
import { HttpError, valueOf } from '../../../protocol/http-error.ts'
import { CallToolResult } from '../../../protocol/tool.ts'
import { schemaOf } from '../../json-schema.ts'
import { retrying } from '../../retrying.ts'
import { MAX_WAIT_MS, waitFor } from '../../wait.ts'
import { APPROVAL_WAIT, endResult, waitingResult } from '../held-result.ts'
import type { ManageCall, ManageTool } from './manage-tool.ts'

const MAX_WAIT_SECONDS = MAX_WAIT_MS / 1000

const Input = z.strictObject({
  approval_id: z.string().min(1).max(100).meta({ description: 'As the held call named it' }),
  wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).default(MAX_WAIT_SECONDS).meta({
    description: 'How long to wait for a decision; then this answers that it is still waited for',
  }),
})

export const approvalWait: ManageTool = {
  operation: 'approval_wait',
  definition: {
    name: APPROVAL_WAIT,
    description:
      'Waits until a person has approved or denied a call of yours that is held. Once it is approved, the call is run, one time only, and this answers with its result: do not make the call again. Call this at once when a call answers with an approval_id, and again while it answers still_waiting; a call that nobody waits for expires after five minutes.',
    inputSchema: { ...schemaOf(Input, 'input'), type: 'object' },
    annotations: {
      title: 'Wait for an approval',
      readOnlyHint: false,
      destructiveHint: true, // as the call may be that it runs
      idempotentHint: true,
      openWorldHint: true,
    },
  },
  async run(call) {
    const { approval_id: id, wait_seconds: seconds } = requireValid(Input, call.args)
    let state: HeldState = 'pending'
    const { caller } = call.site
    const { organization, id: principal } = caller.principal
    const waiter = { organization, principal, credential: caller.credential.id }
    const look = async () => {
      const held = await askFor(call, id)
      state = held.state
      if (held.result !== undefined) return readResult(held.result)
      if (state === 'approved') return call.runHeld(call.site, id)
      return endResult(id, state)
    }
    const answer = await waitFor(call.platform, waiter, look, seconds * 1000)
    return answer ?? waitingResult(id, state)
  },
}

/** How the caller's held call stands; 404 for one that is another's, as for one that is made up. */
async function askFor({ platform, organization, site }: ManageCall, id: string) {
  const { id: principal } = site.caller.principal
  const stub = () => organizationOf(platform.env, organization)
  const held = await retrying(async () => valueOf(await stub().waitForHeld(principal, id)))
  if (held !== undefined) return held
  throw new HttpError(404, 'approval_not_found', 'There is no held call of yours with this id')
}

function readResult(bytes: Uint8Array): CallToolResult {
  return CallToolResult.parse(JSON.parse(new TextDecoder().decode(bytes)))
}
