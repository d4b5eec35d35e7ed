import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KEY_KINDS, keyKindOf, mintKey } from '../../src/callers/secret.ts'

const KEY = mintKey('server')
const isServerKey = (text: string) => keyKindOf(text) === 'server'

describe('server keys', () => {
  it('have the prefix, 43 digits of base62 and a checksum of 6', () => {
    for (let n = 0; n < 100; n++) assert.match(mintKey('server'), /^rcs_[0-9A-Za-z]{49}$/)
  })

  it('have a prefix for each kind, and are told for that kind', () => {
    const forms = { member: /^sk-rc-[0-9A-Za-z]{49}$/, agent: /^sk-rca-[0-9A-Za-z]{49}$/ }
    for (const kind of KEY_KINDS) assert.equal(keyKindOf(mintKey(kind)), kind)
    for (const kind of ['member', 'agent'] as const) assert.match(mintKey(kind), forms[kind])
  })

  it('are none when the prefix of another kind is put before them', () => {
    const member = mintKey('member')
    for (const prefix of ['sk-rca-', 'rcs_']) {
      assert.equal(keyKindOf(member.replace('sk-rc-', prefix)), undefined)
    }
  })

  it('are told for such, and each is another', () => {
    const keys = Array.from({ length: 200 }, () => mintKey('server'))
    assert.ok(keys.every(isServerKey))
    assert.equal(new Set(keys).size, keys.length)
  })

  it('are told apart when any one character is mistyped', () => {
    for (let at = 0; at < KEY.length; at++) {
      const other = KEY[at] === 'x' ? 'y' : 'x'
      const mistyped = KEY.slice(0, at) + other + KEY.slice(at + 1)
      assert.equal(isServerKey(mistyped), false, `character ${at}`)
    }
  })

  it('are told apart when two neighbours are swapped', () => {
    for (let at = 4; at < KEY.length - 1; at++) {
      const [left, right] = [KEY[at] ?? '', KEY[at + 1] ?? '']
      const swapped = KEY.slice(0, at) + right + left + KEY.slice(at + 2)
      assert.equal(isServerKey(swapped), left === right, `character ${at}`)
    }
  })

  const no: [string, string][] = [
    ['nothing', ''],
    ['the prefix alone', 'rcs_'],
    ['another prefix', KEY.replace('rcs_', 'rco_')],
    ['the prefix in capitals', KEY.replace('rcs_', 'RCS_')],
    ['a key cut short', KEY.slice(0, -1)],
    ['a key that goes on', `${KEY}0`],
    ['a space before it', ` ${KEY}`],
    ['a line end after it', `${KEY}\n`],
    ['other characters', `rcs_${'-'.repeat(49)}`],
    ['zeros without their checksum', `rcs_${'0'.repeat(49)}`],
  ]
  for (const [what, text] of no) {
    it(`are not ${what}`, () => assert.equal(isServerKey(text), false))
  }
})
