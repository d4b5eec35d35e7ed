/**
 * Connections to remote servers as whoever relays a request has them: those of the Upstream objects,
 * remembered for a while, so that a call of a server that is known is one request and no more.
 */
import { BoundedMap } from '../memory/bounded-map.ts'
import type { Connection } from '../upstream/mcp/connection.ts'
import type { Target } from '../upstream/relay/target.ts'
import type { Upstreams, Want } from '../upstream/relay/upstreams.ts'
import { configOf } from './upstream/connections.ts'
import { requireMet } from './upstream/met.ts'
import { upstreamOf, type UpstreamBinding } from './resident.ts'

const REMEMBERED_BYTES = 2 * 1024 * 1024
const REMEMBERED_MS = 5 * 60 * 1000

type Remembered = { connection: Connection; until: number }

/** The connections of one isolate. */
export function createUpstreams(env: UpstreamBinding): Upstreams {
  const memory = new BoundedMap<Remembered>(REMEMBERED_BYTES)
  const stubOf = ({ server }: Target) => upstreamOf(env, server)
  const remember = (key: string, connection: Connection): Connection => {
    const bytes = 2 * (key.length + JSON.stringify(connection).length)
    memory.set(key, { connection, until: Date.now() + REMEMBERED_MS }, bytes)
    return connection
  }
  return {
    async connect(target, want) {
      const key = keyOf(target, want)
      const known = memory.get(key)
      if (known !== undefined && known.until > Date.now()) return known.connection
      return remember(key, requireMet(await stubOf(target).meet(target, want)))
    },
    async replace(target, want, failed, how) {
      const key = keyOf(target, want)
      memory.delete(key)
      return remember(key, requireMet(await stubOf(target).replace(target, want, failed, how)))
    },
    relist: (target, tool) => stubOf(target).relist(ownerOf(target), tool),
    watch: (target, wanted, leaseMs) => stubOf(target).watch(ownerOf(target), wanted, leaseMs),
    refreshSoon: (target) => stubOf(target).refreshSoon(ownerOf(target)),
  }
}

function ownerOf({ organization, server }: Target) {
  return { organization, server }
}

function keyOf(target: Target, { session = '' }: Want): string {
  return [target.organization, target.server, configOf(target), session].join(' ')
}
