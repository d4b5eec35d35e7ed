/**
 * Tells KV what changed. Only the organization's alarm runs this, so puts never overlap or land out
 * of order; a burst of changes becomes one put, and what fails stays due.
 */
import {
  credentialKey,
  principalKey,
  revisionKey,
  REVISION_TTL_SECONDS,
  serverKey,
  surfaceKey,
  vanityKey,
} from '../../catalog/kv.ts'
import type { Kv } from '../../catalog/kv-door.ts'
import { formatPublished, formatTombstone } from '../../catalog/published.ts'
import { ServerSettings } from '../../catalog/server.ts'
import { REVOKED } from '../../callers/credential.ts'
import { GONE } from '../../callers/principal.ts'
import { encodeUtf8 } from '../../protocol/bytes.ts'
import { channelOf, surfaceChannelOf, type ChannelBinding } from '../resident.ts'
import { findDeadKey, formatCredential } from './credentials.ts'
import {
  formatPrincipal,
  isPrincipalActive,
  noteStreamsEnded,
  versionLeftAt,
} from './principals.ts'
import { isGoing } from './record.ts'
import { formatSurface } from './surface.ts'
import {
  duePublications,
  markAnnounced,
  markPublished,
  notePut,
  unannounced,
  type DuePublication,
  type Publication,
  type PublicationKind,
} from './publications.ts'
import { notePublishedRevision, revisionsSince, settingsAt } from './revisions.ts'
import { findServer, oauthServers } from './servers.ts'
import { readItems } from './items.ts'
import { publishedUpstream, readUpstream } from './upstreams.ts'

const BATCH = 50
const MIN_TTL_SECONDS = 60 // KV takes no less

/** Tombstones outlive any stale copy, and then go. */
const TOMBSTONE = { expirationTtl: REVISION_TTL_SECONDS }

export type Publisher = {
  storage: DurableObjectStorage
  kv: Kv
  env: ChannelBinding
  organization: string
  now: () => number
}

/** Puts what is due, one after the other; throws the first refusal once all were tried. */
export async function publishDue(publisher: Publisher): Promise<void> {
  const { storage, kv, now } = publisher
  const failures: unknown[] = []
  for (const publication of duePublications(storage.sql, kv.sealedBy, now())) {
    try {
      await publish(publisher, publication)
    } catch (error) {
      failures.push(error)
      notePut(storage.sql, publication, now()) // behind the others, next time
    }
  }
  if (failures.length > 0) throw failures[0]
}

const PUTS: Readonly<
  Record<PublicationKind, (publisher: Publisher, publication: DuePublication) => Promise<number>>
> = {
  server: putServer,
  vanity: putVanity,
  credential: putCredential,
  surface: putSurface,
  principal: putPrincipal,
}

async function publish(publisher: Publisher, publication: DuePublication): Promise<void> {
  const { storage, kv, now } = publisher
  const version = await PUTS[publication.kind](publisher, publication)
  storage.transactionSync(() => {
    markPublished(storage.sql, { ...publication, version }, kv.sealedBy, now())
    if (publication.kind === 'server' && version > publication.published) {
      notePublishedRevision(storage.sql, publication.name, version, now())
    }
  })
}

/**
 * Tells listeners what KV holds: streams of a server or a gateway look at its newest revision,
 * those of a principal at what is its own; those of a server, a key or a principal that is gone
 * end, as do hosted ones of a person who left.
 */
export async function announceDue(publisher: Publisher): Promise<void> {
  const {
    storage: { sql },
    env,
    organization,
  } = publisher
  for (const publication of unannounced(sql, BATCH)) {
    const { kind, name, version } = publication
    if (kind === 'server') {
      const channel = channelOf(env, name)
      await (findServer(sql, name).live === undefined
        ? channel.hangUpAll()
        : channel.announce(version))
    }
    if (kind === 'surface') {
      const channel = surfaceChannelOf(env, name)
      await (isGoing(sql) ? channel.hangUpAll() : channel.announce(version))
    }
    const dead = kind === 'credential' ? findDeadKey(sql, name) : undefined
    if (dead !== undefined) {
      const { id, server } = dead
      const channel = server === null ? surfaceChannelOf(env, organization) : channelOf(env, server)
      await channel.hangUp(id)
    }
    if (kind === 'principal') await announcePrincipal(publisher, name)
    markAnnounced(sql, publication)
  }
}

async function announcePrincipal(
  { storage: { sql }, env, organization }: Publisher,
  id: string,
): Promise<void> {
  const surface = surfaceChannelOf(env, organization)
  const isActive = isPrincipalActive(sql, id)
  await (isActive ? surface.nudgePrincipal(id) : surface.hangUpPrincipal(id))
  const left = versionLeftAt(sql, id)
  if (isActive && left === undefined) return
  for (const server of oauthServers(sql)) await channelOf(env, server).hangUp(id)
  if (left !== undefined) noteStreamsEnded(sql, id, left)
}

/** The published form of a server as it stands, a tombstone where it is gone; undefined for no such id. */
export function formatServer(
  sql: SqlStorage,
  organization: string,
  id: string,
): { bytes: Uint8Array<ArrayBuffer>; revision: number; isLive: boolean } | undefined {
  const { live, revision } = findServer(sql, id)
  if (revision === 0) return undefined
  const server = { organization, id, revision }
  const bytes =
    live === undefined
      ? formatTombstone(server)
      : formatPublished(
          {
            ...server,
            settings: live.settings,
            upstream: publishedUpstream(readUpstream(sql, id)),
          },
          readItems(sql, id),
        )
  return { bytes, revision, isLive: live !== undefined }
}

/** The form a live server had at a revision, its upstream as it is now; undefined when that is not kept. */
export function formatServerAt(
  sql: SqlStorage,
  organization: string,
  id: string,
  revision: number,
): Uint8Array<ArrayBuffer> | undefined {
  const settings = settingsAt(sql, id, revision)
  if (settings === undefined) return undefined
  const upstream = publishedUpstream(readUpstream(sql, id))
  return formatPublished(
    { organization, id, revision, settings: ServerSettings.parse(settings), upstream },
    readItems(sql, id, revision),
  )
}

async function putServer(publisher: Publisher, publication: DuePublication) {
  const { storage, kv, organization } = publisher
  const { name: id, version, published } = publication
  const server = formatServer(storage.sql, organization, id)
  if (server === undefined) return version
  const { bytes, revision, isLive } = server
  const stamp = { organization, revision }
  // The revision's own key first: who learns of a revision from the pointer must find it there.
  if (isLive) {
    if (published === version) await putRevisionsAgain(publisher, id, revision)
    await kv.put(revisionKey(id, revision), bytes, { stamp, expirationTtl: REVISION_TTL_SECONDS })
  }
  await kv.put(serverKey(id), bytes, { stamp, ...(!isLive && TOMBSTONE) })
  return revision // which may be newer than the one that was due
}

/** Puts what KV still has of earlier revisions as it was, for as long as was left to it. */
async function putRevisionsAgain(
  { storage: { sql }, kv, organization, now }: Publisher,
  id: string,
  current: number,
): Promise<void> {
  const since = now() - REVISION_TTL_SECONDS * 1000
  for (const { revision, publishedAt } of revisionsSince(sql, id, since)) {
    const bytes = revision < current ? formatServerAt(sql, organization, id, revision) : undefined
    if (bytes === undefined) continue
    const left = Math.ceil((publishedAt - since) / 1000)
    await kv.put(revisionKey(id, revision), bytes, {
      stamp: { organization, revision },
      expirationTtl: Math.max(left, MIN_TTL_SECONDS),
    })
  }
}

async function putVanity({ storage, kv }: Publisher, { name, version }: Publication) {
  const rows = storage.sql.exec<{ id: string; settings: string }>(
    'SELECT id, settings FROM servers WHERE slug = ? AND deleted_at IS NULL',
    name,
  )
  const server = [...rows].find(({ settings }) => JSON.parse(settings).vanity === true)
  const text = JSON.stringify({ server: server?.id })
  await kv.put(vanityKey(name), encodeUtf8(text), server ? {} : TOMBSTONE)
  return version
}

async function putCredential(
  { storage, kv, organization }: Publisher,
  { name, version }: Publication,
) {
  const text = formatCredential(storage.sql, organization, name)
  await kv.put(credentialKey(name), encodeUtf8(text), text === REVOKED ? TOMBSTONE : {})
  return version
}

async function putSurface({ storage, kv, organization }: Publisher, { version }: Publication) {
  const isLive = !isGoing(storage.sql)
  const surface = isLive ? formatSurface(storage.sql) : undefined
  const revision = surface?.revision ?? version
  const bytes = surface?.bytes ?? formatTombstone({ organization, id: 'surface', revision })
  const stamp = { organization, revision }
  await kv.put(surfaceKey(organization), bytes, { stamp, ...(!isLive && TOMBSTONE) })
  return revision
}

async function putPrincipal(
  { storage, kv, organization }: Publisher,
  { name, version }: Publication,
) {
  const text = formatPrincipal(storage.sql, organization, name)
  await kv.put(principalKey(name), encodeUtf8(text), text === GONE ? TOMBSTONE : {})
  return version
}
