/**
 * Approvals of a remote server's tools in the admin API: what differs from what was approved, and a
 * person's word on chosen tools as they were looked at (`surfaces.md` D18, D19).
 */
import * as z from 'zod'
import { ToolApprovalPolicy } from '../../catalog/approval.ts'
import { invalid } from '../../catalog/issues.ts'
import { valueOf } from '../../protocol/http-error.ts'
import { learnRevision } from '../platform.ts'
import { etag, json, noContent, param, readValid, writeOf, type AdminCall } from './call.ts'

const MAX_TOOLS = 20_000
const MAX_NAME_LENGTH = 1000

export const ApproveBody = z.strictObject({
  revision: z.int().min(1).optional().meta({
    description: 'The revision that was looked at; may be given as If-Match instead',
  }),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(MAX_NAME_LENGTH).meta({
          description: 'Its name at the remote server',
        }),
        policy: ToolApprovalPolicy.optional().meta({
          description: 'Absent: as it was approved before, else requires_approval',
        }),
      }),
    )
    .min(1)
    .max(MAX_TOOLS),
})

export const ApprovedAnswer = z.strictObject({ revision: z.int() })

export async function getDrift(call: AdminCall): Promise<Response> {
  const { drift, revision } = valueOf(await call.stub.drift(param(call, 'id')))
  return json(drift, 200, etag(revision))
}

export async function approveTools(call: AdminCall): Promise<Response> {
  const { revision, tools } = await readValid(call, ApproveBody)
  const { expected = revision, ...writer } = writeOf(call)
  if (expected === undefined) {
    throw invalid([{ path: 'revision', message: 'is missing, as is If-Match' }])
  }
  if (revision !== undefined && revision !== expected) {
    throw invalid([{ path: 'revision', message: 'must be the one that If-Match names' }])
  }
  const server = param(call, 'id')
  const approved = await call.stub.approveLive(server, { tools }, { ...writer, expected })
  return settled(call, valueOf(approved).revision)
}

export async function withdrawApproval(call: AdminCall): Promise<Response> {
  const tool = decoded(param(call, 'tool'))
  const withdrawn = await call.stub.withdrawApproval(param(call, 'id'), tool, writeOf(call))
  settled(call, valueOf(withdrawn).revision)
  return noContent()
}

function settled(call: AdminCall, revision: number): Response {
  const { platform, organization } = call
  learnRevision(platform, { id: param(call, 'id'), organization, revision })
  return json(JSON.stringify({ revision }), 200, etag(revision))
}

/** A name of a remote server as it stands in a path; any characters may be in one. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment // not encoded, so it is no name that is approved, or just this
  }
}
