import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { IssuerKeys, KeysUnavailable } from '../../src/callers/issuer-keys.ts'
import { OAuthIssuers, type OAuthIssuer } from '../../src/callers/oauth-issuer.ts'
import { claimedIssuer, isJwt } from '../../src/callers/jwt.ts'
import { verifyAccessToken } from '../../src/callers/oauth.ts'
import { startIssuer, type Issuer } from '../support/issuer.ts'

const RESOURCE = 'https://mcp.test/mcp/one/0123456789abcdef'

async function fetchJson(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response.json()
}

/** Checks tokens against one issuer, with a memory and a clock of its own. */
function createCheck({ url }: Issuer, members: Partial<OAuthIssuer> = {}) {
  const clock = { now: Date.now() }
  const keys = new IssuerKeys(fetchJson, () => clock.now)
  const check = (token: string, resource = RESOURCE) =>
    verifyAccessToken(token, {
      issuers: [{ issuer: url, ...members }],
      keys,
      resource,
      now: clock.now,
      waitUntil: () => {},
    })
  return { check, clock }
}

const critical = ({ url }: Issuer) =>
  `${encode({ alg: 'ES256', crit: ['exp'] })}.${encode({ iss: url, aud: RESOURCE })}.AA`
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const now = () => Math.floor(Date.now() / 1000)

describe('OAuth access tokens', () => {
  let issuer: Issuer
  let other: Issuer
  before(async () => {
    issuer = await startIssuer()
    other = await startIssuer('/other')
  })
  after(() => Promise.all([issuer.close(), other.close()]))

  it('say who they are of, for what, and until when', async () => {
    const exp = now() + 100
    const claims = { aud: RESOURCE, exp, org: 'org_1', scope: 'read write', scp: ['admin'] }
    assert.deepEqual(await createCheck(issuer).check(await issuer.token(claims)), {
      issuer: issuer.url,
      subject: 'user-1',
      organization: 'org_1',
      scopes: new Set(['read', 'write', 'admin']),
      expiresAtMs: exp * 1000,
    })
  })

  it('may be for several resources, and are forgiven a minute of clock', async () => {
    const { check } = createCheck(issuer)
    const aud = ['https://elsewhere.test', RESOURCE]
    assert.ok(await check(await issuer.token({ aud })))
    assert.ok(await check(await issuer.token({ aud, exp: now() - 50 })))
    assert.ok(await check(await issuer.token({ aud, nbf: now() + 50 })))
  })

  for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
    it(`may be signed with ${alg}, unless the issuer is said to use another`, async () => {
      const one = await startIssuer('/algorithms', alg)
      const token = await one.token({ aud: RESOURCE })
      assert.ok(await createCheck(one).check(token))
      assert.equal(await createCheck(one, { algorithms: ['ES256'] }).check(token), undefined)
      await one.close()
    })
  }

  const bad: [what: string, token: (of: Issuer) => Promise<string> | string][] = [
    ['no signature (alg: none)', (of) => of.unsigned({ aud: RESOURCE })],
    ['the public key as a shared secret', (of) => of.confused({ aud: RESOURCE })],
    ['no audience', (of) => of.token()],
    ['another audience', (of) => of.token({ aud: `${RESOURCE}/` })],
    ['the origin as audience', (of) => of.token({ aud: 'https://mcp.test' })],
    ['another issuer', (of) => of.token({ aud: RESOURCE, iss: 'https://evil.test' })],
    ['no issuer', (of) => of.token({ aud: RESOURCE, iss: null })],
    ['a key of another issuer', (of) => other.token({ aud: RESOURCE, iss: of.url })],
    ['no end', (of) => of.token({ aud: RESOURCE, exp: null })],
    ['its end behind it', (of) => of.token({ aud: RESOURCE, exp: now() - 61 })],
    ['its beginning before it', (of) => of.token({ aud: RESOURCE, nbf: now() + 61 })],
    ['no subject', (of) => of.token({ aud: RESOURCE, sub: null })],
    ['an empty subject', (of) => of.token({ aud: RESOURCE, sub: '' })],
    ['a key id that nobody has', (of) => of.token({ aud: RESOURCE }, { kid: 'made-up' })],
    ['a key id that is a path', (of) => of.token({ aud: RESOURCE }, { kid: '../../dev/null' })],
    ['a critical header', (of) => critical(of)],
    ['a key of its own', (of) => of.token({ aud: RESOURCE }, { kid: 'x', jwk: {}, jku: of.url })],
  ]
  for (const [what, token] of bad) {
    it(`are not good with ${what}`, async () => {
      const text = await token(issuer)
      assert.equal(await createCheck(issuer).check(text), undefined)
    })
  }

  it('are looked at only where they have the form, and up to a size', async () => {
    assert.ok(isJwt(await issuer.token()))
    const huge = await issuer.token({ aud: RESOURCE, filler: 'x'.repeat(8192) })
    assert.equal(claimedIssuer(huge), undefined)
    assert.equal(await createCheck(issuer).check(huge), undefined)
    for (const text of ['', 'a.b', 'a.b.c.d', 'a b.c.d', 'sk-rc-abc']) {
      assert.equal(isJwt(text), false, text.slice(0, 20))
    }
    assert.equal(claimedIssuer('not.a.token'), undefined)
  })
})

describe('the keys of an issuer', () => {
  it('are discovered once, and read again for a key that is new, at most once a minute', async () => {
    const issuer = await startIssuer()
    const { check, clock } = createCheck(issuer)
    const good = async () => (await check(await issuer.token({ aud: RESOURCE }))) !== undefined
    const reads = () => issuer.asked.filter((path) => path === '/keys').length
    assert.ok(await good())
    assert.ok(await good())
    assert.equal(reads(), 1)
    clock.now += 61_000
    await issuer.rotate()
    assert.ok(await good())
    assert.equal(reads(), 2)
    for (let n = 0; n < 20; n++)
      await check(await issuer.token({ aud: RESOURCE }, { kid: `x${n}` }))
    assert.equal(reads(), 2)
    clock.now += 61_000
    await check(await issuer.token({ aud: RESOURCE }, { kid: 'made-up' }))
    assert.equal(reads(), 3)
    await issuer.close()
  })

  it('are read once for many first requests', async () => {
    const issuer = await startIssuer()
    const { check } = createCheck(issuer)
    const token = await issuer.token({ aud: RESOURCE })
    const found = await Promise.all(Array.from({ length: 50 }, () => check(token)))
    assert.ok(found.every((one) => one !== undefined))
    assert.equal(issuer.asked.filter((path) => path === '/keys').length, 1)
    await issuer.close()
  })

  it('serve on while the issuer is away, for a day', async () => {
    const issuer = await startIssuer()
    const { check, clock } = createCheck(issuer)
    const token = await issuer.token({ aud: RESOURCE, exp: now() + 10 * 86_400 })
    assert.ok(await check(token))
    issuer.setDown(true)
    clock.now += 23 * 3_600_000
    assert.ok(await check(token))
    clock.now += 2 * 3_600_000
    await assert.rejects(check(token), KeysUnavailable)
    const { length } = issuer.asked
    await assert.rejects(check(token), KeysUnavailable)
    assert.equal(issuer.asked.length, length)
    issuer.setDown(false)
    clock.now += 6000
    assert.ok(await check(token))
    await issuer.close()
  })

  it('are not taken from metadata that names another issuer', async () => {
    const issuer = await startIssuer()
    const { port } = new URL(issuer.url)
    const named = `http://localhost:${port}/tenant`
    const { check } = createCheck({ ...issuer, url: named })
    await assert.rejects(check(await issuer.token({ aud: RESOURCE, iss: named })), KeysUnavailable)
    await issuer.close()
  })
})

describe('OAUTH_ISSUERS', () => {
  it('is a JSON array of issuers, or nothing', () => {
    const issuers = [
      { issuer: 'https://a.test', jwksUri: 'https://a.test/k', algorithms: ['ES256'] },
    ]
    assert.deepEqual(OAuthIssuers.parse(JSON.stringify(issuers)), issuers)
    for (const nothing of [undefined, '', ' ', '[]']) {
      assert.deepEqual(OAuthIssuers.parse(nothing), [])
    }
  })

  for (const text of [
    'https://a.test',
    '{"issuer":"https://a.test"}',
    '[{"issuer":"a.test"}]',
    '[{"issuer":"https://a.test?x=1"}]',
    '[{"issuer":"https://a.test","algorithms":["HS256"]}]',
    '[{"issuer":"https://a.test","algorithms":["none"]}]',
    '[{"issuer":"https://a.test","algorithms":[]}]',
    '[{"issuer":"https://a.test","secret":"x"}]',
    '[{"issuer":"https://a.test"},{"issuer":"https://a.test"}]',
  ]) {
    it(`is not ${text}`, () => assert.equal(OAuthIssuers.safeParse(text).success, false))
  }
})
