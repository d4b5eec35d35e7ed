/** Definitions and bindings, each text stored once under the SHA-256 of itself. */
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { sha256Hex } from '../../sealing/digest.ts'

/** Stores a text and gives its hash. */
export function storeBody(sql: SqlStorage, body: string): string {
  const hash = sha256Hex(body)
  sql.exec(
    'INSERT OR IGNORE INTO bodies (hash, body, bytes) VALUES (?, ?, ?)',
    hash,
    body,
    encodeUtf8(body).length,
  )
  return hash
}

/** Drops the texts of these hashes that no item and no remote list refers to any more. */
export function dropUnusedBodies(sql: SqlStorage, hashes: Iterable<string>): void {
  for (const hash of new Set(hashes)) {
    sql.exec(
      `DELETE FROM bodies WHERE hash = ?1
       AND NOT EXISTS (SELECT 1 FROM items WHERE definition = ?1)
       AND NOT EXISTS (SELECT 1 FROM items WHERE binding = ?1)
       AND NOT EXISTS (SELECT 1 FROM snapshots WHERE body = ?1)`,
      hash,
    )
  }
}
