/** Objects as a test meets them from outside HTTP: what they store, and how they are reset. */
import type { Rollcall } from './rollcall.ts'
import type { Row } from './storage.ts'

export type Kind = 'SESSION' | 'CHANNEL' | 'UPSTREAM' | 'ORGANIZATION'
export type Target = { id: string } | { name: string }

/** A foreign key that is checked with the commit, which fails: the platform then resets the object. */
const BROKEN = `
  CREATE TABLE broken_parent (id INTEGER PRIMARY KEY);
  CREATE TABLE broken (parent INTEGER REFERENCES broken_parent (id) DEFERRABLE INITIALLY DEFERRED);
  INSERT INTO broken VALUES (1)`

/** The Channel of a server. */
export const channelOf = (server: string) => ({ name: `server-${server}` })

/** The Upstream of a remote server. */
export const upstreamOf = (server: string) => ({ name: `remote-${server}` })

/** Runs SQL in an object's database. */
export async function inObject(
  { harness }: Rollcall,
  kind: Kind,
  target: Target,
  sql: string,
): Promise<Row[]> {
  const only = 'id' in target ? { id: target.id } : { name: target.name }
  const storage = await harness.getWorker().getDurableObjectStorage(kind, only)
  return storage.exec(sql)
}

/** Resets an object whatever it is doing, as a deploy would; what it had committed stays. */
export async function resetObject(rollcall: Rollcall, kind: Kind, target: Target): Promise<void> {
  try {
    await inObject(rollcall, kind, target, BROKEN)
  } catch (error) {
    if (String(error).includes('Durable Object was reset')) return
    throw error
  }
  throw new Error('the object was not reset')
}

/** How many rows each table of an object has; empty where there is no table. */
export async function rowCounts(
  rollcall: Rollcall,
  kind: Kind,
  target: Target,
): Promise<Record<string, number>> {
  const tables = await inObject(
    rollcall,
    kind,
    target,
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'",
  )
  const names = tables.map(({ name }) => String(name))
  if (names.length === 0) return {}
  // In one statement: the object may drop its tables between two.
  const counts = names.map((name) => `(SELECT COUNT(*) FROM "${name}") AS "${name}"`)
  try {
    const [row = {}] = await inObject(rollcall, kind, target, `SELECT ${counts.join(', ')}`)
    return Object.fromEntries(names.map((name) => [name, Number(row[name])]))
  } catch (error) {
    if (String(error).includes('no such table')) return {} // dropped since they were listed
    throw error
  }
}

/** The ids in a server's index of sessions. */
export async function indexedSessions(rollcall: Rollcall, server: string): Promise<string[]> {
  const rows = await inObject(rollcall, 'CHANNEL', channelOf(server), 'SELECT id FROM sessions')
  return rows.map(({ id }) => String(id))
}

/** Stops the whole runtime and starts it again on what it stored, at the same URL. */
export async function restart({ harness, url }: Rollcall): Promise<void> {
  await harness.update(({ root, workers: [worker, ...others] }) => {
    if (worker === undefined) throw new Error('no Worker')
    const vars = { ...('vars' in worker && worker.vars), RESTARTED_AT: String(Date.now()) }
    return { root, workers: [{ ...worker, vars }, ...others] }
  })
  const { url: now } = await harness.listen()
  if (now.origin !== url) throw new Error(`it is at ${now.origin} now`)
}
