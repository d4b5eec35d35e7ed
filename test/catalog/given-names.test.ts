import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { giveNames } from '../../src/catalog/given-names.ts'
import { ToolName } from '../../src/catalog/names.ts'

const isValid = (name: string) => ToolName.safeParse(name).success
const give = (originals: readonly string[], given: Record<string, string> = {}) =>
  Object.fromEntries(giveNames(originals, new Map(Object.entries(given)), isValid))

describe('the names given to what a remote server offers', () => {
  it('are its own where those are valid', () => {
    assert.deepEqual(give(['a', 'B.c-1_']), { a: 'a', 'B.c-1_': 'B.c-1_' })
  })

  it('are made of what is left and six digits of a hash where not', () => {
    const names = give(['get weather', 'größe', '..', '', 'x'.repeat(100)])
    assert.deepEqual(names, {
      'get weather': 'get_weather_dce387',
      größe: 'gr_e_d353a2',
      '..': '.._5ec1f7',
      '': '_e3b0c4',
      ['x'.repeat(100)]: `${'x'.repeat(57)}_09ecb6`,
    })
    for (const name of Object.values(names)) assert.ok(isValid(name), name)
  })

  it('differ for names that are alike once they are made valid', () => {
    const names = Object.values(give(['a b', 'a/b', 'a_b']))
    assert.equal(new Set(names).size, 3)
    assert.ok(names.includes('a_b'))
  })

  it('are the same whatever the order', () => {
    const originals = ['a b', 'a/b', 'a_b', 'z', 'é', 'get']
    const given = { get: 'z' }
    const names = give(originals, given)
    assert.deepEqual(give(originals.toReversed(), given), names)
    assert.equal(names['get'], 'z')
    assert.match(names['z'] ?? '', /^z_[0-9a-f]{6}$/)
  })

  it('leave a valid name to the one that has it, though another would be made the same', () => {
    const made = give(['a b'])['a b'] ?? ''
    const names = give(['a b', made])
    assert.equal(names[made], made)
    assert.notEqual(names['a b'], made)
    assert.match(names['a b'] ?? '', /^a_b_[0-9a-f]{6}$/)
  })

  it('are kept free for a renamed one that is gone for a while', () => {
    assert.match(give(['x'], { gone: 'x' })['x'] ?? '', /^x_[0-9a-f]{6}$/)
  })

  it('let two swap theirs', () => {
    assert.deepEqual(give(['a', 'b'], { a: 'b', b: 'a' }), { a: 'b', b: 'a' })
  })
})
