/** The items of a server in the database: reading them at a revision, and writing what changed. */
import type { ItemRecord, Kind, Status } from '../../catalog/item.ts'
import { ACCOUNT_MARK, needsCredential, SECRET_MARK, usesSecret } from '../../catalog/tool.ts'
import { CAPABILITY_SEPARATOR } from '../../catalog/names.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { storeBody } from './bodies.ts'

type Row = {
  kind: Kind
  name: string
  created: number
  sort_order: number
  status: Status
  definition: string
  binding: string
}

const SELECT = `SELECT i.kind, i.name, i.created, i.sort_order, i.status,
    d.body AS definition, b.body AS binding
  FROM items i JOIN bodies d ON d.hash = i.definition JOIN bodies b ON b.hash = i.binding
  WHERE i.server = ?`
const CURRENT = 'AND i.until IS NULL'
const AT_REVISION = 'AND i.since <= ?2 AND (i.until IS NULL OR i.until > ?2)'
const IN_ORDER = 'ORDER BY i.kind, i.sort_order, i.created'

function toRecord({ sort_order: sortOrder, created: _, ...row }: Row): ItemRecord {
  return { ...row, sortOrder }
}

/** All items, those of a kind in order, now or as they were at a revision. */
export function readItems(sql: SqlStorage, server: string, revision?: number): ItemRecord[] {
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

/** A place among the items of a kind: after the item of this order and creation. */
export type Place = { sortOrder: number; created: number }

/** A page of the items of a kind in order, up to a size, and the place of its last; undefined at the end. */
export function readItemPage(
  sql: SqlStorage,
  server: string,
  kind: Kind,
  after: Place,
  bounds: { items: number; characters: number },
): { items: ItemRecord[]; next: Place | undefined } {
  const query = `${SELECT} ${CURRENT} AND i.kind = ? AND (i.sort_order, i.created) > (?, ?) ${IN_ORDER} LIMIT ?`
  const items: ItemRecord[] = []
  let characters = 0
  let last: Place | undefined
  for (const row of sql.exec<Row>(
    query,
    server,
    kind,
    after.sortOrder,
    after.created,
    bounds.items + 1,
  )) {
    characters += row.definition.length + row.binding.length
    const isFull = items.length === bounds.items || characters > bounds.characters
    if (isFull && last !== undefined) return { items, next: last }
    items.push(toRecord(row))
    last = { sortOrder: row.sort_order, created: row.created }
  }
  return { items, next: undefined }
}

/** One current item; undefined when there is none of that name. */
export function readItem(
  sql: SqlStorage,
  server: string,
  kind: Kind,
  name: string,
): ItemRecord | undefined {
  const rows = sql.exec<Row>(
    `${SELECT} ${CURRENT} AND i.kind = ? AND i.name = ?`,
    server,
    kind,
    name,
  )
  return rows.toArray().map(toRecord)[0]
}

/** How many tools there are, and what all the items take in bytes, active or not. */
export function measureItems(sql: SqlStorage, server: string): { tools: number; bytes: number } {
  return sql
    .exec<{ tools: number; bytes: number }>(
      `SELECT COUNT(CASE i.kind WHEN 'tools' THEN 1 END) AS tools,
         COALESCE(SUM(d.bytes + b.bytes + 2 * length(CAST(i.name AS BLOB)) + 40), 0) AS bytes
       FROM items i JOIN bodies d ON d.hash = i.definition JOIN bodies b ON b.hash = i.binding
       WHERE i.server = ? AND i.until IS NULL`,
      server,
    )
    .one()
}

/** The name of a tool that uses a secret of the organization, where the server has one. */
export function findSecretHolder(sql: SqlStorage, server: string): string | undefined {
  return findHolder(sql, server, SECRET_MARK, usesSecret)
}

/** The names of the live servers with a tool that uses this secret. */
export function serversWithSecret(sql: SqlStorage, secret: string): string[] {
  const query = `SELECT DISTINCT s.settings ->> '$.name' AS name
    FROM items i JOIN bodies b ON b.hash = i.binding JOIN servers s ON s.id = i.server
    WHERE i.until IS NULL AND i.kind = 'tools' AND s.deleted_at IS NULL AND instr(b.body, ?) > 0
    ORDER BY name`
  const rows = sql.exec<{ name: string }>(query, JSON.stringify({ secret })).toArray()
  return rows.map(({ name }) => name)
}

/** The name of a tool that uses the credential of an account, where the server has one. */
export function findAccountHolder(sql: SqlStorage, server: string): string | undefined {
  return findHolder(sql, server, ACCOUNT_MARK, needsCredential)
}

function findHolder(
  sql: SqlStorage,
  server: string,
  mark: string,
  holds: (binding: string) => boolean,
): string | undefined {
  const query = `${SELECT} ${CURRENT} AND i.kind = 'tools' AND instr(b.body, ?) > 0`
  for (const { name, binding } of sql.exec<Row>(query, server, mark)) {
    if (holds(binding)) return name
  }
  return undefined
}

/** The name of a tool that the gateway cannot show under it, where the server has one. */
export function findParted(sql: SqlStorage, server: string): string | undefined {
  const query = `SELECT name FROM items
    WHERE server = ? AND kind = 'tools' AND until IS NULL AND instr(name, ?) > 0 LIMIT 1`
  return [...sql.exec<{ name: string }>(query, server, CAPABILITY_SEPARATOR)][0]?.name
}

export type ItemName = Pick<ItemRecord, 'kind' | 'name'>

/** Items to put in place, and those to take away: some, or all that are not put. */
export type ItemChange = { put: readonly ItemRecord[]; remove: readonly ItemName[] | 'others' }

/**
 * Applies a change from `revision` on, touching only rows that differ. True when any did. An item
 * keeps its place of creation for as long as a kept revision knows it; new ones follow in the order
 * given.
 */
export function writeItems(
  sql: SqlStorage,
  server: string,
  revision: number,
  { put, remove }: ItemChange,
): boolean {
  const before = currentRows(sql, server, remove === 'others' ? undefined : [...put, ...remove])
  let newest = newestCreated(sql, server)
  let changed = false
  for (const item of put) {
    const row = before.get(keyOf(item))
    before.delete(keyOf(item))
    if (row !== undefined && isSame(row, item)) continue
    changed = true
    if (row !== undefined) endRow(sql, server, item, revision)
    const created = row?.created ?? earlierCreated(sql, server, item) ?? ++newest
    sql.exec(
      `INSERT INTO items (server, kind, name, created, sort_order, status, definition, binding, since)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      server,
      item.kind,
      item.name,
      created,
      item.sortOrder ?? 0,
      item.status,
      storeBody(sql, item.definition),
      storeBody(sql, item.binding),
      revision,
    )
  }
  for (const row of before.values()) {
    changed = true
    endRow(sql, server, row, revision)
  }
  return changed
}

/** The sort order that puts an item last among its kind. */
export function lastSortOrder(sql: SqlStorage, server: string, kind: Kind): number {
  const query = `SELECT COALESCE(MAX(sort_order) + 1, 0) AS next FROM items
    WHERE server = ? AND kind = ? AND until IS NULL`
  return sql.exec<{ next: number }>(query, server, kind).one().next
}

function currentRows(
  sql: SqlStorage,
  server: string,
  names: readonly ItemName[] | undefined,
): Map<string, Row> {
  const query = `SELECT kind, name, created, sort_order, status, definition, binding FROM items
    WHERE server = ? AND until IS NULL`
  const rows =
    names === undefined
      ? sql.exec<Row>(query, server).toArray()
      : names.flatMap(({ kind, name }) =>
          sql.exec<Row>(`${query} AND kind = ? AND name = ?`, server, kind, name).toArray(),
        )
  return new Map(rows.map((row) => [keyOf(row), row]))
}

/** Where an item stood in creation before it was taken away, as far as a kept revision knows it. */
function earlierCreated(
  sql: SqlStorage,
  server: string,
  { kind, name }: ItemName,
): number | undefined {
  const query = 'SELECT created FROM items WHERE server = ? AND kind = ? AND name = ? LIMIT 1'
  return [...sql.exec<{ created: number }>(query, server, kind, name)][0]?.created
}

function newestCreated(sql: SqlStorage, server: string): number {
  const query = 'SELECT COALESCE(MAX(created), 0) AS newest FROM items WHERE server = ?'
  return sql.exec<{ newest: number }>(query, server).one().newest
}

function isSame(row: Row, item: ItemRecord): boolean {
  return (
    row.status === item.status &&
    row.sort_order === item.sortOrder &&
    row.definition === sha256Hex(item.definition) &&
    row.binding === sha256Hex(item.binding)
  )
}

function endRow(sql: SqlStorage, server: string, { kind, name }: ItemName, revision: number): void {
  sql.exec(
    'UPDATE items SET until = ? WHERE server = ? AND kind = ? AND name = ? AND until IS NULL',
    revision,
    server,
    kind,
    name,
  )
}

function keyOf({ kind, name }: ItemName): string {
  return `${kind} ${name}`
}
