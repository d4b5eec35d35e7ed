/**
 * What KV and Channel have to be told: a row for each key, with the version that is true, the one KV
 * holds and the one its listeners were told of; and which key sealed what KV holds (`SEAL_KEYS`), so
 * that a rotation puts every value again, a few at a time, each in the version it has.
 * Written in the transaction of the change itself, so nothing is forgotten over a crash.
 */

/** KV takes one write a second for a key (`platform.md` §5). */
export const PUBLISH_GAP_MS = 1100

export type PublicationKind = 'server' | 'vanity' | 'credential' | 'surface' | 'principal'
export type Publication = { kind: PublicationKind; name: string; version: number }
/** One to put, with the version that KV holds. */
export type DuePublication = Publication & { published: number }

const CHANGED_BATCH = 50
const RESEALED_BATCH = 10 // each may be a whole catalog, and changes come first
/** As long as an edge may show what it had read before the value was put again. */
const AGAIN_GAP_MS = 2 * 60 * 1000
/** Those that another key sealed: two ranges of an index, where `<>` would look at every row. */
const SEALED_OTHERWISE = ['<', '>']
  .map(
    (otherwise) => `SELECT kind, name, version, published, put_at FROM publications
     WHERE sealed_by ${otherwise} ?1 AND published >= version`,
  )
  .join(' UNION ALL ')

/** Notes that a key's value changed; for a server the version is its revision. */
export function notePublication(
  sql: SqlStorage,
  kind: PublicationKind,
  name: string,
  version?: number,
): void {
  sql.exec(
    `INSERT INTO publications (kind, name, version, published, announced, put_at)
     VALUES (?, ?, ?, 0, 0, 0)
     ON CONFLICT (kind, name) DO UPDATE SET version = MAX(excluded.version, version + ?)`,
    kind,
    name,
    version ?? 1,
    version === undefined ? 1 : 0,
  )
}

/** The keys whose turn has come: those that changed, and some that another key sealed. */
export function duePublications(sql: SqlStorage, sealedBy: string, now: number): DuePublication[] {
  const changed = sql.exec<DuePublication>(
    `SELECT kind, name, version, published FROM publications
     WHERE published < version AND put_at <= ? ORDER BY put_at LIMIT ${CHANGED_BATCH}`,
    now - PUBLISH_GAP_MS,
  )
  const toReseal = sql.exec<DuePublication>(
    `SELECT kind, name, version, published FROM (${SEALED_OTHERWISE})
     WHERE put_at <= ?2 ORDER BY put_at LIMIT ${RESEALED_BATCH}`,
    sealedBy,
    now - PUBLISH_GAP_MS,
  )
  return [...changed.toArray(), ...toReseal.toArray()]
}

/** When there is something to tell, in ms since the epoch; undefined when all is told. */
export function nextPublicationAt(sql: SqlStorage, sealedBy: string): number | undefined {
  if (unannounced(sql, 1).length > 0) return 0
  const { at } = sql
    .exec<{ at: number | null }>(
      `SELECT MIN(put_at) AS at FROM (
         SELECT put_at FROM publications WHERE published < version
         UNION ALL SELECT put_at FROM (${SEALED_OTHERWISE})
       )`,
      sealedBy,
    )
    .one()
  return at === null ? undefined : at + PUBLISH_GAP_MS
}

/** Notes that what KV holds of a key does not open, unless it was put a moment ago. */
export function notePutAgain(
  sql: SqlStorage,
  { kind, name }: Pick<Publication, 'kind' | 'name'>,
  now: number,
): void {
  sql.exec(
    "UPDATE publications SET sealed_by = '' WHERE kind = ? AND name = ? AND put_at <= ?",
    kind,
    name,
    now - AGAIN_GAP_MS,
  )
}

/** Notes that a put was tried. */
export function notePut(sql: SqlStorage, { kind, name }: Publication, now: number): void {
  sql.exec('UPDATE publications SET put_at = ? WHERE kind = ? AND name = ?', now, kind, name)
}

/** Notes that KV holds a version, and which key sealed it. */
export function markPublished(
  sql: SqlStorage,
  { kind, name, version }: Publication,
  sealedBy: string,
  now: number,
): void {
  sql.exec(
    'UPDATE publications SET published = ?, sealed_by = ?, put_at = ? WHERE kind = ? AND name = ?',
    version,
    sealedBy,
    now,
    kind,
    name,
  )
}

/** The keys whose listeners do not know yet what KV holds. */
export function unannounced(sql: SqlStorage, limit: number): Publication[] {
  return sql
    .exec<Publication>(
      `SELECT kind, name, published AS version FROM publications WHERE announced < published
       ORDER BY announced LIMIT ?`,
      limit,
    )
    .toArray()
}

/** Notes that listeners were told of a version. */
export function markAnnounced(sql: SqlStorage, { kind, name, version }: Publication): void {
  const query = 'UPDATE publications SET announced = ? WHERE kind = ? AND name = ?'
  sql.exec(query, version, kind, name)
}

/** The version of a key that is true; 0 for none. */
export function versionOf(sql: SqlStorage, kind: PublicationKind, name: string): number {
  const query = 'SELECT version FROM publications WHERE kind = ? AND name = ?'
  return [...sql.exec<{ version: number }>(query, kind, name)][0]?.version ?? 0
}

/** The version of a key that KV holds; 0 for none. */
export function publishedVersion(sql: SqlStorage, kind: PublicationKind, name: string): number {
  const query = 'SELECT published FROM publications WHERE kind = ? AND name = ?'
  return [...sql.exec<{ published: number }>(query, kind, name)][0]?.published ?? 0
}
