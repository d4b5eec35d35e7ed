import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { discoveryUrls, resourceMetadataUrls } from '../../src/protocol/well-known.ts'

describe('Metadata about authorization', () => {
  it('of an issuer is where RFC 8414 and OpenID Connect put it', () => {
    assert.deepEqual(discoveryUrls('https://a.test/t'), [
      'https://a.test/.well-known/oauth-authorization-server/t',
      'https://a.test/.well-known/openid-configuration/t',
      'https://a.test/t/.well-known/openid-configuration',
    ])
    assert.deepEqual(discoveryUrls('https://a.test/'), [
      'https://a.test/.well-known/oauth-authorization-server',
      'https://a.test/.well-known/openid-configuration',
    ])
  })

  it('of a resource is beside its path, then at the root', () => {
    assert.deepEqual(resourceMetadataUrls('https://a.test/mcp/b'), [
      'https://a.test/.well-known/oauth-protected-resource/mcp/b',
      'https://a.test/.well-known/oauth-protected-resource',
    ])
    assert.deepEqual(resourceMetadataUrls('https://a.test/'), [
      'https://a.test/.well-known/oauth-protected-resource',
    ])
  })
})
