/** A relay with remote servers in it, for the tests of a `describe`. */
import { after, before, describe } from 'node:test'
import { startRelay, type Relay } from './relay.ts'
import { serveKind, UPSTREAM_KINDS, type Upstream, type UpstreamKind } from './upstream-kinds.ts'
import { startModernMcp, type ModernMcp } from './upstreams/mcp-modern.ts'

/** A `describe` for a server of every kind, in one relay; what `at` has is there once they run. */
export function describeKinds(
  tests: (at: { relay: Relay; endpoint: string }, kind: UpstreamKind) => void,
): void {
  let relay: Relay
  before(async () => {
    relay = await startRelay()
  })
  after(() => relay.close())

  for (const [name, kind] of Object.entries(UPSTREAM_KINDS)) {
    describe(`of ${name}`, () => {
      let upstream: Upstream
      let endpoint: string
      before(async () => {
        upstream = await kind.start()
        ;({ endpoint } = await serveKind(relay, kind, upstream))
      })
      after(() => upstream.close())

      const at = {
        get relay() {
          return relay
        },
        get endpoint() {
          return endpoint
        },
      }
      tests(at, kind)
    })
  }
}

/** A modern server in a relay, there once the tests run. */
export function setUpModern() {
  let relay: Relay
  let upstream: ModernMcp
  let endpoint: string
  before(async () => {
    relay = await startRelay()
    upstream = await startModernMcp({ kind: 'modern' })
    ;({ endpoint } = await relay.serve(upstream.url))
  })
  after(async () => {
    await relay.close()
    await upstream.close()
  })
  return {
    get relay() {
      return relay
    },
    get upstream() {
      return upstream
    },
    get endpoint() {
      return endpoint
    },
  }
}
