/**
 * What KV and Channel have to be told: a row for each key, with the version that is true, the one KV
 * holds and the one its listeners were told of.
 * Written in the transaction of the change itself, so nothing is forgotten over a crash.
 */

/** KV takes one write a second for a key (`platform.md` §5). */
export const PUBLISH_GAP_MS = 1100

export type PublicationKind = 'server' | 'vanity' | 'credential' | 'principal'
export type Publication = { kind: PublicationKind; name: string; version: number }

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

/** The keys whose turn has come. */
export function duePublications(sql: SqlStorage, now: number, limit: number): Publication[] {
  return sql
    .exec<Publication>(
      `SELECT kind, name, version FROM publications
       WHERE published < version AND put_at <= ? ORDER BY put_at LIMIT ?`,
      now - PUBLISH_GAP_MS,
      limit,
    )
    .toArray()
}

/** When there is something to tell, in ms since the epoch; undefined when all is told. */
export function nextPublicationAt(sql: SqlStorage): number | undefined {
  if (unannounced(sql, 1).length > 0) return 0
  const query = 'SELECT MIN(put_at) AS at FROM publications WHERE published < version'
  const { at } = sql.exec<{ at: number | null }>(query).one()
  return at === null ? undefined : at + PUBLISH_GAP_MS
}

/** Notes that a put was tried. */
export function notePut(sql: SqlStorage, { kind, name }: Publication, now: number): void {
  sql.exec('UPDATE publications SET put_at = ? WHERE kind = ? AND name = ?', now, kind, name)
}

/** Notes that KV holds a version. */
export function markPublished(
  sql: SqlStorage,
  { kind, name, version }: Publication,
  now: number,
): void {
  sql.exec(
    'UPDATE publications SET published = ?, put_at = ? WHERE kind = ? AND name = ?',
    version,
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

/** The version of a key that KV holds; 0 for none. */
export function publishedVersion(sql: SqlStorage, kind: PublicationKind, name: string): number {
  const query = 'SELECT published FROM publications WHERE kind = ? AND name = ?'
  return [...sql.exec<{ published: number }>(query, kind, name)][0]?.published ?? 0
}
