import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerMessage } from '../../src/methods/answer-message.ts'
import { catalogOf } from '../support/catalogs.ts'
import { asSent, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { serverFile, tool } from '../support/servers.ts'

const catalog = catalogOf(serverFile('One', [tool('a')]))
const legacy = async (method: string, params = {}) =>
  answerMessage('legacy', method, exchangeOf(catalog, { params }))
const modern = async (method: string, params = {}) =>
  answerMessage('modern', method, modernExchangeOf(catalog, { params }))

const NOWHERE = [
  'made/up',
  '',
  'constructor',
  '__proto__',
  'Tools/List',
  'tools/list ',
  'prompts/list',
  'resources/read',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]

describe('answerMessage, legacy', () => {
  it('§9.2 #27: answers ping with an empty object', async () => {
    assert.deepEqual(await legacy('ping'), {})
  })

  it('answers initialize, tools/list and tools/call', async () => {
    assert.ok('protocolVersion' in (await legacy('initialize', { protocolVersion: 'x' })))
    assert.equal(asSent(await legacy('tools/list')).tools.length, 1)
    assert.ok('content' in (await legacy('tools/call', { name: 'a' })))
  })

  for (const method of [...NOWHERE, 'server/discover', 'subscriptions/listen']) {
    it(`§9.2 #18: answers '${method}' with -32601 on 200, never 404`, async () => {
      await assert.rejects(legacy(method), { code: -32601, status: 200 })
    })
  }
})

describe('answerMessage, modern', () => {
  it('answers server/discover, tools/list and tools/call', async () => {
    assert.ok('supportedVersions' in (await modern('server/discover')))
    assert.equal(asSent(await modern('tools/list')).tools.length, 1)
    assert.ok('content' in (await modern('tools/call', { name: 'a' })))
  })

  for (const method of [...NOWHERE, 'initialize', 'ping', 'tasks/get']) {
    it(`§9.2 #6: answers '${method}' with -32601 on 404`, async () => {
      await assert.rejects(modern(method), { code: -32601, status: 404 })
    })
  }
})
