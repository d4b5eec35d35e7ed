import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { presentedSecret } from '../../src/callers/presented.ts'

describe('presentedSecret', () => {
  const presented: [string, Record<string, string>, string | undefined][] = [
    ['nothing', {}, undefined],
    ['a bearer token', { authorization: 'Bearer abc' }, 'abc'],
    ['a scheme in any case', { authorization: 'bEARER abc' }, 'abc'],
    ['spaces between and around', { authorization: '  Bearer   abc ' }, 'abc'],
    ['x-api-key', { 'x-api-key': 'abc' }, 'abc'],
    ['the same key in both', { authorization: 'Bearer abc', 'x-api-key': 'abc' }, 'abc'],
    ['any printable token', { authorization: 'Bearer a.b-c_d~e+f/g==' }, 'a.b-c_d~e+f/g=='],
  ]
  for (const [what, headers, secret] of presented) {
    it(`reads ${what} as ${secret ?? 'no credential'}`, () => {
      assert.equal(presentedSecret(new Headers(headers)), secret)
    })
  }

  const refused: [string, Record<string, string>, string][] = [
    ['another scheme', { authorization: 'Basic abc' }, 'invalid_authorization'],
    [
      'another scheme beside a key',
      { authorization: 'Basic abc', 'x-api-key': 'k' },
      'invalid_authorization',
    ],
    ['a token without scheme', { authorization: 'abc' }, 'invalid_authorization'],
    ['a scheme without token', { authorization: 'Bearer' }, 'invalid_authorization'],
    ['no space between', { authorization: 'Bearerabc' }, 'invalid_authorization'],
    ['two tokens', { authorization: 'Bearer abc def' }, 'invalid_authorization'],
    ['an empty header', { authorization: '' }, 'invalid_authorization'],
    ['two different keys', { authorization: 'Bearer abc', 'x-api-key': 'ABC' }, 'two_credentials'],
    [
      'an empty key beside a token',
      { authorization: 'Bearer abc', 'x-api-key': '' },
      'two_credentials',
    ],
  ]
  for (const [what, headers, code] of refused) {
    it(`refuses ${what} with 401 ${code}`, () => {
      assert.throws(() => presentedSecret(new Headers(headers)), { status: 401, code })
    })
  }

  it('says nothing of the keys it refuses', () => {
    const headers = new Headers({ authorization: 'Bearer s3cret', 'x-api-key': 'other-s3cret' })
    assert.throws(
      () => presentedSecret(headers),
      (error: Error) => !error.message.includes('s3cret'),
    )
  })
})
