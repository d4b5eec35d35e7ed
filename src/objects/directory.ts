/**
 * Directory: who owns a name that is unique in the deployment. One object for each first hex digit
 * of the hash of the name up to a colon: names that differ after it are found together. A name is
 * claimed before the owner's own transaction and released by the owner when that did not commit, so
 * it may be held for a moment by nobody's record; never by two.
 */
import { DurableObject } from 'cloudflare:workers'
import { migrate } from './migrate.ts'

/** `external`: a person as an issuer knows it, `<hash>:<organization>`; its target is the member. */
export type NameKind = 'organization' | 'server' | 'vanity' | 'credential' | 'external'

/** Who owns a name, and what the name is for there. */
export type Owned = { owner: string; target: string }

const STEPS = [
  `CREATE TABLE names (
     kind TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, target TEXT NOT NULL,
     PRIMARY KEY (kind, name)
   ) WITHOUT ROWID`,
]

export class Directory extends DurableObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never)
    migrate(ctx.storage, STEPS)
  }

  /** Claims a name for an owner; true when it is the owner's now, false when it is another's. */
  claim(kind: NameKind, name: string, { owner, target }: Owned): boolean {
    const held = this.find(kind, name)
    if (held !== undefined && held.owner !== owner) return false
    this.ctx.storage.sql.exec(
      'INSERT OR REPLACE INTO names (kind, name, owner, target) VALUES (?, ?, ?, ?)',
      kind,
      name,
      owner,
      target,
    )
    return true
  }

  /** Gives a name up; nothing happens when it is another's. */
  release(kind: NameKind, name: string, owner: string): void {
    this.ctx.storage.sql.exec(
      'DELETE FROM names WHERE kind = ? AND name = ? AND owner = ?',
      kind,
      name,
      owner,
    )
  }

  /** Who owns a name; undefined when nobody does. */
  find(kind: NameKind, name: string): Owned | undefined {
    return [
      ...this.ctx.storage.sql.exec<Owned>(
        'SELECT owner, target FROM names WHERE kind = ? AND name = ?',
        kind,
        name,
      ),
    ][0]
  }

  /** The names of a kind that are the same up to a colon. */
  findAll(kind: NameKind, prefix: string, limit: number): Owned[] {
    return this.ctx.storage.sql
      .exec<Owned>(
        `SELECT owner, target FROM names WHERE kind = ? AND name > ? AND name < ?
         ORDER BY name LIMIT ?`,
        kind,
        `${prefix}:`,
        `${prefix};`, // what comes after the colon
        limit,
      )
      .toArray()
  }

  /** The names of a kind in this shard after one, in order. */
  list(kind: NameKind, after: string, limit: number): { name: string; owner: string }[] {
    return this.ctx.storage.sql
      .exec<{ name: string; owner: string }>(
        'SELECT name, owner FROM names WHERE kind = ? AND name > ? ORDER BY name LIMIT ?',
        kind,
        after,
        limit,
      )
      .toArray()
  }
}
