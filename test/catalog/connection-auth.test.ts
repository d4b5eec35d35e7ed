import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConnectionAuth, isOwned, takeValues } from '../../src/catalog/connection-auth.ts'
import { Auth } from '../../src/handlers/auth.ts'
import { SecretName } from '../../src/handlers/secret.ts'

const ID = 'ac_0123456789abcdef0123'

describe('takeValues', () => {
  it('puts a name of the connection where a value stood, whatever the form', () => {
    const value = { value: 'v' }
    const signed = { issuer: 'i', audience: 'a', subject: 's', key: value }
    const tokenUrl = 'https://idp.example.com/token'
    const forms: [given: ConnectionAuth, fields: string[]][] = [
      [{ type: 'bearer', token: value }, ['token']],
      [{ type: 'header', name: 'X-A', value }, ['value']],
      [{ type: 'query', name: 'key', value }, ['value']],
      [{ type: 'basic', username: value, password: value }, ['username', 'password']],
      [
        { type: 'oauth2', tokenUrl, clientId: 'c', clientSecret: value, params: { value: 'v' } },
        ['clientSecret'],
      ],
      [{ type: 'jwt', ...signed, claims: { value: 'v' } }, ['key']],
      [{ type: 'jwt_bearer', ...signed, tokenUrl }, ['key']],
    ]
    for (const [given, fields] of forms) {
      const { auth, secrets } = takeValues(ID, given)
      assert.deepEqual(
        secrets,
        Object.fromEntries(fields.map((field) => [`${ID}.${field}`, 'v'])),
        given.type,
      )
      assert.ok(Auth.safeParse(auth).success, given.type)
    }
  })

  it('gives each header a name of its own that can be one', () => {
    const { auth, secrets } = takeValues(ID, {
      type: 'oauth2',
      tokenUrl: 'https://idp.example.com/token',
      clientId: 'c',
      clientSecret: { secret: 'KEPT' },
      headers: { 'X-!': { value: 'a' }, 'X-B': { value: 'b' }, 'X-C': 'open', value: 'x' },
    })
    assert.deepEqual(Object.values(secrets), ['a', 'b'])
    for (const name of Object.keys(secrets)) {
      assert.ok(SecretName.safeParse(name).success)
      assert.ok(isOwned(name))
    }
    assert.ok(auth.type === 'oauth2')
    assert.deepEqual(auth.clientSecret, { secret: 'KEPT' })
    assert.deepEqual(auth.headers, {
      'X-!': { secret: Object.keys(secrets)[0] },
      'X-B': { secret: Object.keys(secrets)[1] },
      'X-C': 'open',
      value: 'x',
    })
  })

  it('leaves what was named before as it is', () => {
    const given: ConnectionAuth = { type: 'bearer', token: { secret: `${ID}.token` } }
    assert.deepEqual(takeValues(ID, given), { auth: given, secrets: {} })
  })
})

describe('ConnectionAuth', () => {
  it('takes no secret of an account, none in the open, and no way that is none', () => {
    for (const given of [
      { type: 'none' },
      { type: 'bearer', token: 'open' },
      { type: 'bearer', token: { account: 'token' } },
      { type: 'bearer', token: { value: '' } },
    ]) {
      assert.ok(!ConnectionAuth.safeParse(given).success, JSON.stringify(given))
    }
  })
})
