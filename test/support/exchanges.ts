/** Hand-made exchanges: what a method is given without HTTP, and its result as a client reads it. */
import { ANONYMOUS, type Caller } from '../../src/callers/caller.ts'
import type { Catalog } from '../../src/catalog/catalog.ts'
import type { Exchange, Result } from '../../src/methods/exchange.ts'
import type { ResolvedRemote } from '../../src/handlers/remote.ts'
import type { World } from '../../src/upstream/world.ts'
import { MODERN_REVISION, NEWEST_LEGACY } from '../../src/protocol/revisions.ts'

const nobody = () => Promise.reject(new Error('nobody is reached'))

/** A world that nobody is reached in. */
export const WORLD: World = {
  outbound: nobody,
  open: async () => new Map(),
  seal: async (_place, text) => text,
  unseal: async (_place, sealed) => sealed,
  upstreams: {
    connect: nobody,
    replace: nobody,
    relist: nobody,
    watch: nobody,
    refreshSoon: nobody,
  },
}

/** An exchange of the session era over one catalog. */
export function exchangeOf(catalog: Catalog, members: Partial<Exchange> = {}): Exchange {
  return {
    revision: NEWEST_LEGACY,
    caller: ANONYMOUS,
    catalog,
    params: {},
    headers: new Headers(),
    cursorKeys: ['test'],
    clientCapabilities: undefined,
    world: WORLD,
    note: () => {},
    waitUntil: () => {},
    sealed: async () => ({}),
    resolve: async () => {
      const { remote } = catalog.settings
      return remote && { remote: remote as ResolvedRemote, sealed: {} }
    },
    hops: 0,
    takeCall: async () => undefined,
    verified: async () => catalog,
    catalogAt: async (revision) => (revision === catalog.revision ? catalog : undefined),
    ...members,
  }
}

/** An exchange of the stateless era. */
export function modernExchangeOf(catalog: Catalog, members: Partial<Exchange> = {}): Exchange {
  return exchangeOf(catalog, { revision: MODERN_REVISION, clientCapabilities: {}, ...members })
}

/** A caller whose key is for these tools. */
export function callerFor(...names: string[]): Caller {
  const tools = { names: new Set(names), key: names.toSorted().join(',') }
  return { id: 'key', tools, expiresAtMs: Infinity }
}

/** A result as the JSON a client is sent, parsed. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test looks at whatever came
export function asSent(result: Result): any {
  if (!(result['open'] instanceof Uint8Array)) return JSON.parse(JSON.stringify(result))
  const members = JSON.stringify(result['members'])
  const open = new TextDecoder().decode(result['open'])
  return JSON.parse(members === '{}' ? `${open}}` : `${open},${members.slice(1)}`)
}
