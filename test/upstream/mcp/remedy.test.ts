import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isStale, type Connection } from '../../../src/upstream/mcp/connection.ts'
import { UpstreamFault, type FaultKind } from '../../../src/upstream/mcp/fault.ts'
import { remedyFor, type Remedy } from '../../../src/upstream/mcp/remedy.ts'
import { legacyConnection, modernConnection } from '../../support/remote-mcp.ts'

const session = legacyConnection({ sessionId: 'abc' })
const modern = modernConnection()

describe('remedyFor', () => {
  const rows: [string, Connection, [FaultKind, number?, number?], Remedy | undefined][] = [
    ['67: a lost session', session, ['session_lost', 404], 'reopen'],
    ['a 400 in a session', session, ['rpc', 400, -32000], 'reopen'],
    ['a 400 without JSON-RPC in a session', session, ['status', 400], 'reopen'],
    ['bad params in a session', session, ['rpc', 400, -32602], undefined],
    ['a legacy server that became modern', session, ['rpc', 400, -32022], 'probe'],
    ['an error in-band', session, ['rpc', 200, -32602], undefined],
    ['a 404 without a session', legacyConnection(), ['status', 404], undefined],
    ['an outage', session, ['status', 503], undefined],
    ['71: a header mismatch', modern, ['rpc', 400, -32020], 'relist'],
    ['a modern server of another revision', modern, ['rpc', 400, -32022], 'probe'],
    ['a modern server that wants a session now', modern, ['rpc', 400, -32000], 'probe'],
    ['a modern server that is none of MCP now', modern, ['status', 405], 'probe'],
    ['a method a modern server lacks', modern, ['rpc', 404, -32601], undefined],
    ['bad params of a modern request', modern, ['rpc', 400, -32602], undefined],
    ['a capability we lack', modern, ['rpc', 400, -32021], undefined],
    ['an outage of a modern server', modern, ['unreachable'], undefined],
    ['a time-out', modern, ['timeout'], undefined],
  ]
  for (const [what, connection, [kind, status, code], remedy] of rows) {
    it(`is ${remedy ?? 'none'} for ${what}`, () => {
      const fault = new UpstreamFault(kind, 'no', { status, code })
      assert.equal(remedyFor(fault, connection), remedy)
    })
  }
})

describe('isStale', () => {
  it('75: lets no verdict of either era stand for longer than a day', () => {
    const day = 24 * 3_600_000
    for (const connection of [session, modern]) {
      assert.equal(isStale({ ...connection, checkedAt: 1000 }, 1000 + day - 1), false)
      assert.equal(isStale({ ...connection, checkedAt: 1000 }, 1000 + day), true)
    }
  })
})
