import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SignJWT } from 'jose'
import { mintSession, verifySession, type SessionKey } from '../../src/callers/session-jwt.ts'

const KEY: SessionKey = { secret: 'a-session-secret-of-32-characters', issuer: 'https://mcp.test' }
const WHO = { member: 'mem_1', organization: 'org_1' }
const NOW = 1_800_000_000_000
const SECONDS = NOW / 1000

/** A token like ours, but for what is said otherwise. */
function forge(claims: object = {}, header: object = {}, secret = KEY.secret): Promise<string> {
  const usual = { iss: KEY.issuer, aud: 'rollcall', sub: 'mem_1', org: 'org_1' }
  const times = { iat: SECONDS, exp: SECONDS + 300 }
  return new SignJWT({ ...usual, ...times, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'rollcall-session+jwt', ...header })
    .sign(new TextEncoder().encode(secret))
}

describe('session JWTs', () => {
  it('say whose they are until they end, 300 seconds later at the latest', async () => {
    const { token, expiresAtMs } = await mintSession(KEY, WHO, NOW, 10_000)
    assert.equal(expiresAtMs, NOW + 300_000)
    assert.deepEqual(await verifySession(KEY, token, NOW), { ...WHO, expiresAtMs })
    assert.deepEqual(await verifySession(KEY, token, NOW + 299_000), { ...WHO, expiresAtMs })
    assert.equal(await verifySession(KEY, token, NOW + 310_000), undefined)
  })

  it('say which person has signed in, where that was said', async () => {
    const { token } = await mintSession(KEY, { ...WHO, person: 'a-hash' }, NOW)
    assert.equal((await verifySession(KEY, token, NOW))?.person, 'a-hash')
    assert.equal(await verifySession(KEY, await forge({ person: 7 }), NOW), undefined)
  })

  it('are the same when another makes them to the letter', async () => {
    assert.notEqual(await verifySession(KEY, await forge(), NOW), undefined)
  })

  const bad: [what: string, token: () => Promise<string> | string][] = [
    ['another secret', () => forge({}, {}, 'another-session-secret-of-32-chars')],
    ['another issuer', () => forge({ iss: 'https://other.test' })],
    ['another audience', () => forge({ aud: 'https://mcp.test/mcp' })],
    ['another type', () => forge({}, { typ: 'JWT' })],
    ['another algorithm', () => forge({}, { alg: 'HS512' })],
    ['no end', () => forge({ exp: undefined })],
    ['no beginning', () => forge({ iat: undefined })],
    ['no member', () => forge({ sub: undefined })],
    ['no organization', () => forge({ org: undefined })],
    ['an organization that is no text', () => forge({ org: ['org_1'] })],
    ['a life that is too long', () => forge({ exp: SECONDS + 301 })],
    ['an age that is too great', () => forge({ iat: SECONDS - 400, exp: SECONDS + 10 })],
    ['a beginning that is to come', () => forge({ iat: SECONDS + 100 })],
    ['a time before which it is not good', () => forge({ nbf: SECONDS + 100 })],
    ['nothing at all', () => ''],
    ['text', () => 'not.a.token'],
  ]
  for (const [what, token] of bad) {
    it(`are not good with ${what}`, async () => {
      assert.equal(await verifySession(KEY, await token(), NOW), undefined)
    })
  }

  it('are not good when anything of them is changed, or the signature is left out', async () => {
    const token = await forge()
    const [header = '', payload = '', signature = ''] = token.split('.')
    const other = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'mem_2' }),
    ).toString('base64url')
    const none = Buffer.from('{"alg":"none","typ":"rollcall-session+jwt"}').toString('base64url')
    for (const forged of [
      `${header}.${other}.${signature}`,
      `${header}.${payload}.`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
    ]) {
      assert.equal(await verifySession(KEY, forged, NOW), undefined)
    }
  })
})
