/** The table of `mcp-protocol.md` §8.1, row by row, and the one corrective retry. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { classifyProbe, probe, type Verdict } from '../../../src/upstream/mcp/era.ts'
import { UpstreamFault, type FaultKind } from '../../../src/upstream/mcp/fault.ts'
import { sendError, sendResult, startRemote, type Remote } from '../../support/remote-mcp.ts'

const result = (supportedVersions: unknown) => ({ result: { supportedVersions } })
const rpc = (code: number, status = 200, data?: unknown) => ({
  fault: new UpstreamFault('rpc', 'no', { code, status, data }),
})
const unsupported = (...supported: string[]) => rpc(-32022, 400, { supported })
const fault = (kind: FaultKind, status?: number, isBroken?: boolean) => ({
  fault: new UpstreamFault(kind, 'no', { status, isBroken }),
})

describe('65: classifyProbe', () => {
  const rows: [string, Parameters<typeof classifyProbe>[0], Verdict][] = [
    ['a result with our version', result(['2026-07-28']), 'modern'],
    ['a result with ours among others', result(['2027-01-01', '2026-07-28']), 'modern'],
    ['a result that names a legacy version of ours', result(['2025-06-18']), 'legacy'],
    ['a result with a legacy and an unknown one', result(['2027-01-01', '2025-11-25']), 'legacy'],
    ['a result with no version of ours', result(['2027-01-01']), 'incompatible'],
    ['a result with an empty list', result([]), 'incompatible'],
    ['a result without versions', result(undefined), 'legacy'],
    ['a result with versions of another type', result('2026-07-28'), 'legacy'],
    ['-32022 with a mutual version', unsupported('2025-11-25', '2026-07-28'), 'again'],
    ['-32022 with legacy versions only', unsupported('2025-11-25', '2024-11-05'), 'legacy'],
    ['-32022 with modern versions, none ours', unsupported('2027-01-01'), 'incompatible'],
    [
      '-32022 with legacy and modern ones, none ours',
      unsupported('2025-11-25', '2027-01-01'),
      'incompatible',
    ],
    ['-32022 with no versions', unsupported(), 'legacy'],
    ['-32022 without data', rpc(-32022, 400), 'legacy'],
    ['-32020', rpc(-32020, 400), 'again'],
    ['-32021', rpc(-32021, 400), 'incompatible'],
    ['-32601 in-band', rpc(-32601), 'legacy'],
    ['-32601 with 404', rpc(-32601, 404), 'legacy'],
    ['-32602', rpc(-32602, 400), 'legacy'],
    ['-32600', rpc(-32600, 400), 'legacy'],
    ['-32000 with 400', rpc(-32000, 400), 'legacy'],
    ['-32001 with 404', rpc(-32001, 404), 'legacy'],
    ['another code', rpc(7), 'legacy'],
    ['400 without JSON', fault('status', 400), 'legacy'],
    ['404 without JSON', fault('status', 404), 'legacy'],
    ['405 without JSON', fault('status', 405), 'legacy'],
    ['406', fault('status', 406), 'legacy'],
    ['415', fault('status', 415), 'legacy'],
    ['200 with a page', fault('malformed', 200), 'legacy'],
    ['a stream that ends without an answer', fault('stream_ended'), 'legacy'],
    ['a stream that breaks', fault('stream_ended', undefined, true), 'none'],
    ['401', fault('unauthorized', 401), 'none'],
    ['403', fault('forbidden', 403), 'none'],
    ['429', fault('rate_limited', 429), 'none'],
    ['500', fault('status', 500), 'none'],
    ['503', fault('status', 503), 'none'],
    ['302', fault('status', 302), 'none'],
    ['a time-out', fault('timeout'), 'none'],
    ['a network error', fault('unreachable'), 'none'],
    ['our own cancellation', fault('cancelled'), 'none'],
  ]
  for (const [what, outcome, verdict] of rows) {
    it(`reads ${what} as ${verdict}`, () => assert.equal(classifyProbe(outcome), verdict))
  }
})

describe('probe', () => {
  const open: Remote[] = []
  after(() => Promise.all(open.map((remote) => remote.close())))
  const remoteOf = async (...answers: ({ result: unknown } | { error: object })[]) => {
    let asked = 0
    const remote = await startRemote({
      'server/discover': (seen, response) => {
        const answer = answers[Math.min(asked++, answers.length - 1)]!
        if ('result' in answer) sendResult(seen, response, answer.result)
        else sendError(seen, response, answer.error, 400)
      },
    })
    open.push(remote)
    return remote
  }
  const modern = {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'Be kind',
    ttlMs: 5000,
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } },
  }
  const mismatch = { code: -32020, message: 'Header mismatch' }
  const version = { code: -32022, message: 'Unsupported', data: { supported: ['2026-07-28'] } }

  it('keeps what a modern server says of itself', async () => {
    const remote = await remoteOf({ result: modern })
    assert.deepEqual(await probe(remote.post, 7, {}), {
      era: 'modern',
      revision: '2026-07-28',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
      instructions: 'Be kind',
      ttlMs: 5000,
      checkedAt: 7,
    })
    const [seen] = remote.requests
    assert.equal(seen?.headers['mcp-method'], 'server/discover')
    assert.equal(seen?.headers['mcp-protocol-version'], '2026-07-28')
    assert.deepEqual(seen?.body.params._meta, {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'Rollcall', version: '0.1.0' },
    })
  })

  it('65: asks again once after -32022 with our version, and after -32020', async () => {
    for (const error of [mismatch, version]) {
      const remote = await remoteOf({ error }, { result: modern })
      assert.equal(Object(await probe(remote.post, 0, {})).era, 'modern')
      const ids = remote.messages().map(({ id }) => id)
      assert.equal(new Set(ids).size, 2)
    }
  })

  it('65: stops when the corrected request is refused the same way, and never initializes', async () => {
    for (const error of [mismatch, version]) {
      const remote = await remoteOf({ error })
      await assert.rejects(probe(remote.post, 0, {}), { kind: 'incompatible' })
      assert.equal(remote.requests.length, 2)
    }
  })

  it('65: gives -32021 and unknown modern versions up at once', async () => {
    const capability = {
      code: -32021,
      message: 'Sampling required',
      data: { requiredCapabilities: { sampling: {} } },
    }
    const newer = { code: -32022, message: 'Unsupported', data: { supported: ['2027-01-01'] } }
    for (const error of [capability, newer]) {
      const remote = await remoteOf({ error })
      await assert.rejects(probe(remote.post, 0, {}), { kind: 'incompatible', code: error.code })
      assert.equal(remote.requests.length, 1)
    }
  })
})
