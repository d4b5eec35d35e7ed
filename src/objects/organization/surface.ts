/**
 * An organization's gateway as it stands: which of its servers are shown there, with what everybody
 * shares, and the form in which that is published. Its revision is the version of its publication.
 * What belongs to one member or agent is not in it, so that no change of theirs makes it anew.
 */
import { formatPublished, MAX_PUBLISHED_BYTES } from '../../catalog/published.ts'
import { capabilityOf, isRemote, needsAccount, ServerSettings } from '../../catalog/server.ts'
import {
  ACCOUNT_PROPERTY_BYTES,
  SURFACE_ITEM_BYTES,
  surfaceItem,
} from '../../catalog/surface-items.ts'
import type { Capability, SharedAccount, Surface } from '../../catalog/surface.ts'
import { HttpError } from '../../protocol/http-error.ts'
import { readEnvironments } from './environments.ts'
import { notePublication, versionOf } from './publications.ts'
import { organizationId, organizationSettings } from './record.ts'
import { readItems } from './items.ts'

const MAX_SURFACE_TOOLS = 20_000
const MAX_SHARED_BYTES = 1024 * 1024 // of environments and shared accounts, which every list reads

/** What the surface says of itself where a server says its settings. */
const SETTINGS = ServerSettings.parse({ name: 'Rollcall', slug: 'gateway', auth: 'key', ttlMs: 0 })

/** What the gateway shows, and in which revision. */
export function readSurface(sql: SqlStorage): Surface {
  const { features, capabilities: settings, status } = organizationSettings(sql)
  return {
    status,
    features,
    settings,
    capabilities: readCapabilities(sql),
    shared: readShared(sql),
    environments: readEnvironments(sql),
  }
}

/** The published form of the surface as it stands; undefined where there is no organization. */
export function formatSurface(
  sql: SqlStorage,
): { bytes: Uint8Array<ArrayBuffer>; revision: number } | undefined {
  const organization = organizationId(sql)
  if (organization === undefined) return undefined
  const surface = readSurface(sql)
  const revision = versionOf(sql, 'surface', organization)
  const items = surface.capabilities.flatMap((capability) =>
    readItems(sql, capability.server)
      .filter(({ kind, status }) => kind === 'tools' && status === 'active')
      .map((tool) => surfaceItem(capability, tool)),
  )
  const header = { organization, id: 'surface', revision, settings: SETTINGS, surface }
  return { bytes: formatPublished(header, items), revision }
}

/** Notes that the surface is another now; 413 where it has become too large. */
export function noteSurface(sql: SqlStorage): void {
  const organization = organizationId(sql)
  if (organization === undefined) return
  requireFits(sql)
  notePublication(sql, 'surface', organization)
}

/** Whether a server with these settings is on the surface. */
export function isOnSurface(settings: ServerSettings | undefined): boolean {
  return settings !== undefined && capabilityOf(settings) !== undefined
}

/** Throws 409 where another server is this capability already. */
export function requireFreeCapability(sql: SqlStorage, id: string, gateway: string): void {
  const query = `SELECT id FROM servers
    WHERE deleted_at IS NULL AND id <> ? AND json_extract(settings, '$.gateway') = ?`
  if ([...sql.exec(query, id, gateway)].length === 0) return
  const message = `The capability "${gateway}" is another server's`
  throw new HttpError(409, 'capability_taken', message)
}

function readCapabilities(sql: SqlStorage): Capability[] {
  return sql
    .exec<{ id: string; settings: string }>(
      `SELECT id, settings FROM servers
       WHERE deleted_at IS NULL AND json_extract(settings, '$.gateway') IS NOT NULL`,
    )
    .toArray()
    .flatMap(({ id: server, settings: text }): Capability[] => {
      const settings = ServerSettings.parse(JSON.parse(text))
      const id = capabilityOf(settings)
      if (id === undefined) return []
      const account = needsAccount(settings) ? 'required' : 'none'
      return [{ id, server, account, kind: isRemote(settings) ? 'remote' : 'hosted' }]
    })
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

function readShared(sql: SqlStorage): SharedAccount[] {
  type Row = { account: string; server: string; owner: string | null; tools: string | null }
  return sql
    .exec<Row>(
      `SELECT g.account, a.server, a.owner, g.tools FROM grants g JOIN accounts a ON a.id = g.account
       WHERE g.grantee = 'everybody' ORDER BY g.account`,
    )
    .toArray()
    .map(({ account, server, owner, tools }) => ({
      account,
      server,
      ...(owner !== null && { membersOnly: true as const }),
      ...(tools !== null && { tools: JSON.parse(tools) }),
    }))
}

function requireFits(sql: SqlStorage): void {
  const { capabilities, shared, environments } = readSurface(sql)
  if (JSON.stringify([shared, environments]).length > MAX_SHARED_BYTES) {
    throw tooLarge('its environments and the accounts that everybody shares take over 1 MiB')
  }
  let [tools, bytes] = [0, MAX_SHARED_BYTES]
  for (const { id, server, account } of capabilities) {
    const own = measureTools(sql, server)
    const overhead =
      SURFACE_ITEM_BYTES + 2 * (id.length + 2) + (account === 'none' ? 0 : ACCOUNT_PROPERTY_BYTES)
    tools += own.tools
    bytes += own.bytes + own.tools * overhead
  }
  if (tools > MAX_SURFACE_TOOLS) throw tooLarge(`it may have ${MAX_SURFACE_TOOLS} tools`)
  const limit = `${MAX_PUBLISHED_BYTES / 1024 / 1024} MiB`
  if (bytes > MAX_PUBLISHED_BYTES) throw tooLarge(`its tools take over ${limit} together`)
}

/** The active tools of a server: how many, and what their definitions and names take. */
function measureTools(sql: SqlStorage, server: string): { tools: number; bytes: number } {
  return sql
    .exec<{ tools: number; bytes: number }>(
      `SELECT COUNT(*) AS tools, COALESCE(SUM(d.bytes + 3 * length(i.name)), 0) AS bytes
       FROM items i JOIN bodies d ON d.hash = i.definition
       WHERE i.server = ? AND i.kind = 'tools' AND i.status = 'active' AND i.until IS NULL`,
      server,
    )
    .one()
}

function tooLarge(problem: string): HttpError {
  return new HttpError(413, 'surface_too_large', `The gateway of the organization: ${problem}`)
}
