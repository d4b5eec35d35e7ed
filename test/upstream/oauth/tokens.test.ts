import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outbound } from '../../../src/upstream/outbound.ts'
import { formatAuthorizationUrl } from '../../../src/upstream/oauth/authorization-url.ts'
import { OAuthFault } from '../../../src/upstream/oauth/fault.ts'
import { challengeOf } from '../../../src/upstream/oauth/pkce.ts'
import { exchangeCode, refreshTokens } from '../../../src/upstream/oauth/tokens.ts'

const ENDPOINT = { tokenUrl: 'https://as.test/token', client: { id: 'c', auth: 'none' as const } }
const GRANT = { code: 'x', redirectUri: 'https://us.test/oauth/callback', verifier: 'v' }

/** What a token endpoint answers, and what it was sent. */
function endpoint(body: unknown, status = 200) {
  const sent: { headers: Map<string, string>; form: Record<string, string> }[] = []
  const outbound: Outbound = async ({ headers, body: text }) => {
    sent.push({ headers, form: Object.fromEntries(new URLSearchParams(text)) })
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status })
  }
  return { outbound, sent }
}

describe('Tokens', () => {
  it('are had for a code, with the verifier and what they are for', async () => {
    const { outbound, sent } = endpoint({ access_token: 't', token_type: 'Bearer', expires_in: 60 })
    const resource = 'https://mcp.test/'
    const tokens = await exchangeCode(outbound, { ...ENDPOINT, resource }, GRANT, 1000)
    assert.deepEqual(tokens, {
      token: 't',
      refreshToken: undefined,
      endsAtMs: 61_000,
      idToken: undefined,
    })
    assert.deepEqual(sent[0]?.form, {
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: GRANT.redirectUri,
      code_verifier: 'v',
      resource,
      client_id: 'c',
    })
  })

  it('are had by a client that shows itself as it is set up', async () => {
    const { outbound, sent } = endpoint({ access_token: 't' })
    for (const auth of ['basic', 'body'] as const) {
      const client = { id: 'c:1', auth, secret: 's&2' }
      await exchangeCode(outbound, { ...ENDPOINT, client }, GRANT, 0)
    }
    const basic = `Basic ${Buffer.from('c%3A1:s%262').toString('base64')}`
    assert.equal(sent[0]?.headers.get('authorization'), basic)
    assert.equal(sent[0]?.form['client_secret'], undefined)
    assert.equal(sent[1]?.headers.get('authorization'), undefined)
    assert.equal(sent[1]?.form['client_secret'], 's&2')
  })

  it('keep a refresh token that is not given anew', async () => {
    const kept = await refreshTokens(endpoint({ access_token: 't' }).outbound, ENDPOINT, 'r', 0)
    assert.equal(kept.refreshToken, 'r')
    const { outbound } = endpoint({ access_token: 't', refresh_token: 'r2' })
    assert.equal((await refreshTokens(outbound, ENDPOINT, 'r', 0)).refreshToken, 'r2')
  })

  it('are none where the answer is unfit, and the fault says no secret', async () => {
    for (const [body, status, kind, error] of [
      [{ error: 'invalid_grant', error_description: 'secret' }, 400, 'refused', 'invalid_grant'],
      [{ error: '<script>' }, 400, 'unreachable', undefined],
      ['<html>', 502, 'unreachable', undefined],
      [{ access_token: 't', token_type: 'mac' }, 200, 'unfit', undefined],
      [{ access_token: 'a\nb' }, 200, 'unfit', undefined],
      [{ error: 'x' }, 200, 'unfit', undefined],
      ['no json', 200, 'unfit', undefined],
      [{ access_token: 'x'.repeat(20_000) }, 200, 'unfit', undefined],
    ] as const) {
      const asking = exchangeCode(endpoint(body, status).outbound, ENDPOINT, GRANT, 0)
      await assert.rejects(asking, (fault: unknown) => {
        assert.ok(fault instanceof OAuthFault)
        assert.deepEqual([fault.kind, fault.error], [kind, error])
        assert.doesNotMatch(fault.message, /secret|script/)
        return true
      })
    }
  })
})

describe('An authorization URL', () => {
  const request = {
    authorizationUrl: 'https://as.test/authorize?tenant=1#x',
    clientId: 'c',
    redirectUri: 'https://us.test/oauth/callback',
    state: 's',
    challenge: 'ch',
    scopes: ['a', 'b'],
  }

  it('has all that the request is, beside what it had', () => {
    assert.equal(
      formatAuthorizationUrl(request, false).href,
      'https://as.test/authorize?tenant=1&response_type=code&client_id=c' +
        '&redirect_uri=https%3A%2F%2Fus.test%2Foauth%2Fcallback&state=s&code_challenge=ch' +
        '&code_challenge_method=S256&scope=a+b',
    )
  })

  it('is over https, and hides nobody in it', () => {
    for (const authorizationUrl of [
      'http://as.test/',
      'javascript:alert(1)',
      'https://a:b@as.test/',
    ]) {
      assert.throws(
        () => formatAuthorizationUrl({ ...request, authorizationUrl }, false),
        OAuthFault,
      )
    }
  })

  it('has the S256 challenge of RFC 7636', async () => {
    const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
    assert.equal(await challengeOf(verifier), 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
  })
})
