/**
 * The lists of remote servers in the database, as they were last read: a row for each definition, by
 * kind and place. The texts are stored once, with those of the items that are shown as they came.
 */
import { KINDS, type Kind } from '../../catalog/item.ts'
import type { RawLists } from '../../catalog/remote-items.ts'
import { sha256Hex } from '../../sealing/digest.ts'
import { dropUnusedBodies, storeBody } from './bodies.ts'

type Row = { kind: Kind; position: number; body: string }

/** Puts lists in place of those that were there, writing what differs; true when anything did. */
export function writeLists(sql: SqlStorage, server: string, lists: RawLists): boolean {
  const before = new Map(readRows(sql, server).map((row) => [keyOf(row), row]))
  let changed = false
  for (const kind of KINDS) {
    for (const [position, text] of lists[kind].entries()) {
      const known = before.get(keyOf({ kind, position }))
      if (known?.body === sha256Hex(text)) {
        before.delete(keyOf(known))
        continue
      }
      changed = true
      sql.exec(
        'INSERT OR REPLACE INTO snapshots (server, kind, position, body) VALUES (?, ?, ?, ?)',
        server,
        kind,
        position,
        storeBody(sql, text),
      )
    }
  }
  for (const { kind, position, body } of before.values()) {
    if (position < lists[kind].length) continue // another text took its place
    changed = true
    sql.exec(
      'DELETE FROM snapshots WHERE server = ? AND kind = ? AND position = ? AND body = ?',
      server,
      kind,
      position,
      body,
    )
  }
  dropUnusedBodies(
    sql,
    [...before.values()].map(({ body }) => body),
  )
  return changed
}

/** The texts of the lists of a remote server, in its order. */
export function readLists(sql: SqlStorage, server: string): RawLists {
  const lists: Record<Kind, string[]> = {
    tools: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
  }
  const rows = sql.exec<{ kind: Kind; text: string }>(
    `SELECT s.kind, b.body AS text FROM snapshots s JOIN bodies b ON b.hash = s.body
     WHERE s.server = ? ORDER BY s.kind, s.position`,
    server,
  )
  for (const { kind, text } of rows) lists[kind].push(text)
  return lists
}

/** Gives a server the lists of another. */
export function copyLists(sql: SqlStorage, from: string, to: string): void {
  sql.exec(
    `INSERT OR REPLACE INTO snapshots (server, kind, position, body)
     SELECT ?, kind, position, body FROM snapshots WHERE server = ?`,
    to,
    from,
  )
}

/** Drops the lists of a server that is deleted. */
export function dropLists(sql: SqlStorage, server: string): void {
  const bodies = readRows(sql, server).map(({ body }) => body)
  sql.exec('DELETE FROM snapshots WHERE server = ?', server)
  dropUnusedBodies(sql, bodies)
}

function readRows(sql: SqlStorage, server: string): Row[] {
  const query = 'SELECT kind, position, body FROM snapshots WHERE server = ?'
  return sql.exec<Row>(query, server).toArray()
}

function keyOf({ kind, position }: Pick<Row, 'kind' | 'position'>): string {
  return `${kind} ${position}`
}
