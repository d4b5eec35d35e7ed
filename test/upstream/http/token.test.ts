import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { decodeProtectedHeader, jwtVerify } from 'jose'
import { after, before, describe, it } from 'node:test'
import { NoToken } from '../../../src/upstream/http/call.ts'
import { tokenFor, type TokenAuth } from '../../../src/upstream/http/token.ts'
import { OpenedSecrets } from '../../../src/upstream/opened-secrets.ts'
import { createOutbound } from '../../../src/upstream/outbound.ts'
import { startJwtEndpoint, type JwtEndpoint } from '../../support/upstreams/jwt-endpoint.ts'
import { sendJson, startRecording, type Recording } from '../../support/upstreams/recording.ts'

const outbound = createOutbound({ allowsHttp: true, allowsPrivate: true })
const SHARED_KEY = 'a-shared-secret-of-thirty-two-bytes'
const CLAIMS = { issuer: 'me', audience: 'them', subject: 'mine', key: { secret: 'key' } }

let made = 0

/** Asks for a token in an organization that has none remembered; `again` asks there once more. */
function asking(auth: TokenAuth, key: string) {
  const organization = `org-${made++}`
  const secrets = new OpenedSecrets(new Map([['key', key]]))
  const signal = new AbortController().signal
  const ask = (now?: number, refused?: string) =>
    tokenFor({ organization, auth, secrets, outbound, signal, hops: 0, refused }, now)
  return { ask, secrets }
}

const refusal = async (auth: TokenAuth, key: string) => {
  const error: unknown = await asking(auth, key)
    .ask()
    .catch((thrown: unknown) => thrown)
  assert.ok(error instanceof NoToken, String(error))
  return error.message
}

describe('A JWT that is signed here', () => {
  it('is made of the claims, anew before it ends or when it was refused', async () => {
    const claims = { team: 'blue', iss: 'somebody else' }
    const auth = {
      type: 'jwt',
      ...CLAIMS,
      algorithm: 'HS256',
      keyId: 'k1',
      claims,
      expiresInSeconds: 600,
    } as const
    const { ask, secrets } = asking(auth, SHARED_KEY)
    const now = Date.now()
    const token = await ask(now)
    const { payload } = await jwtVerify(token, Buffer.from(SHARED_KEY), { algorithms: ['HS256'] })
    const { iss, aud, sub, team, exp = 0, iat = 0 } = payload
    assert.deepEqual([iss, aud, sub, team, exp - iat], ['me', 'them', 'mine', 'blue', 600])
    assert.deepEqual(decodeProtectedHeader(token), { alg: 'HS256', typ: 'JWT', kid: 'k1' })
    assert.equal(await ask(now + 500_000), token)
    assert.notEqual(await ask(now + 580_000), token)
    assert.notEqual(await ask(now, await ask(now)), token)
    assert.equal(secrets.redactError(`you sent ${token}`), 'you sent [REDACTED]')
  })

  it('is signed with RSA by each of the algorithms', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    for (const algorithm of ['RS256', 'RS384', 'RS512'] as const) {
      const token = await asking({ type: 'jwt', ...CLAIMS, algorithm }, pem).ask()
      await jwtVerify(token, publicKey, { algorithms: [algorithm], audience: 'them' })
    }
  })

  it('says of a key that is none what is expected, and nothing of the key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const older = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
    const broken = `-----BEGIN PRIVATE KEY-----\n${older.slice(40, 400)}\n-----END PRIVATE KEY-----`
    for (const key of [older, broken, 'text', '']) {
      const message = await refusal({ type: 'jwt', ...CLAIMS }, key)
      assert.match(message, /^The secret "key" of this organization cannot sign a JWT by RS256/)
      assert.match(message, /PKCS #8/)
      assert.ok(!message.includes(older.slice(40, 60)))
    }
    assert.match(await refusal({ type: 'jwt', ...CLAIMS, algorithm: 'HS512' }, ''), /not be empty/)
  })
})

describe('A JWT that is exchanged for a token', () => {
  let endpoint: JwtEndpoint
  before(async () => {
    endpoint = await startJwtEndpoint()
  })
  after(() => endpoint.close())

  const authOf = ({ url }: Recording) =>
    ({ type: 'jwt_bearer', ...CLAIMS, audience: url, tokenUrl: url, scope: 'read' }) as const

  it('gives a token that is kept, and another where it was refused', async () => {
    const { ask } = asking(authOf(endpoint), endpoint.key)
    const token = await ask()
    assert.equal(token, endpoint.given.at(-1))
    assert.equal(await ask(), token)
    assert.equal(new URLSearchParams(endpoint.requests.at(-1)?.text).get('scope'), 'read')
    assert.notEqual(await ask(undefined, token), token)
    const assertions = endpoint.requests.map(({ text }) =>
      new URLSearchParams(text).get('assertion'),
    )
    assert.equal(new Set(assertions).size, 2)
  })

  it('takes the id_token where that is asked for', async () => {
    const other = await startJwtEndpoint('id_token')
    try {
      const token = await asking({ ...authOf(other), tokenField: 'id_token' }, other.key).ask()
      assert.equal(token, other.given[0])
      assert.match(await refusal(authOf(other), other.key), /gave no access_token$/)
    } finally {
      await other.close()
    }
  })

  it('says so where the endpoint takes another key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const { host } = new URL(endpoint.url)
    const expected = `The token endpoint at ${host} answered 400 (invalid_grant)`
    assert.equal(await refusal(authOf(endpoint), pem), expected)
  })
})

describe('A request for a token by client credentials', () => {
  it('has the further params and headers of the operator, but not in the protocol’s place', async () => {
    const recording = await startRecording((_, response) =>
      sendJson(response, { access_token: 'x', token_type: 'Bearer' }),
    )
    try {
      const auth = {
        type: 'oauth2',
        tokenUrl: recording.url,
        clientId: 'client',
        clientSecret: { secret: 'key' },
        params: { tenant: 'blue', grant_type: 'password' },
        headers: { 'x-tenant': { secret: 'key' }, 'content-type': 'text/plain' },
      } as const
      const { ask } = asking(auth, SHARED_KEY)
      assert.equal(await ask(), 'x')
      const [seen] = recording.requests
      const { tenant, grant_type } = Object.fromEntries(new URLSearchParams(seen?.text))
      assert.deepEqual([tenant, grant_type], ['blue', 'client_credentials'])
      assert.equal(seen?.headers['x-tenant'], SHARED_KEY)
      assert.equal(seen?.headers['content-type'], 'application/x-www-form-urlencoded')
    } finally {
      await recording.close()
    }
  })
})
