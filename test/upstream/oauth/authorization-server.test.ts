import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  discoverServer,
  requireIssuer,
  type AuthorizationServer,
} from '../../../src/upstream/oauth/authorization-server.ts'
import { OAuthFault } from '../../../src/upstream/oauth/fault.ts'

const ISSUER = 'https://as.test/t'
const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: 'https://as.test/authorize',
  token_endpoint: 'https://as.test/token',
  code_challenge_methods_supported: ['plain', 'S256'],
}

/** Reads documents from a table; anything else is not there. */
const reading = (documents: Readonly<Record<string, unknown>>) => async (url: string) => {
  if (url in documents) return documents[url]
  throw new Error('404')
}

describe('discoverServer', () => {
  it('finds metadata in each of its places', async () => {
    for (const url of [
      'https://as.test/.well-known/oauth-authorization-server/t',
      'https://as.test/.well-known/openid-configuration/t',
      'https://as.test/t/.well-known/openid-configuration',
    ]) {
      assert.deepEqual(await discoverServer(reading({ [url]: METADATA }), ISSUER), {
        issuer: ISSUER,
        authorizationUrl: 'https://as.test/authorize',
        tokenUrl: 'https://as.test/token',
        namesItself: false,
        readsClientMetadata: false,
      })
    }
  })

  it('refuses what is of another issuer, does no S256, or lacks what is needed', async () => {
    const url = 'https://as.test/.well-known/oauth-authorization-server/t'
    for (const members of [
      { issuer: 'https://as.test' },
      { issuer: `${ISSUER}/` },
      { code_challenge_methods_supported: ['plain'] },
      { code_challenge_methods_supported: undefined },
      { token_endpoint: undefined },
      { authorization_endpoint: 'javascript:alert(1)' },
    ]) {
      const documents = { [url]: { ...METADATA, ...members } }
      await assert.rejects(discoverServer(reading(documents), ISSUER), OAuthFault)
    }
    await assert.rejects(discoverServer(reading({}), ISSUER), OAuthFault)
  })

  it('takes a server for sign-in that says nothing of PKCE, and is still its issuer', async () => {
    const url = 'https://as.test/.well-known/oauth-authorization-server/t'
    const silent = { ...METADATA, code_challenge_methods_supported: undefined }
    const found = await discoverServer(reading({ [url]: silent }), ISSUER, 'sign-in')
    assert.equal(found.issuer, ISSUER)
    const other = { [url]: { ...silent, issuer: 'https://other.test' } }
    await assert.rejects(discoverServer(reading(other), ISSUER, 'sign-in'), OAuthFault)
  })
})

describe('requireIssuer', () => {
  const server = (members: Partial<AuthorizationServer>) => ({
    issuer: ISSUER,
    authorizationUrl: 'https://as.test/authorize',
    tokenUrl: 'https://as.test/token',
    namesItself: true,
    readsClientMetadata: false,
    ...members,
  })

  it('takes an answer of the server that was asked, and of no other', () => {
    requireIssuer(server({}), ISSUER)
    assert.throws(() => requireIssuer(server({}), `${ISSUER}/`), OAuthFault)
    assert.throws(() => requireIssuer(server({ namesItself: false }), 'https://x.test'), OAuthFault)
  })

  it('misses the name only where it was promised', () => {
    assert.throws(() => requireIssuer(server({}), null), OAuthFault)
    requireIssuer(server({ namesItself: false }), null)
  })
})
