/**
 * Forward migrations of an object's database: the schema's version is a row, each step runs once, in
 * one transaction with the row. `PRAGMA user_version` is not to be had here.
 */

/** Brings the database to the newest version; a step is never changed once it was released. */
export function migrate(storage: DurableObjectStorage, steps: readonly string[]): void {
  storage.transactionSync(() => {
    storage.sql.exec('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)')
    const row = [...storage.sql.exec<{ version: number }>('SELECT version FROM schema_version')][0]
    const version = row?.version ?? 0
    if (version > steps.length) {
      throw new Error(`database is at version ${version}, this code knows ${steps.length}`)
    }
    if (version === steps.length) return
    for (const step of steps.slice(version)) storage.sql.exec(step)
    storage.sql.exec('DELETE FROM schema_version')
    storage.sql.exec('INSERT INTO schema_version (version) VALUES (?)', steps.length)
  })
}
