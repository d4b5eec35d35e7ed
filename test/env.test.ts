import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Misconfigured, readSettings, type Env } from '../src/env.ts'
import { OPERATOR_TOKEN, SEAL_KEYS } from './support/rollcall.ts'

const NAME_KEY = Buffer.alloc(32, 7).toString('base64')

const read = (settings: Record<string, string>) =>
  readSettings({ OPERATOR_TOKEN, SEAL_KEYS, ...settings } as unknown as Env)

/** What is wrong; undefined where nothing is. */
function refusalOf(settings: Record<string, string>): string | undefined {
  try {
    read(settings)
    return undefined
  } catch (error) {
    assert.ok(error instanceof Misconfigured)
    return error.message
  }
}

describe('the settings of a region', () => {
  it('are those of development where none is set', () => {
    const { REGION, JURISDICTION, LOCATION_HINT, RESIDENCY, NAME_KEY: key } = read({})
    assert.deepEqual(
      [REGION, JURISDICTION, LOCATION_HINT, RESIDENCY, key],
      ['development', '', '', '', undefined],
    )
  })

  const regions = ['development', 'global', 'us', 'eu', 'in', 'sg'] as const
  for (const REGION of regions) {
    for (const JURISDICTION of ['', 'us', 'eu']) {
      for (const DEVELOPMENT of ['', '1']) {
        const needed = REGION === 'us' || REGION === 'eu' ? REGION : ''
        const serves = JURISDICTION === needed || (JURISDICTION === '' && DEVELOPMENT === '1')
        const where = `in ${REGION}${DEVELOPMENT && ' in development'}`
        it(`${serves ? 'serve' : 'refuse'} with jurisdiction "${JURISDICTION}" ${where}`, () => {
          const refusal = refusalOf({ REGION, JURISDICTION, DEVELOPMENT })
          if (serves) assert.equal(refusal, undefined)
          else assert.match(refusal ?? '', new RegExp(`^JURISDICTION must .* region ${REGION}`))
        })
      }
    }
    for (const RESIDENCY of ['', 'strict']) {
      for (const key of ['', NAME_KEY]) {
        const serves = RESIDENCY === '' || key !== ''
        const having = `${key === '' ? 'without' : 'with'} NAME_KEY in ${REGION}`
        it(`${serves ? 'serve' : 'refuse'} with residency "${RESIDENCY}" ${having}`, () => {
          const JURISDICTION = REGION === 'us' || REGION === 'eu' ? REGION : ''
          const refusal = refusalOf({ REGION, JURISDICTION, RESIDENCY, NAME_KEY: key })
          if (serves) assert.equal(refusal, undefined)
          else assert.match(refusal ?? '', /^NAME_KEY is missing: RESIDENCY strict/)
        })
      }
    }
  }

  const bad: [string, Record<string, string>, RegExp][] = [
    ['a region that is none', { REGION: 'EU' }, /^REGION must be one of development, global, us/],
    ['an empty region', { REGION: '' }, /^REGION must be one of/],
    ['a jurisdiction that is none', { JURISDICTION: 'in' }, /^JURISDICTION must be empty or one/],
    ['a hint that is none', { LOCATION_HINT: 'asia' }, /^LOCATION_HINT must be empty or one of/],
    ['a residency that is none', { RESIDENCY: '1' }, /^RESIDENCY must be empty or one of strict/],
    ['a name key of 31 bytes', { NAME_KEY: NAME_KEY.slice(0, 40) }, /^NAME_KEY must be 32 bytes/],
    ['a name key in no base64', { NAME_KEY: '!'.repeat(44) }, /^NAME_KEY must be 32 bytes/],
  ]
  for (const [what, settings, message] of bad) {
    it(`refuse ${what}, without its value`, () => {
      const refusal = refusalOf(settings) ?? ''
      assert.match(refusal, message)
      assert.ok(!refusal.includes(settings['NAME_KEY'] || '\0'))
    })
  }

  it('name every problem at once', () => {
    const refusal = refusalOf({ REGION: 'eu', RESIDENCY: 'strict' }) ?? ''
    assert.match(refusal, /^JURISDICTION must be eu .*; NAME_KEY is missing/)
  })

  it('give the bytes of the name key', () => {
    assert.deepEqual(read({ NAME_KEY: `${NAME_KEY}\n` }).NAME_KEY, new Uint8Array(32).fill(7))
  })
})
