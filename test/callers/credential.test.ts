import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCredential, REVOKED, type ServerCredential } from '../../src/callers/credential.ts'

const RECORD = { id: 'key_1', kind: 'server', organization: 'org_1', server: 'a1b2c3d4e5f6a1b2' }

function parse(members: object = {}): ServerCredential {
  const { value } = parseCredential(JSON.stringify({ ...RECORD, ...members }))
  if (value === 'revoked' || value.kind !== 'server') throw new Error('no server key')
  return value
}

describe('parseCredential', () => {
  it('reads a key that sees all and never expires', () => {
    assert.deepEqual(parse(), { ...RECORD, tools: undefined, expiresAtMs: Infinity })
  })

  it('reads when a key expires', () => {
    assert.equal(parse({ expiresAt: '2026-01-02T03:04:05.006Z' }).expiresAtMs, 1767323045006)
  })

  it('reads the names a key is for, of no tool too', () => {
    assert.deepEqual(parse({ tools: ['b', 'a'] }).tools?.names, new Set(['a', 'b']))
    assert.equal(parse({ tools: [] }).tools?.names.size, 0)
  })

  it('gives the same names the same key, in any order and however often', () => {
    const key = parse({ tools: ['a', 'b'] }).tools?.key
    assert.equal(parse({ id: 'key_2', tools: ['b', 'a', 'b'] }).tools?.key, key)
  })

  it('gives other names another key, such as join to the same text too', () => {
    const lists = [[], [''], ['a'], ['a', 'b'], ['a,b'], ['a","b'], ['ab']]
    assert.equal(new Set(lists.map((tools) => parse({ tools }).tools?.key)).size, lists.length)
  })

  it('reads the principal a key stands for, and the environment it is bound to', () => {
    for (const kind of ['member', 'agent']) {
      const record = { id: 'key_1', kind, organization: 'org_1', principal: 'mem_1' }
      const bound = { ...record, environment: 'support' }
      assert.deepEqual(parseCredential(JSON.stringify(bound)).value, {
        ...bound,
        expiresAtMs: Infinity,
      })
      const { value } = parseCredential(JSON.stringify(record))
      assert.deepEqual(value, { ...record, environment: undefined, expiresAtMs: Infinity })
    }
  })

  it('reads the mark of a revoked key', () => {
    assert.equal(parseCredential(REVOKED).value, 'revoked')
  })

  it('counts more bytes for more names', () => {
    const bytes = (tools: string[]) => parseCredential(JSON.stringify({ ...RECORD, tools })).bytes
    assert.ok(bytes(Array.from({ length: 1000 }, (_, n) => `tool_${n}`)) > 100 * bytes(['a']))
  })

  const bad: [string, string][] = [
    ['no JSON', ''],
    ['text', '"{}"'],
    ['null', 'null'],
    ['an array', '[]'],
    ['a record without server', JSON.stringify({ ...RECORD, server: undefined })],
    ['a member key that names no principal', JSON.stringify({ ...RECORD, kind: 'member' })],
    ['a kind it does not know', JSON.stringify({ ...RECORD, kind: 'session' })],
    ['a server key bound to an environment', JSON.stringify({ ...RECORD, environment: 'e' })],
    ['a restriction it does not know', JSON.stringify({ ...RECORD, readOnly: true })],
    ['tools that are null', JSON.stringify({ ...RECORD, tools: null })],
    ['a date that is none', JSON.stringify({ ...RECORD, expiresAt: 'tomorrow' })],
    ['a date without zone', JSON.stringify({ ...RECORD, expiresAt: '2026-01-02T03:04:05' })],
  ]
  for (const [what, text] of bad) {
    it(`opens nothing by ${what}`, () => assert.throws(() => parseCredential(text)))
  }
})
