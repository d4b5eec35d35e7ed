/** An object's database in plain Node: SQLite itself behind the calls of an object's storage. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { STEPS } from '../../src/objects/organization/schema.ts'

/** An empty database with the organization's tables, or those of another schema. */
export function createSql(schema: string = STEPS.join('')): SqlStorage {
  const database = new DatabaseSync(':memory:')
  database.exec(schema)
  const exec = (query: string, ...bindings: SQLInputValue[]) => {
    const rows = database.prepare(query).all(...bindings)
    const one = () => {
      if (rows.length !== 1) throw new Error(`${rows.length} rows where there must be one`)
      return rows[0]
    }
    return { toArray: () => rows, one, [Symbol.iterator]: () => rows.values() }
  }
  return { exec } as unknown as SqlStorage
}
