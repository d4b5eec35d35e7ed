import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Exchange } from '../../src/methods/exchange.ts'
import { resourcesRead } from '../../src/methods/resources-read.ts'
import { LEGACY_REVISIONS } from '../../src/protocol/revisions.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { resource, serverFile, template, tool } from '../support/servers.ts'

const offered = {
  resources: [
    resource('file:///a', { mimeType: 'text/plain', text: 'a {b}', title: 'A', _meta: { x: 1 } }),
    resource('file:///empty', { text: '' }),
    resource('file:///blob', { text: undefined, blob: 'AAEC', mimeType: 'image/png' }),
    resource('file:///paused', { status: 'paused' }),
    resource('user:0', { text: 'the first' }),
  ],
  resourceTemplates: [
    template('user:{id}', { text: '{"id":"{id}","more":"{more}"}', mimeType: 'application/json' }),
    template('user:{other}', { text: 'never' }),
    template('pic:{id}', { text: undefined, blob: 'AAEC' }),
    template('tree:{+path}', { text: '{path}' }),
    template('paused:{id}', { status: 'paused' }),
  ],
}
const catalog = catalogOf(serverFile('One', [tool('a')], offered))

const legacy = (params: object, members: Partial<Exchange> = {}) =>
  asSent(resourcesRead(exchangeOf(catalog, { params: { ...params }, ...members })))
const modern = (params: object, members: Partial<Exchange> = {}) =>
  asSent(resourcesRead(modernExchangeOf(catalog, { params: { ...params }, ...members })))

describe('resources/read', () => {
  const contents: [string, object][] = [
    ['file:///a', { mimeType: 'text/plain', text: 'a {b}' }],
    ['file:///empty', { text: '' }],
    ['file:///blob', { mimeType: 'image/png', blob: 'AAEC' }],
    ['user:0', { text: 'the first' }],
    ['user:7', { mimeType: 'application/json', text: '{"id":"7","more":"{more}"}' }],
    [
      'user:gr%C3%B6%C3%9Fe',
      { mimeType: 'application/json', text: '{"id":"größe","more":"{more}"}' },
    ],
    ['user:{more}', { mimeType: 'application/json', text: '{"id":"{more}","more":"{more}"}' }],
    ['pic:7', { blob: 'AAEC' }],
    ['tree:a/b/../c?d#e', { text: 'a/b/../c?d#e' }],
  ]
  for (const [uri, expected] of contents) {
    it(`gives what stands at ${uri}, and nothing of the stateless era`, () => {
      assert.deepEqual(legacy({ uri }), { contents: [{ uri, ...expected }] })
      assert.deepEqual(modern({ uri }).contents, [{ uri, ...expected }])
    })
  }

  it('§9.2 #35: answers a 2026 client with resultType, cache hints and serverInfo', () => {
    const { contents: _, ...members } = modern({ uri: 'file:///a' })
    assert.deepEqual(Object.keys(members).toSorted(), [
      '_meta',
      'cacheScope',
      'resultType',
      'ttlMs',
    ])
    assert.deepEqual([members.ttlMs, members.cacheScope], [30_000, 'public'])
  })

  it('§9.2 #36: is private on a keyed server', () => {
    const keyed = catalogOf(serverFile('One', [], { ...offered, auth: 'key', ttlMs: 5 }))
    const { cacheScope, ttlMs } = modern({ uri: 'user:7' }, { catalog: keyed })
    assert.deepEqual([cacheScope, ttlMs], ['private', 5])
  })
})

describe('resources/read, a URI that is no resource', () => {
  const missing = [
    'file:///none',
    'file:///A',
    'file:///a ',
    'file:///a/',
    'file:///paused',
    'paused:1',
    'user:',
    'user:a/b',
    'user:%zz',
    'user:{id}/',
    'a',
    '',
    'constructor',
    '__proto__',
  ]
  for (const uri of missing) {
    it(`answers '${uri}' with -32002 in each revision of the session era, in-band`, () => {
      for (const revision of LEGACY_REVISIONS) {
        assert.throws(() => legacy({ uri }, { revision }), {
          code: -32002,
          status: 200,
          data: { uri },
        })
      }
    })

    it(`§9.2 #20: answers '${uri}' with -32602 and data.uri from 2026-07-28 on`, () => {
      assert.throws(() => modern({ uri }), { code: -32602, status: 200, data: { uri } })
    })
  }

  for (const params of [{}, { uri: 1 }, { uri: null }, { uri: ['file:///a'] }]) {
    it(`refuses ${JSON.stringify(params)} with -32602, in-band, in every era`, () => {
      assert.throws(() => legacy(params), { code: -32602, status: 200 })
      assert.throws(() => modern(params), { code: -32602, status: 200 })
    })
  }
})
