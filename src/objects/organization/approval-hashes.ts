/** Approvals of which the hash alone is known: as a configuration is made with (`convai-api.md` §3). */

export type ApprovalHash = { tool: string; hash: string; policy: string }

/** Stores approvals by their hashes, in the place of those that are there for the same tools. */
export function writeHashes(
  sql: SqlStorage,
  server: string,
  hashes: readonly ApprovalHash[],
  { actor, now }: { actor: string; now: number },
): void {
  for (const { tool, hash, policy } of hashes) {
    sql.exec(
      `INSERT OR REPLACE INTO approvals
         (server, tool, policy, hash, definition, approved_by, approved_at)
       VALUES (?, ?, ?, ?, NULL, ?, ?)`,
      server,
      tool,
      policy,
      hash,
      actor,
      now,
    )
  }
}

/** The approvals of a server by their hashes, by tool. */
export function readHashes(sql: SqlStorage, server: string): ApprovalHash[] {
  return sql
    .exec<ApprovalHash>(
      'SELECT tool, hash, policy FROM approvals WHERE server = ? ORDER BY tool',
      server,
    )
    .toArray()
}

export function dropApprovals(sql: SqlStorage, server: string): void {
  sql.exec('DELETE FROM approvals WHERE server = ?', server)
}
