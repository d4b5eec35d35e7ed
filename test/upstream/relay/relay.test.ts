import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { createOutbound } from '../../../src/upstream/outbound.ts'
import { relay } from '../../../src/upstream/relay/relay.ts'
import { WORLD } from '../../support/exchanges.ts'
import {
  eventOf,
  legacyConnection,
  sendEvents,
  startRemote,
  type Remote,
  type Write,
} from '../../support/remote-mcp.ts'

const RESULT = { content: [] }
const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

/** Relays a call to a server that writes this; what of it was told to the Upstream object. */
async function relayed(write: Write) {
  const remote = await startRemote({ 'tools/call': write })
  open.push(remote)
  let refreshes = 0
  const world = {
    ...WORLD,
    outbound: createOutbound({ allowsHttp: true, allowsPrivate: true }),
    upstreams: {
      ...WORLD.upstreams,
      connect: async () => legacyConnection(),
      refreshSoon: async () => void refreshes++,
    },
  }
  const call = {
    target: { organization: 'o', server: 's', remote: { url: remote.url }, sealed: {}, hops: 0 },
    method: 'tools/call' as const,
    params: { name: 'a', arguments: {} },
    paramHeaders: {},
    place: [],
  }
  const result = await relay(call, world, {
    seen: { bytes: 0 },
    progressToken: undefined,
    logLevel: undefined,
    signal: new AbortController().signal,
    notify: () => undefined,
    declared: {},
    waitUntil: () => undefined,
  })
  return { result, refreshes }
}

describe('relay', () => {
  // Each was a request to the Upstream object, and a call may make only so many of those.
  it('has the lists read again once, however often they are said to have changed', async () => {
    const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
    const { result, refreshes } = await relayed(({ body }, response) => {
      const answer = eventOf({ jsonrpc: '2.0', id: body.id, result: RESULT })
      sendEvents(response, eventOf(changed).repeat(1000), answer)
    })
    assert.deepEqual(result, RESULT)
    assert.equal(refreshes, 1)
  })
})
