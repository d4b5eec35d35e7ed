/**
 * Sealing anew after a rotation of `SEAL_KEYS`: what is sealed with another key than the first is
 * opened and sealed with that one, a few at a time. A value that was replaced meanwhile stays.
 */
import { open, seal, type Place } from '../../sealing/seal.ts'
import type { SealKeys } from '../../sealing/seal-keys.ts'
import { accountPlace } from './account-rows.ts'
import { heldPlace } from './held-rows.ts'
import { clientPlace } from './oauth-clients.ts'
import { secretPlace } from './secrets.ts'

const BATCH = 50
/** The id of the key that sealed a value: as it is indexed (schema.ts). */
const SEALED_BY = "substr(sealed, 4, instr(substr(sealed, 4), '.') - 1)"

type Table = 'secrets' | 'accounts' | 'oauth_clients' | 'held'

export type SealedValue = { table: Table; id: string; sealed: string }

const TABLES: Readonly<
  Record<Table, { column: string; placeOf: (organization: string, id: string) => Place }>
> = {
  secrets: { column: 'name', placeOf: secretPlace },
  accounts: { column: 'id', placeOf: accountPlace },
  oauth_clients: { column: 'id', placeOf: clientPlace },
  held: { column: 'id', placeOf: heldPlace },
}

/** How a sealed value is told apart from all others here. */
export function nameOf({ table, id }: SealedValue): string {
  return `${table} ${id}`
}

/** Some values under an older key than the first, without those of the given names. */
export function sealedToReseal(
  sql: SqlStorage,
  keys: SealKeys,
  except: ReadonlySet<string>,
): SealedValue[] {
  const { id: newest } = keys[0]
  return (Object.keys(TABLES) as Table[])
    .flatMap((table) =>
      sql
        .exec<{ id: string; sealed: string }>(
          `SELECT ${TABLES[table].column} AS id, sealed FROM ${table}
           WHERE ${SEALED_BY} < ?1 OR ${SEALED_BY} > ?1 LIMIT ?2`,
          newest,
          BATCH + except.size,
        )
        .toArray()
        .map((row) => ({ table, ...row })),
    )
    .filter((value) => !except.has(nameOf(value)))
    .slice(0, BATCH)
}

/** Seals one value anew. */
export async function resealOne(
  sql: SqlStorage,
  keys: SealKeys,
  organization: string,
  { table, id, sealed }: SealedValue,
): Promise<void> {
  const { column, placeOf } = TABLES[table]
  const place = placeOf(organization, id)
  const again = await seal(keys, place, await open(keys, place, sealed))
  const query = `UPDATE ${table} SET sealed = ? WHERE ${column} = ? AND sealed = ?`
  sql.exec(query, again, id, sealed)
}
