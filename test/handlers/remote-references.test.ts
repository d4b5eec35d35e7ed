import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { referencesOf } from '../../src/handlers/remote-references.ts'
import { secretsOf } from '../../src/handlers/secret.ts'

const CONNECTION = 'ac_0123456789abcdef0123'

describe('referencesOf', () => {
  it('finds secrets, variables and the connection wherever they may stand', () => {
    const found = referencesOf({
      url: 'https://{{system__env_host}}.example.com/{{ system__env_path }}',
      headers: { 'X-A': { secret: 'a' }, 'X-B': { variable: 'b' }, 'X-C': 'open' },
      meta: { one: { secret: 'c' }, two: { variable: 'd' }, three: 3 },
      auth: { type: 'connection', connection: CONNECTION },
    })
    assert.deepEqual(found, {
      secrets: ['a', 'c'],
      variables: ['host', 'path', 'b', 'd'],
      connections: [CONNECTION],
    })
  })

  it('finds a connection that a variable stands for, and a URL that is a secret', () => {
    const found = referencesOf({
      url: { secret: 'url' },
      auth: { type: 'connection', connection: { variable: 'auth' } },
    })
    assert.deepEqual(found, { secrets: ['url'], variables: ['auth'], connections: [] })
  })

  it('finds nothing where nothing is referred to', () => {
    const found = referencesOf({ url: 'https://example.com/mcp' })
    assert.deepEqual(found, { secrets: [], variables: [], connections: [] })
  })
})

describe('secretsOf', () => {
  it('takes no parameter, claim or header that is called secret for a reference', () => {
    const auth = {
      type: 'oauth2',
      clientSecret: { secret: 'real' },
      params: { secret: 'a' },
      claims: { secret: 'b' },
      headers: { secret: 'c' },
    }
    assert.deepEqual(secretsOf({ auth }), ['real'])
  })
})
