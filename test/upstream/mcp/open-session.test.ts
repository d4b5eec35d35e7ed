import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { endSession } from '../../../src/upstream/mcp/end-session.ts'
import { openSession } from '../../../src/upstream/mcp/open-session.ts'
import {
  legacyConnection,
  modernConnection,
  sendResult,
  startRemote,
  type Answers,
  type Remote,
} from '../../support/remote-mcp.ts'

const open: Remote[] = []
after(() => Promise.all(open.map((remote) => remote.close())))

const start = async (answers: Answers) => {
  const remote = await startRemote(answers)
  open.push(remote)
  return remote
}
const settling = (protocolVersion: unknown, sessionId?: string): Answers => ({
  initialize: (seen, response) =>
    sendResult(
      seen,
      response,
      { protocolVersion, capabilities: { tools: {} } },
      sessionId === undefined ? {} : { 'mcp-session-id': sessionId },
    ),
})

describe('openSession', () => {
  it('asks for the newest legacy revision, with what we can answer for', async () => {
    const remote = await start(settling('2025-06-18', 'abc'))
    const connection = await openSession(remote.post, 7, { sampling: {} }, {})
    assert.deepEqual(connection, {
      era: 'legacy',
      revision: '2025-06-18',
      sessionId: 'abc',
      capabilities: { tools: {} },
      checkedAt: 7,
    })
    const [opening, initialized] = remote.requests
    assert.deepEqual(opening?.body.params, {
      protocolVersion: '2025-11-25',
      capabilities: { sampling: {} },
      clientInfo: { name: 'Rollcall', version: '0.1.0' },
    })
    assert.equal(opening?.headers['mcp-protocol-version'], undefined)
    assert.deepEqual(initialized?.body, { jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.equal(initialized?.headers['mcp-session-id'], 'abc')
    assert.equal(initialized?.headers['mcp-protocol-version'], '2025-06-18')
  })

  for (const revision of ['2024-11-05', '2025-03-26', '2025-11-25']) {
    it(`accepts ${revision}, without a session id`, async () => {
      const remote = await start(settling(revision))
      const connection = await openSession(remote.post, 0, {}, {})
      assert.equal(connection.revision, revision)
      assert.ok(!('sessionId' in connection))
    })
  }

  for (const revision of ['2026-07-28', '2023-01-01', 7, undefined]) {
    it(`is incompatible with an answer of ${revision}`, async () => {
      const remote = await start(settling(revision))
      await assert.rejects(openSession(remote.post, 0, {}, {}), { kind: 'incompatible' })
      assert.equal(remote.requests.length, 1)
    })
  }

  it('refuses a session id with a character that cannot be one, and does not quote it', async () => {
    const remote = await start(settling('2025-11-25', 'a secret'))
    await assert.rejects(openSession(remote.post, 0, {}, {}), (fault: Error) => {
      assert.match(fault.message, /a session id that cannot be sent/)
      return true
    })
  })

  it('keeps no more than 512 KiB of what a server says of itself', async () => {
    const result = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      instructions: 'x'.repeat(512 * 1024),
    }
    const remote = await start({ initialize: result })
    await assert.rejects(openSession(remote.post, 0, {}, {}), { kind: 'too_large' })
  })

  it('cancels no initialize that takes too long', async () => {
    const remote = await start({ initialize: () => undefined })
    await assert.rejects(openSession(remote.post, 0, {}, { timeoutMs: 50 }), { kind: 'timeout' })
    assert.equal(remote.requests.length, 1)
  })

  it('fails where the end of the handshake does', async () => {
    const remote = await start({
      ...settling('2025-11-25'),
      'notifications/initialized': (_seen, response) => void response.writeHead(503).end(),
    })
    await assert.rejects(openSession(remote.post, 0, {}, {}), { kind: 'status', status: 503 })
  })
})

describe('endSession', () => {
  it('DELETEs a session, whatever comes of it, and nothing else', async () => {
    for (const status of [200, 405, 500]) {
      const remote = await start({
        DELETE: (_seen, response) => void response.writeHead(status).end(),
      })
      await endSession(remote.post, legacyConnection())
      await endSession(remote.post, modernConnection())
      assert.equal(remote.requests.length, 0)
      await endSession(remote.post, legacyConnection({ sessionId: 'abc' }))
      assert.equal(remote.requests[0]?.headers['mcp-session-id'], 'abc')
    }
    await endSession(() => Promise.reject(new Error('gone')), legacyConnection({ sessionId: 'a' }))
  })
})
