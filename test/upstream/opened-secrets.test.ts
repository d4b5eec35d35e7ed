import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  basicCredentials,
  MissingSecret,
  OpenedSecrets,
} from '../../src/upstream/opened-secrets.ts'

const VALUE = 'p"ss/wö rd&'

describe('The secrets of a call', () => {
  const opened = (revealed = true) => {
    const secrets = new OpenedSecrets(
      new Map([
        ['a', VALUE],
        ['short', 'abc'],
      ]),
    )
    if (revealed) for (const name of ['a', 'short']) secrets.reveal({ secret: name })
    return secrets
  }

  const forms = [
    VALUE,
    encodeURIComponent(VALUE),
    new URLSearchParams({ '': VALUE }).toString().slice(1),
    JSON.stringify(VALUE).slice(1, -1),
    Buffer.from(VALUE).toString('base64'),
  ]
  for (const form of forms) {
    it(`takes out ${form}`, () => {
      assert.equal(opened().redact(`before ${form} after`), 'before [REDACTED] after')
    })
  }

  it('names one that is not there', () => {
    assert.throws(() => opened(false).reveal({ secret: 'b' }), MissingSecret)
    assert.throws(() => opened(false).reveal({ secret: 'b' }), /"b"/)
  })

  it('leaves a short one in a result, where it may be a word, and not in an error', () => {
    assert.equal(opened().redact('abc'), 'abc')
    assert.equal(opened().redactError('abc'), '[REDACTED]')
  })

  it('leaves what was not used', () => {
    assert.equal(opened(false).redact(VALUE), VALUE)
  })

  it('takes out the pair of Basic', () => {
    const secrets = opened(false)
    const header = basicCredentials(secrets, 'me', { secret: 'a' })
    assert.equal(header, `Basic ${Buffer.from(`me:${VALUE}`).toString('base64')}`)
    assert.equal(secrets.redact(header), 'Basic [REDACTED]')
  })

  it('looks through JSON, names and numbers too, and gives back what has nothing of it', () => {
    const secrets = new OpenedSecrets(new Map([['n', '123456']]))
    secrets.reveal({ secret: 'n' })
    const value = { a: [{ '123456': 123456, b: 'x123456' }], c: null }
    assert.deepEqual(secrets.redactDeep(value), {
      a: [{ '[REDACTED]': '[REDACTED]', b: 'x[REDACTED]' }],
      c: null,
    })
    const clean = { a: [{ b: 'x' }, 1, null, true] }
    assert.equal(secrets.redactDeep(clean), clean)
  })
})
