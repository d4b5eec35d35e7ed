/** The tools of a server in the database: reading them at a revision, and writing what changed. */
import type { ToolRecord, ToolStatus } from '../../catalog/tool.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { storeBody } from './bodies.ts'

type Row = {
  name: string
  created: number
  sort_order: number
  status: ToolStatus
  definition: string
  binding: string
}

const SELECT = `SELECT t.name, t.created, t.sort_order, t.status, d.body AS definition, b.body AS binding
  FROM tools t JOIN bodies d ON d.hash = t.definition JOIN bodies b ON b.hash = t.binding
  WHERE t.server = ?`
const CURRENT = 'AND t.until IS NULL'
const AT_REVISION = 'AND t.since <= ?2 AND (t.until IS NULL OR t.until > ?2)'
const IN_ORDER = 'ORDER BY t.sort_order, t.created'

function toRecord(row: Row): ToolRecord {
  const { name, status, definition, binding } = row
  return { name, status, sortOrder: row.sort_order, definition, binding }
}

/** All tools in order, now or as they were at a revision. */
export function readTools(sql: SqlStorage, server: string, revision?: number): ToolRecord[] {
  const rows =
    revision === undefined
      ? sql.exec<Row>(`${SELECT} ${CURRENT} ${IN_ORDER}`, server)
      : sql.exec<Row>(
          `${SELECT.replace('= ?', '= ?1')} ${AT_REVISION} ${IN_ORDER}`,
          server,
          revision,
        )
  return rows.toArray().map(toRecord)
}

/** A page of the tools in order, and where the next begins; undefined after the last. */
export function readToolPage(sql: SqlStorage, server: string, from: number, limit: number) {
  const query = `${SELECT} ${CURRENT} ${IN_ORDER} LIMIT ? OFFSET ?`
  const rows = sql.exec<Row>(query, server, limit + 1, from).toArray()
  const next = rows.length > limit ? from + limit : undefined
  return { tools: rows.slice(0, limit).map(toRecord), next }
}

/** One current tool; undefined when there is none of that name. */
export function readTool(sql: SqlStorage, server: string, name: string): ToolRecord | undefined {
  const rows = sql.exec<Row>(`${SELECT} ${CURRENT} AND t.name = ?`, server, name)
  return rows.toArray().map(toRecord)[0]
}

/** How many tools there are, and what the active ones take in bytes. */
export function measureTools(sql: SqlStorage, server: string): { count: number; bytes: number } {
  return sql
    .exec<{ count: number; bytes: number }>(
      `SELECT COUNT(*) AS count, COALESCE(SUM(
         CASE t.status WHEN 'active' THEN d.bytes + b.bytes + length(t.name) + 40 ELSE 0 END
       ), 0) AS bytes
       FROM tools t JOIN bodies d ON d.hash = t.definition JOIN bodies b ON b.hash = t.binding
       WHERE t.server = ? AND t.until IS NULL`,
      server,
    )
    .one()
}

/** Tools to put in place, and the names to take away: some, or all that are not put. */
export type ToolChange = { put: readonly ToolRecord[]; remove: readonly string[] | 'others' }

/**
 * Applies a change from `revision` on, touching only rows that differ. True when any did. A tool
 * that stays keeps its place of creation; new ones follow in the order given.
 */
export function writeTools(
  sql: SqlStorage,
  server: string,
  revision: number,
  { put, remove }: ToolChange,
): boolean {
  const names = remove === 'others' ? undefined : [...put.map(({ name }) => name), ...remove]
  const before = currentRows(sql, server, names)
  let created = newestCreated(sql, server)
  let changed = false
  for (const tool of put) {
    const row = before.get(tool.name)
    before.delete(tool.name)
    if (row !== undefined && isSame(row, tool)) continue
    changed = true
    if (row !== undefined) endRow(sql, server, tool.name, revision)
    created += row === undefined ? 1 : 0
    sql.exec(
      `INSERT INTO tools (server, name, created, sort_order, status, definition, binding, since)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      server,
      tool.name,
      row?.created ?? created,
      tool.sortOrder ?? 0,
      tool.status,
      storeBody(sql, tool.definition),
      storeBody(sql, tool.binding),
      revision,
    )
  }
  for (const name of before.keys()) {
    changed = true
    endRow(sql, server, name, revision)
  }
  return changed
}

/** The sort order that puts a tool last. */
export function lastSortOrder(sql: SqlStorage, server: string): number {
  const query = `SELECT COALESCE(MAX(sort_order) + 1, 0) AS next FROM tools
    WHERE server = ? AND until IS NULL`
  return sql.exec<{ next: number }>(query, server).one().next
}

function currentRows(sql: SqlStorage, server: string, names?: readonly string[]): Map<string, Row> {
  const query = `SELECT name, created, sort_order, status, definition, binding FROM tools
    WHERE server = ? AND until IS NULL`
  const rows =
    names === undefined
      ? sql.exec<Row>(query, server).toArray()
      : names.flatMap((name) => sql.exec<Row>(`${query} AND name = ?`, server, name).toArray())
  return new Map(rows.map((row) => [row.name, row]))
}

function newestCreated(sql: SqlStorage, server: string): number {
  const query =
    'SELECT COALESCE(MAX(created), 0) AS newest FROM tools WHERE server = ? AND until IS NULL'
  return sql.exec<{ newest: number }>(query, server).one().newest
}

function isSame(row: Row, tool: ToolRecord): boolean {
  return (
    row.status === tool.status &&
    row.sort_order === tool.sortOrder &&
    row.definition === sha256Hex(tool.definition) &&
    row.binding === sha256Hex(tool.binding)
  )
}

function endRow(sql: SqlStorage, server: string, name: string, revision: number): void {
  sql.exec(
    'UPDATE tools SET until = ? WHERE server = ? AND name = ? AND until IS NULL',
    revision,
    server,
    name,
  )
}
