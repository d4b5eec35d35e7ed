/**
 * Approvals of tools of remote servers in the database, a row for each by the tool's name there. They
 * stay through refreshes, also while a tool is gone, and go with their server.
 */
import {
  approvalHash,
  definitionHash,
  type Approval,
  type LiveTool,
  type ToolApprovalPolicy,
} from '../../catalog/approval.ts'
import { HttpError } from '../../protocol/http-error.ts'

const MAX_APPROVALS = 20_000
/** All of a server cross RPC at once, which ends at 32 MiB, where a character may take two bytes. */
const MAX_DEFINITION_CHARACTERS = 12 * 1024 * 1024

/** An approval of which nothing but the hash is known (`convai-api.md` §3). */
export type ApprovalHash = { tool: string; hash: string; policy: ToolApprovalPolicy }

/** Who said it, and when in ms since the epoch. */
type Said = { by: string; at: number }

type Row = {
  tool: string
  policy: ToolApprovalPolicy
  hash: string
  definition: string | null
  whole_hash: string | null
}

/** The approvals of a server, by the names of the tools. */
export function readApprovals(sql: SqlStorage, server: string): Approval[] {
  return sql
    .exec<Row>(
      `SELECT tool, policy, hash, definition, whole_hash FROM approvals
       WHERE server = ? ORDER BY tool`,
      server,
    )
    .toArray()
    .map(({ whole_hash: wholeHash, ...row }) => ({ ...row, wholeHash }))
}

/** The approvals of a server by their hashes alone. */
export function readApprovalHashes(sql: SqlStorage, server: string): ApprovalHash[] {
  const query = 'SELECT tool, hash, policy FROM approvals WHERE server = ? ORDER BY tool'
  return sql.exec<ApprovalHash>(query, server).toArray()
}

/** Puts approvals in place of those of the same tools; 413 where there are too many then. */
export function writeApprovals(
  sql: SqlStorage,
  server: string,
  approvals: readonly Approval[],
  { by, at }: Said,
): void {
  for (const { tool, policy, hash, definition, wholeHash } of approvals) {
    sql.exec(
      `INSERT OR REPLACE INTO approvals
         (server, tool, policy, hash, definition, whole_hash, approved_by, approved_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      server,
      tool,
      policy,
      hash,
      definition,
      wholeHash,
      by,
      at,
    )
  }
  requireFew(sql, server)
}

/** Stores approvals that are known by their hashes alone. */
export function writeApprovalHashes(
  sql: SqlStorage,
  server: string,
  hashes: readonly ApprovalHash[],
  said: Said,
): void {
  const approvals = hashes.map((each) => ({ ...each, definition: null, wholeHash: null }))
  writeApprovals(sql, server, approvals, said)
}

/** Fills in the definitions of approvals that were never seen whole, where they are offered now. */
export function completeApprovals(
  sql: SqlStorage,
  server: string,
  live: ReadonlyMap<string, LiveTool>,
): void {
  for (const { tool, hash, wholeHash } of readApprovals(sql, server)) {
    const now = wholeHash === null ? live.get(tool) : undefined
    if (now === undefined || approvalHash(now) !== hash) continue
    sql.exec(
      'UPDATE approvals SET definition = ?, whole_hash = ? WHERE server = ? AND tool = ?',
      now.text,
      definitionHash(now.definition),
      server,
      tool,
    )
  }
}

/** Takes an approval away; false where there was none. */
export function dropApproval(sql: SqlStorage, server: string, tool: string): boolean {
  const query = 'DELETE FROM approvals WHERE server = ? AND tool = ? RETURNING tool'
  return sql.exec(query, server, tool).toArray().length > 0
}

/** Gives a server the approvals of another. */
export function copyApprovals(sql: SqlStorage, from: string, to: string): void {
  sql.exec(
    `INSERT OR REPLACE INTO approvals
       (server, tool, policy, hash, definition, whole_hash, approved_by, approved_at)
     SELECT ?, tool, policy, hash, definition, whole_hash, approved_by, approved_at
     FROM approvals WHERE server = ?`,
    to,
    from,
  )
}

/** Drops the approvals of a server that is deleted. */
export function dropApprovals(sql: SqlStorage, server: string): void {
  sql.exec('DELETE FROM approvals WHERE server = ?', server)
}

function requireFew(sql: SqlStorage, server: string): void {
  const { count, characters } = sql
    .exec<{ count: number; characters: number }>(
      `SELECT COUNT(*) AS count, COALESCE(SUM(length(definition)), 0) AS characters
       FROM approvals WHERE server = ?`,
      server,
    )
    .one()
  if (count <= MAX_APPROVALS && characters <= MAX_DEFINITION_CHARACTERS) return
  const message = `A server may have ${MAX_APPROVALS} approvals, of ${MAX_DEFINITION_CHARACTERS / 1024 / 1024} MiB together`
  throw new HttpError(413, 'too_many_approvals', message)
}
