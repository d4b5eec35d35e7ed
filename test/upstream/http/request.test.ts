import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { HttpHandlerInput } from '../../../src/handlers/http.ts'
import { OpenedSecrets } from '../../../src/upstream/opened-secrets.ts'
import { buildRequest } from '../../../src/upstream/http/request.ts'

const ARGS = { city: 'Bonn' }
const secrets = new OpenedSecrets(new Map([['token', 'of-the-api']]))
const isPublic = (rest: Partial<HttpHandlerInput>) => {
  const handler: HttpHandlerInput = { kind: 'http', url: 'https://example.com/weather', ...rest }
  return buildRequest(handler, ARGS, secrets).isPublic
}

describe('The request of an HTTP tool', () => {
  it('may be answered from a cache where it is told by its URL alone', () => {
    assert.equal(isPublic({}), true)
    assert.equal(isPublic({ query: { format: 'json' } }), true)
  })

  const told: [string, Partial<HttpHandlerInput>][] = [
    ['a constant header', { headers: { 'accept-language': 'de' } }],
    ['an argument in a header', { arguments: { city: { in: 'header' } } }],
    ['a bearer token', { auth: { type: 'bearer', token: { secret: 'token' } } }],
    ['a header of its own', { auth: { type: 'header', name: 'x', value: { secret: 'token' } } }],
    [
      'a token that is still to be had',
      {
        auth: {
          type: 'oauth2',
          tokenUrl: 'https://example.com/token',
          clientId: 'rollcall',
          clientSecret: { secret: 'token' },
        },
      },
    ],
    ['a body', { method: 'POST' }],
  ]
  for (const [what, rest] of told) {
    it(`may not where ${what} tells it too`, () => assert.equal(isPublic(rest), false))
  }
})
