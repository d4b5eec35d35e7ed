import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRouter, type Route } from '../../../src/surfaces/convai/route.ts'

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  act: 'servers.read',
  handler: async () => new Response(),
})
const TABLE = [
  route('GET', '/v1/things'),
  route('POST', '/v1/things'),
  route('GET', '/v1/things/:id'),
  route('DELETE', '/v1/things/:id/parts/:name'),
]
const find = createRouter(TABLE)

describe('createRouter', () => {
  it('finds a route by method and path', () => {
    assert.equal(find('POST', '/v1/things').route, TABLE[1])
    assert.equal(find('GET', '/v1/things').route, TABLE[0])
  })

  it('decodes the segments of a path after splitting it', () => {
    assert.deepEqual(find('DELETE', '/v1/things/a%2Fb%20c/parts/a%3Ab').params, {
      id: 'a/b c',
      name: 'a:b',
    })
  })

  const nothing = [
    '/v1',
    '/v1/things/',
    '/v1/things/a/parts',
    '/v1/things//parts/a',
    '/v1/things/%ff',
  ]
  for (const path of nothing) {
    it(`knows nothing at ${path}`, () => {
      assert.throws(() => find('GET', path), { status: 404, code: 'endpoint_not_found' })
    })
  }

  it('takes no parameter that a client folds away for the thing above it', () => {
    const { pathname } = new URL('/v1/things/a/parts/..', 'https://example.com')
    assert.throws(() => find('GET', pathname), { status: 404 })
  })

  it('names the methods of a path that is asked for by another', () => {
    const error = { status: 405, headers: { Allow: 'GET, POST' } }
    assert.throws(() => find('PATCH', '/v1/things'), error)
    assert.throws(() => find('HEAD', '/v1/things'), error)
  })
})
