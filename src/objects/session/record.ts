/**
 * What a session remembers, and when it ends. One record under the key `session`; it comes with
 * `initialize`, so a late request for a dead id finds nothing and writes nothing.
 */
import type { LogLevel } from '../../protocol/logging.ts'
import type { LegacyRevision } from '../../protocol/revisions.ts'

/** A session that saw nothing after `initialize` is gone after this. */
export const FIRST_USE_MS = 5 * 60 * 1000

/** Last use is written at most every twentieth of the idle time. */
const TOUCHES_PER_IDLE_TIME = 20

export type SessionRecord = {
  organization: string
  server: string
  /** The principal, server key or `anonymous` it is bound to; never the token itself. */
  caller: string
  revision: LegacyRevision
  clientInfo: string
  clientCapabilities: string
  logLevel: LogLevel | undefined
  /** The newest revision of the server that this session was told of. */
  catalogRevision: number
  /** Digests of what the client was last told of: the lists it agreed to, and `contents <uri>`. */
  announced: Readonly<Record<string, string>>
  /** URIs it subscribed to. */
  subscriptions: readonly string[]
  idleMs: number
  createdAt: number
  lastUsedAt: number
  isUsed: boolean
}

/** Who says to be in a session, and the catalog revision its request was prepared from. */
export type Claim = {
  organization: string
  server: string
  caller: string
  catalogRevision?: number | undefined
}

/** What is to be told to a client, and the URIs it is subscribed to. */
export type Learned = { told: string[]; subscriptions: readonly string[] }

/** Whether a claim is of this session: another caller's id is as unknown as a made-up one. */
export function isOf(record: SessionRecord, claim: Claim): boolean {
  return (
    record.organization === claim.organization &&
    record.server === claim.server &&
    record.caller === claim.caller
  )
}

/** When a session ends if nothing more is heard of it, in ms since the epoch. */
export function endsAt({ lastUsedAt, idleMs, isUsed }: SessionRecord): number {
  return lastUsedAt + (isUsed ? idleMs : Math.min(idleMs, FIRST_USE_MS))
}

/** The record after a use; the same object when the use need not be written. */
export function touched(record: SessionRecord, now: number): SessionRecord {
  const isRecent = now - record.lastUsedAt < record.idleMs / TOUCHES_PER_IDLE_TIME
  return record.isUsed && isRecent ? record : { ...record, isUsed: true, lastUsedAt: now }
}

/** The record of a session that was ended: nothing finds it any more, and the alarm deletes it. */
export function ended(record: SessionRecord): SessionRecord {
  return { ...record, lastUsedAt: 0, idleMs: 0, isUsed: true }
}

export function hasEnded({ idleMs }: SessionRecord): boolean {
  return idleMs === 0
}

/** The record with a URI subscribed to, its contents' digest as told, or without it. */
export function subscribed(
  record: SessionRecord,
  { add, remove }: { add?: string; remove?: string },
  digests: Readonly<Record<string, string>>,
): SessionRecord {
  const rest = record.subscriptions.filter((uri) => uri !== add && uri !== remove)
  if (add !== undefined) {
    return {
      ...record,
      subscriptions: [...rest, add],
      announced: { ...record.announced, ...digests },
    }
  }
  const announced = Object.entries(record.announced).filter(([name]) => !(name in digests))
  return { ...record, subscriptions: rest, announced: Object.fromEntries(announced) }
}

/**
 * What a client is to be told of digests that hold at a catalog revision, and the record once it was;
 * the same object when nothing is new.
 */
export function learn(
  record: SessionRecord,
  revision: number,
  digests: Readonly<Record<string, string>>,
): { next: SessionRecord; learned: Learned } {
  const { subscriptions, announced } = record
  // An older copy says nothing.
  if (revision < record.catalogRevision)
    return { next: record, learned: { told: [], subscriptions } }
  // A list it was not told of when it opened is one that it never agreed to hear of.
  const told = Object.keys(digests).filter(
    (name) => name in announced && digests[name] !== announced[name],
  )
  const isNews = told.length > 0 || revision > record.catalogRevision
  const news = Object.fromEntries(told.map((name) => [name, digests[name] ?? '']))
  const next = { ...record, catalogRevision: revision, announced: { ...announced, ...news } }
  return { next: isNews ? next : record, learned: { told, subscriptions } }
}
