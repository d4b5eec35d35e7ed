/**
 * Commands on the approvals of a remote server's tools: convai's, which say what they approve, and
 * the admin API's, which approve what was looked at. Each changes what is listed, where the server's
 * policy is by the tool, in the same transaction.
 */
import {
  approvalHash,
  approvalStates,
  definitionHash,
  liveTools,
  type Approval,
  type LiveTool,
  type ToolApprovalPolicy,
  type ToolState,
} from '../../catalog/approval.ts'
import { driftOf, type DriftAnswer } from '../../catalog/drift.ts'
import { invalid } from '../../catalog/issues.ts'
import { MAX_DEFINITION_BYTES, tooLong } from '../../catalog/item.ts'
import { approvalPolicyOf, isRemote } from '../../catalog/server.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { isDeeperThan, MAX_DEPTH } from '../../protocol/json-depth.ts'
import { dropApproval, readApprovals, writeApprovals } from './approvals.ts'
import { writeAudit } from './audit.ts'
import type { Context, Write } from './context.ts'
import { requireMayLoosen } from './loosening.ts'
import { requireRevision, requireServer, writeServer, type LiveServer } from './servers.ts'
import { readLists } from './snapshots.ts'

const DEFAULT_POLICY: ToolApprovalPolicy = 'requires_approval'
const MAX_AUDITED = 100 // names in one row of the audit log

/** A tool as it is approved by who says what it is (`convai-api.md` §4). */
export type ToolToApprove = {
  tool: string
  description: string
  inputSchema: object
  policy: ToolApprovalPolicy
}

/** A tool to approve as it is offered; without a policy it keeps the one it has. */
export type LiveToApprove = { name: string; policy?: ToolApprovalPolicy | undefined }

/** What was said of the tools of a remote server, by their names there. */
export function approvals({ sql }: Context, server: string): Approval[] {
  requireRemote(sql, server)
  return readApprovals(sql, server)
}

/** Approves a tool in a definition that is given; in the whole of it where that is what is offered. */
export function approveTool(
  context: Context,
  server: string,
  { tool, description, inputSchema, policy }: ToolToApprove,
  write: Write,
): { revision: number } {
  const part = { name: tool, ...(description !== '' && { description }), inputSchema }
  if (isDeeperThan(part, MAX_DEPTH + 1)) {
    const message = `nests deeper than ${MAX_DEPTH} levels`
    throw invalid([{ path: 'input_schema', message }])
  }
  const text = JSON.stringify(part)
  const details = tooLong('input_schema', text, MAX_DEFINITION_BYTES)
  if (details.length > 0) throw invalid(details)
  const hash = approvalHash(part)
  return change(context, server, 'approvals.put', [tool], write, () => {
    const live = offered(context.sql, server).get(tool)
    const isOffered = live !== undefined && approvalHash(live) === hash
    const approval = isOffered
      ? wholeApproval(live, policy)
      : { tool, policy, hash, definition: text, wholeHash: null }
    put(context, server, [approval], write)
  })
}

/** Takes the approval of a tool away; 404 where there is none. */
export function withdrawApproval(
  context: Context,
  server: string,
  tool: string,
  write: Write,
): { revision: number } {
  return change(context, server, 'approvals.delete', [tool], write, () => {
    if (dropApproval(context.sql, server, tool)) return
    throw new HttpError(404, 'approval_not_found', 'The tool is not approved')
  })
}

/** Approves tools as they are offered at the revision that was looked at; 412 when it moved. */
export function approveLive(
  context: Context,
  server: string,
  { tools }: { tools: readonly LiveToApprove[] },
  write: Write,
): { revision: number } {
  const { sql } = context
  const names = tools.map(({ name }) => name)
  return change(context, server, 'approvals.put', names, write, () => {
    const live = offered(sql, server)
    const known = new Map(readApprovals(sql, server).map(({ tool, policy }) => [tool, policy]))
    const details = tools.flatMap(({ name }, index) =>
      live.has(name) ? [] : [{ path: `tools[${index}].name`, message: 'is not offered' }],
    )
    if (details.length > 0) throw invalid(details)
    const approved = tools.flatMap(({ name, policy = known.get(name) ?? DEFAULT_POLICY }) => {
      const tool = live.get(name)
      return tool === undefined ? [] : [wholeApproval(tool, policy)]
    })
    put(context, server, approved, write)
  })
}

/** Where what is offered differs from what was approved: JSON text of a `DriftAnswer`. */
export function drift({ sql }: Context, server: string): { drift: string; revision: number } {
  const { revision, settings } = requireRemote(sql, server)
  const answer: DriftAnswer = {
    revision,
    approvalPolicy: approvalPolicyOf(settings),
    ...driftOf(offered(sql, server), readApprovals(sql, server)),
  }
  return { drift: JSON.stringify(answer), revision }
}

/** The states of some tools, by their names at the remote server, as they are offered now. */
export function toolStates(
  { sql }: Context,
  server: string,
  names: readonly string[],
): Pick<ToolState, 'tool' | 'state' | 'policy'>[] {
  requireRemote(sql, server)
  const live = offered(sql, server)
  const tools = names.flatMap((name) => live.get(name) ?? [])
  const states = approvalStates(tools, readApprovals(sql, server))
  return states.map(({ tool, state, policy }) => ({ tool, state, policy }))
}

/** Changes approvals and then what they let be listed; the revision that stands afterwards. */
function change(
  context: Context,
  id: string,
  act: string,
  tools: readonly string[],
  { actor, expected }: Write,
  write: () => void,
): { revision: number } {
  const { sql, now } = context
  return context.transact(() => {
    const server = requireRemote(sql, id)
    requireRevision(server, expected)
    write()
    const detail = { tools: tools.slice(0, MAX_AUDITED), count: tools.length }
    const audited = { actor, act, target: id, detail }
    const revision = writeServer(sql, id, { settings: server.settings }, audited, now)
    // Also where nothing that is listed has changed.
    if (revision === server.revision) writeAudit(sql, audited, now)
    return { revision }
  })
}

function put(
  { sql, now }: Context,
  server: string,
  approved: readonly Approval[],
  write: Write,
): void {
  const { actor } = write
  if (approved.some(({ policy }) => policy === 'auto_approved')) requireMayLoosen(sql, write)
  writeApprovals(sql, server, approved, { by: actor, at: now })
}

function wholeApproval(live: LiveTool, policy: ToolApprovalPolicy): Approval {
  const { name: tool, text: definition } = live
  const wholeHash = definitionHash(live.definition)
  return { tool, policy, hash: approvalHash(live), definition, wholeHash }
}

function offered(sql: SqlStorage, server: string): Map<string, LiveTool> {
  return liveTools(readLists(sql, server).tools)
}

function requireRemote(sql: SqlStorage, id: string): LiveServer {
  const server = requireServer(sql, id)
  if (isRemote(server.settings)) return server
  throw new HttpError(409, 'not_remote', 'The server is not remote')
}
