import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '../../src/protocol/http-error.ts'
import { requireValid } from '../../src/catalog/issues.ts'
import { patchSettings, ServerSettings, SettingsPatch } from '../../src/catalog/server.ts'

const LEAST = { name: 'One', slug: 'one' }
const settings = (members: object = {}) => ServerSettings.parse({ ...LEAST, ...members })
const wrongFields = (value: object): string[] => {
  const { error } = ServerSettings.safeParse(value)
  return (error?.issues ?? []).map(({ path }) => path.join('.'))
}

describe('ServerSettings', () => {
  it('has its defaults', () => {
    assert.deepEqual(settings(), {
      ...LEAST,
      status: 'active',
      auth: 'none',
      vanity: false,
      ttlMs: 30_000,
      notifications: true,
      sessionIdleSeconds: 3600,
    })
  })

  it('trims the name', () => assert.equal(settings({ name: '  One\n' }).name, 'One'))

  const good: object[] = [
    { status: 'draft' },
    { auth: 'key' },
    { description: '' },
    { instructions: 'x'.repeat(100_000) },
    { rateLimit: 1 },
    { rateLimit: 6000 },
    { pageSize: 1 },
    { ttlMs: 0 },
    { notifications: false },
    { sessionIdleSeconds: 1 },
    { origins: [] },
    { origins: ['null', 'https://a.example', 'http://localhost:3000'] },
  ]
  for (const members of good) {
    it(`takes ${JSON.stringify(members).slice(0, 60)}`, () => {
      assert.deepEqual(settings(members), { ...settings(), ...members })
    })
  }

  const bad: object[] = [
    { name: ' ' },
    { name: 'x'.repeat(201) },
    { name: null },
    { slug: 'env' },
    { status: 'gone' },
    { auth: 'basic' },
    { vanity: 'yes' },
    { description: 'x'.repeat(10_001) },
    { rateLimit: 0 },
    { rateLimit: 6001 },
    { rateLimit: 1.5 },
    { pageSize: 0 },
    { pageSize: '10' },
    { ttlMs: -1 },
    { notifications: 'no' },
    { sessionIdleSeconds: 0 },
    { ttlMs: null },
  ]
  for (const members of bad) {
    it(`refuses ${JSON.stringify(members).slice(0, 60)}, naming the field`, () => {
      assert.deepEqual(wrongFields({ ...LEAST, ...members }), Object.keys(members))
    })
  }

  const noOrigins = [
    '*',
    'https://a.example/',
    'a.example',
    'https://A.example',
    'ftp://a.example',
    'https://a.example:443',
    'file://',
    '',
  ]
  for (const origin of noOrigins) {
    it(`refuses the origin '${origin}'`, () => {
      assert.deepEqual(wrongFields({ ...LEAST, origins: ['null', origin] }), ['origins.1'])
    })
  }

  it('refuses a setting it does not know', () => {
    assert.throws(() => requireValid(ServerSettings, { ...LEAST, colour: 1 }), {
      details: [{ path: 'colour', message: 'is not a known member' }],
    })
  })
})

describe('patchSettings', () => {
  const patched = (before: object, patch: object) =>
    patchSettings(settings(before), SettingsPatch.parse(patch))
  const full = {
    status: 'paused',
    auth: 'key',
    vanity: true,
    ttlMs: 5,
    pageSize: 7,
    description: 'x',
  }

  // A patch is read by SettingsPatch: what fills in defaults there opens a keyed, paused server.
  it('changes what is given and nothing else', () => {
    assert.deepEqual(patched(full, { name: 'Two' }), { ...settings(full), name: 'Two' })
  })

  it('changes nothing by an empty patch', () => {
    assert.deepEqual(patched(full, {}), settings(full))
  })

  it('takes members back to their defaults, or away, by null', () => {
    const nothing = {
      status: null,
      auth: null,
      vanity: null,
      ttlMs: null,
      pageSize: null,
      description: null,
    }
    assert.deepEqual(patched(full, nothing), settings())
  })

  it('takes null for what is absent already', () => {
    assert.deepEqual(patched({}, { origins: null, rateLimit: null }), settings())
  })

  for (const member of ['name', 'slug']) {
    it(`refuses to take the ${member} away`, () => {
      assert.throws(
        () => patched({}, { [member]: null }),
        (error: unknown) => {
          assert.ok(error instanceof HttpError && error.status === 422)
          assert.deepEqual(error.details, [{ path: member, message: 'is missing' }])
          return true
        },
      )
    })
  }

  it('names a wrong or unknown member', () => {
    const wrong = (patch: object) => SettingsPatch.safeParse(patch).error?.issues.length
    assert.equal(wrong({ pageSize: 0 }), 1)
    assert.equal(wrong({ tools: [] }), 1)
    assert.equal(wrong({ id: 'a1b2c3d4e5f6a1b2' }), 1)
  })
})
