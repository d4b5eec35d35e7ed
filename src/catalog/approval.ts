/**
 * What a person said of the tools of a remote server, and what follows for the definitions it offers
 * now (`convai-api.md` §2, §4; `surfaces.md` D18). Two hashes are kept of an approved tool: the one
 * that convai's states follow, and one of the whole definition, where that was ever seen.
 */
import * as z from 'zod'
import { isDeeperThan, MAX_DEPTH } from '../protocol/json-depth.ts'
import { isObject } from '../protocol/json-rpc.ts'
import { canonicalJson } from '../sealing/canonical.ts'
import { sha256Hex } from '../sealing/digest.ts'

type Members = Readonly<Record<string, unknown>>

/** Whether calls of an approved tool ask a person, each one. */
export const ToolApprovalPolicy = z.enum(['auto_approved', 'requires_approval'])
export type ToolApprovalPolicy = z.infer<typeof ToolApprovalPolicy>

export const ApprovalState = z.enum(['up_to_date', 'needs_review', 'not_approved'])
export type ApprovalState = z.infer<typeof ApprovalState>

/** The approval of a tool, by its name at the remote server; as plain data, it crosses RPC. */
export type Approval = {
  tool: string
  policy: ToolApprovalPolicy
  /** Of parameters and description. */
  hash: string
  /** JSON text of the definition that was approved; null where only its hash is known. */
  definition: string | null
  /** Of the whole definition; null where it was never seen whole. */
  wholeHash: string | null
}

/** What a definition must have for its hash. */
export type Described = { description?: unknown; inputSchema: unknown }

/** A tool that a remote server offers, with its definition as it was read. */
export type LiveTool = Described & { name: string; text: string; definition: Members }

/** What convai says of one tool. */
export type ToolState = {
  tool: string
  state: ApprovalState
  policy: ToolApprovalPolicy | null
  /** What was approved, where that is to be reviewed and known. */
  approvedDefinition: { description: string; inputSchema: Members } | null
}

/** The hash that convai's states follow: SHA-256 of canonical JSON of parameters and description. */
export function approvalHash({ description, inputSchema }: Described): string {
  return sha256Hex(canonicalJson({ description: description ?? '', parameters: inputSchema }))
}

/** The hash of a whole definition. */
export function definitionHash(definition: Members): string {
  return sha256Hex(canonicalJson(definition))
}

/** The tools of these texts that can be approved at all, the first of each name, by it. */
export function liveTools(texts: readonly string[]): Map<string, LiveTool> {
  const tools = new Map<string, LiveTool>()
  for (const text of texts) {
    const definition: unknown = JSON.parse(text)
    if (!isObject(definition) || isDeeperThan(definition, MAX_DEPTH + 1)) continue
    const { name, description, inputSchema } = definition
    if (typeof name !== 'string' || !isObject(inputSchema) || tools.has(name)) continue
    if (!name.isWellFormed()) continue // which is stored as another name
    tools.set(name, { name, description, inputSchema, text, definition })
  }
  return tools
}

/** The state of each tool, in their order, whatever the server's policy is (`convai-api.md` §2). */
export function approvalStates(
  tools: readonly (Described & { name: string })[],
  approvals: readonly Approval[],
): ToolState[] {
  const byTool = new Map(approvals.map((approval) => [approval.tool, approval]))
  return tools.map((live) => {
    const approval = byTool.get(live.name)
    const state = stateOf(approval, live)
    const isOld = state === 'needs_review'
    return {
      tool: live.name,
      state,
      policy: approval?.policy ?? null,
      approvedDefinition: (isOld && approval && snapshotOf(approval)) || null,
    }
  })
}

/** Whether an approval exists and is of what is offered now. */
export function stateOf(approval: Approval | undefined, live: Described): ApprovalState {
  if (approval === undefined) return 'not_approved'
  return approval.hash === approvalHash(live) ? 'up_to_date' : 'needs_review'
}

/** The text of the definition that was approved, from what is offered now where that is it. */
export function approvedText(approval: Approval, live: LiveTool): string | undefined {
  if (approval.wholeHash === null && stateOf(approval, live) === 'up_to_date') return live.text
  return approval.definition ?? undefined
}

function snapshotOf({ definition }: Approval): ToolState['approvedDefinition'] {
  if (definition === null) return null
  const { description, inputSchema } = JSON.parse(definition) as Described
  return {
    description: typeof description === 'string' ? description : '',
    inputSchema: isObject(inputSchema) ? inputSchema : {},
  }
}
