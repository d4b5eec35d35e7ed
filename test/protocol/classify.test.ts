import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { classify, legacyRevision } from '../../src/protocol/classify.ts'
import { CLAIM } from '../../src/protocol/envelope.ts'
import { parseMessage } from '../../src/protocol/json-rpc.ts'
import { LEGACY_REVISIONS, MODERN_REVISION } from '../../src/protocol/revisions.ts'
import { legacy, modern, modernHeaders } from '../support/messages.ts'

const sort = (message: object, headers: Record<string, string> = {}) =>
  classify(parseMessage(message), new Headers(headers))
const version = (revision: string) => ({ 'mcp-protocol-version': revision })
const list = modern('tools/list')
const claiming = (claim: unknown, method = 'tools/list') => modern(method, {}, { [CLAIM]: claim })
const notice = (params?: object) => ({ jsonrpc: '2.0', method: 'notifications/x', params })
const noticeClaiming = (claim: unknown) => notice({ _meta: { [CLAIM]: claim } })
const response = { jsonrpc: '2.0', id: 1, result: {} }

describe('classify, the rows of the disagreement table', () => {
  it('serves a claim that its header confirms as modern', () => {
    const classified = sort(list, modernHeaders('tools/list'))
    assert.equal(classified.era, 'modern')
    assert.ok('envelope' in classified)
    assert.deepEqual(classified.envelope.clientCapabilities, {})
  })

  it('§9.2 #9: serves it as modern with a session id beside it', () => {
    const headers = { ...modernHeaders('tools/list'), 'mcp-session-id': '0'.repeat(64) }
    assert.equal(sort(list, headers).era, 'modern')
  })

  const full = modernHeaders('tools/list')
  const opening = legacy('initialize', { protocolVersion: MODERN_REVISION })
  const refused: [string, object, Record<string, string>, number][] = [
    ['§9.2 #2: a claim without the header', list, {}, -32020],
    [
      '§9.2 #3: a claim with an earlier header',
      list,
      { ...full, ...version('2025-11-25') },
      -32020,
    ],
    ['§9.2 #3: a claim with a later header', list, { ...full, ...version('2027-01-01') }, -32020],
    ['a later claim with our header', claiming('2027-01-01'), full, -32020],
    ['§9.2 #4: an unknown claim', claiming('X'), { ...full, ...version('X') }, -32022],
    ['§9.2 #10: an enveloped 2025-11-25', claiming('2025-11-25'), version('2025-11-25'), -32022],
    ['§9.2 #5: a modern header with no _meta', legacy('tools/list'), full, -32602],
    ['§9.2 #5: a modern header with an empty _meta', legacy('x', { _meta: {} }), full, -32602],
    ['a modern header with a _meta of text', legacy('x', { _meta: 'x' }), full, -32602],
    ['a later header with no claim', legacy('tools/list'), version('2027-01-01'), -32602],
    ['initialize with a modern header', opening, version(MODERN_REVISION), -32020],
    ['§9.2 #25: an unknown earlier header', legacy('tools/list'), version('1999-01-01'), -32600],
    ['an empty header', legacy('tools/list'), version(''), -32600],
  ]
  for (const [what, message, headers, code] of refused) {
    it(`refuses ${what} with 400 ${code}, the id echoed`, () => {
      assert.throws(() => sort(message, headers), { code, status: 400, id: 1 })
    })
  }

  it('§9.2 #7: serves initialize for 2026-07-28 as legacy without or with an earlier header', () => {
    for (const headers of [{}, version('2025-11-25'), version('1999-01-01'), version('')]) {
      assert.equal(sort(opening, headers).era, 'legacy')
    }
  })

  it('§9.2 #6: takes initialize with a full envelope for a modern method', () => {
    const headers = modernHeaders('initialize')
    assert.equal(sort(modern('initialize'), headers).era, 'modern')
  })

  // §1.1, §1.2 7a: only a *valid modern* claim takes initialize out of the session era.
  for (const claim of ['2025-11-25', 42, null]) {
    it(`serves initialize whose claim is ${JSON.stringify(claim)} as the legacy handshake`, () => {
      assert.equal(sort(claiming(claim, 'initialize')).era, 'legacy')
    })
  }

  it('assumes 2025-03-26 where a request names no revision', () => {
    const message = parseMessage(legacy('tools/list'))
    assert.deepEqual(sort(legacy('tools/list')), { era: 'legacy', message, revision: '2025-03-26' })
  })

  for (const revision of LEGACY_REVISIONS) {
    it(`serves a request whose header says ${revision} at it`, () => {
      const classified = sort(legacy('tools/list'), version(` ${revision}\t`))
      assert.equal('revision' in classified && classified.revision, revision)
    })
  }

  it('§9.2 #11: enforces no modern header on a request without a claim', () => {
    const headers = { 'mcp-method': 'tools/call', 'mcp-name': 'other', ...version('2025-06-18') }
    assert.equal(sort(legacy('tools/list'), headers).era, 'legacy')
  })

  it('takes no other reserved key for a claim', () => {
    const _meta = {
      progressToken: 1,
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    assert.equal(sort(legacy('tools/list', { _meta })).era, 'legacy')
  })
})

describe('classify, messages that want no answer', () => {
  const accepted: [string, object, Record<string, string>, string][] = [
    ['a notification', notice(), {}, 'legacy'],
    ['a notification at 2025-06-18', notice({}), version('2025-06-18'), 'legacy'],
    ['a notification with a modern header', notice(), version(MODERN_REVISION), 'modern'],
    [
      'a notification with a claim its header confirms',
      noticeClaiming(MODERN_REVISION),
      version(MODERN_REVISION),
      'modern',
    ],
    [
      'a notification whose Mcp-Method agrees',
      notice(),
      { ...version(MODERN_REVISION), 'mcp-method': 'notifications/x' },
      'modern',
    ],
    [
      'a legacy notification with a foreign Mcp-Method',
      notice(),
      { 'mcp-method': 'other' },
      'legacy',
    ],
    ['§9.2 #19: a posted response', response, {}, 'legacy'],
    ['a posted response at 2025-06-18', response, version('2025-06-18'), 'legacy'],
  ]
  for (const [what, message, headers, era] of accepted) {
    it(`sorts ${what} into the ${era} era`, () => {
      assert.equal(sort(message, headers).era, era)
    })
  }

  const modernVersion = version(MODERN_REVISION)
  const refused: [string, object, Record<string, string>, number][] = [
    ['a notification whose claim is a number', noticeClaiming(1), modernVersion, -32602],
    ['a notification whose claim is null', noticeClaiming(null), modernVersion, -32602],
    ['a notification with a claim and no header', noticeClaiming(MODERN_REVISION), {}, -32020],
    [
      'a notification with a claim and another header',
      noticeClaiming(MODERN_REVISION),
      version('2025-11-25'),
      -32020,
    ],
    [
      'a notification whose Mcp-Method says otherwise',
      notice(),
      { ...modernVersion, 'mcp-method': 'notifications/y' },
      -32020,
    ],
    ['a notification with an unknown header', notice(), version('1999-01-01'), -32600],
    ['§9.2 #19: a posted response with a modern header', response, modernVersion, -32600],
    ['a posted response with an unknown header', response, version('1999-01-01'), -32600],
  ]
  for (const [what, message, headers, code] of refused) {
    it(`refuses ${what} with 400 ${code} and no id`, () => {
      assert.throws(() => sort(message, headers), { code, status: 400, id: undefined })
    })
  }
})

describe('legacyRevision', () => {
  it('names the revisions it knows, and no more than the start of a long header', () => {
    assert.throws(
      () => legacyRevision('x'.repeat(5000)),
      (error: Error) => {
        assert.match(error.message, /2025-11-25/)
        return error.message.length < 200
      },
    )
  })
})
