/** The tools of a remote server as a person's word lets them be listed (`surfaces.md` D19). */
import type { Tool } from '../protocol/tool.ts'
import { canonicalJson } from '../sealing/canonical.ts'
import { approvedText, type Approval } from './approval.ts'
import { reasonAgainst, type Original } from './remote-definitions.ts'
import type { ApprovalPolicy } from './server.ts'
import type { Left } from './upstream.ts'

/** Whose word is needed for what is listed, and what a person said. */
export type ApprovalRules = { policy: ApprovalPolicy; approvals: readonly Approval[] }

/** Tools as the policy of their server lets them be listed; those it does not go to `left`. */
export function approvedTools(
  tools: readonly Original[],
  { policy, approvals }: ApprovalRules,
  left: Left[],
): readonly Original[] {
  if (policy === 'auto_approve_all') return tools
  if (policy === 'require_approval_all') return tools.map((tool) => ({ ...tool, asks: true }))
  const byTool = new Map(approvals.map((approval) => [approval.tool, approval]))
  return tools.flatMap((tool) => {
    const approved = approvedTool(tool, byTool.get(tool.name))
    if (typeof approved !== 'string') return [approved]
    left.push({ name: tool.name, reason: approved })
    return []
  })
}

/** A tool in the definition that was approved, or why it is not listed. */
function approvedTool(tool: Original, approval: Approval | undefined): Original | string {
  if (approval === undefined) return 'is not approved'
  const { name } = tool
  const { inputSchema } = tool.definition as Tool // which fits, as it was checked
  const { description } = tool.definition
  const text = approvedText(approval, { ...tool, description, inputSchema })
  if (text === undefined)
    return 'is approved in another definition, of which only the hash is known'
  const definition: unknown = JSON.parse(text)
  const reason = reasonAgainst('tools', definition, text)
  if (reason !== undefined) return `was approved in a definition that cannot be shown: ${reason}`
  const approved = definition as Tool
  const isSame = canonicalJson(approved.inputSchema) === canonicalJson(inputSchema)
  return {
    name,
    text,
    definition: approved,
    ...(approval.policy === 'requires_approval' && { asks: true }),
    ...(!isSame && { live: inputSchema }),
  }
}
