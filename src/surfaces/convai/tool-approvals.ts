/** Approvals of single tools: E8 and E9 (`convai-api.md` §4). */
import * as z from 'zod'
import { ToolApprovalPolicy } from '../../catalog/approval.ts'
import { valueOf, type Outcome } from '../../protocol/http-error.ts'
import { learnRevision } from '../platform.ts'
import { answer, param, readBody, writeOf, type ConvaiCall } from './call.ts'
import { formatConfiguration } from './config-answer.ts'
import { readConfiguration } from './servers.ts'
import { RemoteToolName } from './tool-config-form.ts'

const ApprovalBody = z.object({
  tool_name: RemoteToolName,
  tool_description: z.string(),
  input_schema: z.record(z.string(), z.unknown()).default({}),
  approval_policy: ToolApprovalPolicy.default('requires_approval'),
})

/** E8. */
export async function approveTool(call: ConvaiCall): Promise<Response> {
  const body = await readBody(call, ApprovalBody)
  const { server } = await readConfiguration(call)
  const tool = {
    tool: body.tool_name,
    description: body.tool_description,
    inputSchema: body.input_schema,
    policy: body.approval_policy,
  }
  return answerAfter(call, await call.stub.approveTool(server.id, tool, writeOf(call)))
}

/** E9. */
export async function withdrawApproval(call: ConvaiCall): Promise<Response> {
  const { server } = await readConfiguration(call)
  const tool = param(call, 'tool_name')
  return answerAfter(call, await call.stub.withdrawApproval(server.id, tool, writeOf(call)))
}

/** The configuration after a write, which may have changed what is listed. */
async function answerAfter(
  call: ConvaiCall,
  written: Outcome<{ revision: number }>,
): Promise<Response> {
  const { revision } = valueOf(written)
  const configuration = await readConfiguration(call)
  const { platform, organization } = call
  learnRevision(platform, { id: configuration.server.id, organization, revision })
  return answer(formatConfiguration(configuration))
}
