/** What the test knows and expects: organizations, servers and keys, and the writes sent to each. */
import { REFUSED, type ServerState } from './model.ts'
import type { Sent, Standing } from './explain.ts'

export type OrganizationRecord = {
  name: string
  /** Empty until it is known. */
  id: string
  /** `unsure`: made or deleted by a request that was never answered. */
  state: 'live' | 'gone' | 'unsure'
  /** The newest row of its audit log that was looked at. */
  auditSeen: number
}

export type ServerRecord = {
  organization: OrganizationRecord
  id: string
  /** As it was found after the last restart. */
  standing: Standing
  /** The last slug it was seen with. */
  slug: string
  /** About what it is now: what to choose the next write by. */
  believed: ServerState
  /** The writes since. */
  sent: Sent[]
}

export type KeyRecord = {
  server: ServerRecord
  id: string
  secret: string
  made: number
  /** `unsure`: its server's deletion, or its own, was never answered or ran beside its making. */
  state: 'live' | 'revoked' | 'unsure'
}

/** A row that the audit log must have. */
export type Audited = { organization: OrganizationRecord; act: string; target: string }

export type World = {
  organizations: OrganizationRecord[]
  servers: ServerRecord[]
  keys: KeyRecord[]
  /** Servers whose making was never answered, so that their ids are unknown, by their mark. */
  nameless: { organization: OrganizationRecord; mark: string; sent: Sent }[]
  audited: Audited[]
  /** Vanity slugs and server ids that a write without an answer may have claimed for nothing. */
  suspects: Set<string>
  ticks: number
  /** `kept`: writes to servers that were never answered and are there nevertheless. */
  counts: { acknowledged: number; unanswered: number; kept: number; refused: number }
  violations: string[]
}

export function createWorld(): World {
  return {
    organizations: [{ name: 'default', id: 'org_default', state: 'live', auditSeen: 0 }],
    servers: [],
    keys: [],
    nameless: [],
    audited: [],
    suspects: new Set(),
    ticks: 0,
    counts: { acknowledged: 0, unanswered: 0, kept: 0, refused: 0 },
    violations: [],
  }
}

/** How an organization is named in requests: by its id, which no later one takes over. */
export function headerOf({ name, id }: OrganizationRecord): string {
  return name === 'default' ? name : id
}

/** The record of a server in an organization, made where there is none yet. */
export function recordOf(
  { servers }: World,
  organization: OrganizationRecord,
  id: string,
): ServerRecord {
  const known = servers.find((server) => server.organization === organization && server.id === id)
  if (known !== undefined) return known
  const standing: Standing = { revision: 0, state: undefined, past: new Map(), kept: 0 }
  const record = { organization, id, standing, slug: 'none', believed: undefined, sent: [] }
  servers.push(record)
  return record
}

/** Notes a write and what it seems to have made of its server. */
export function noteSent(record: ServerRecord, sent: Sent): void {
  record.sent.push(sent)
  const next = sent.effect(record.believed, record.standing.past)
  if (sent.isAcknowledged && next !== REFUSED) believe(record, next)
}

export function believe(record: ServerRecord, state: ServerState): void {
  record.believed = state
  record.slug = state?.settings.slug ?? record.slug
}

/** Notes that a server's keys went with it, as far as that is known. */
export function noteDeleted({ keys }: World, record: ServerRecord, sent: Sent): void {
  for (const key of keys) {
    if (key.server !== record || key.state === 'revoked') continue
    key.state = sent.isAcknowledged && key.made < sent.started ? 'revoked' : 'unsure'
  }
}
