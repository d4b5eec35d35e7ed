/** Gateways as an isolate holds them, made from server files through the published form. */
import type { Principal } from '../../src/callers/principal.ts'
import { loadGateway, type Gateway, type OwnTool } from '../../src/catalog/gateway.ts'
import { formatPublished } from '../../src/catalog/published.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { ServerSettings } from '../../src/catalog/server.ts'
import { surfaceItem } from '../../src/catalog/surface-items.ts'
import type { Capability, Surface } from '../../src/catalog/surface.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { ORGANIZATION } from './catalogs.ts'

/** A server as it is shown: under which capability, and its file. */
export type Shown = { id: string; file: object } & Partial<Omit<Capability, 'id'>>

export const SETTINGS = ServerSettings.parse({
  name: 'Rollcall',
  slug: 'gateway',
  auth: 'key',
  ttlMs: 0,
})

/** The id of the server that is shown as a capability here. */
export const serverOf = (capability: string) => `server-${capability}`

/** A surface of nothing but these. */
export function surfaceOf(shown: readonly Shown[], members: Partial<Surface> = {}): Surface {
  return {
    status: 'active',
    features: { approvals: false, connectLinks: false, feedback: false },
    settings: {},
    capabilities: shown.map(({ id, server = serverOf(id), account = 'none', kind = 'hosted' }) => ({
      id,
      server,
      account,
      kind,
    })),
    shared: [],
    environments: {},
    ...members,
  }
}

/** The published bytes of a gateway. */
export function surfaceBytes(
  shown: readonly Shown[],
  { surface, revision = 1 }: { surface: Surface | undefined; revision?: number },
): Uint8Array<ArrayBuffer> {
  const { capabilities } = surfaceOf(shown)
  const items = shown.flatMap(({ file }, n) => {
    const capability = capabilities[n]
    if (capability === undefined) return []
    return parseServerFile(file).items.map((item) => surfaceItem(capability, item))
  })
  const header = { organization: ORGANIZATION, id: 'surface', revision, settings: SETTINGS }
  return formatPublished({ ...header, surface }, items)
}

/** A gateway of these servers, with tools of our own. */
export function gatewayOf(
  shown: readonly Shown[],
  own: readonly OwnTool[] = [],
  members: Partial<Surface> & { revision?: number } = {},
): Gateway {
  const { revision = 1, ...rest } = members
  const bytes = surfaceBytes(shown, { surface: surfaceOf(shown, rest), revision })
  const { value } = loadGateway(bytes, own, new BoundedMap(4 * 1024 * 1024))
  if ('deleted' in value) throw new Error('a tombstone')
  return value
}

/** A tool of our own. */
export function ownTool(operation: string, members: object = {}): OwnTool {
  const name = `manage__${operation}`
  return { operation, definition: { name, inputSchema: { type: 'object' }, ...members } }
}

/** A member of the organization that sees nothing of its own. */
export function principalOf(members: Partial<Principal> = {}): Principal {
  return {
    id: 'mem_1',
    organization: ORGANIZATION,
    kind: 'member',
    status: 'active',
    role: 'member',
    permissions: [],
    settings: {},
    accounts: [],
    version: 1,
    ...members,
  }
}
