import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ANONYMOUS } from '../../src/callers/caller.ts'
import { KINDS } from '../../src/catalog/item.ts'
import { visibleTo, withholds } from '../../src/visibility/visible.ts'
import { callerFor } from '../support/exchanges.ts'

const ACTIVE = { name: 'a', status: 'active' } as const
const PAUSED = { name: 'a', status: 'paused' } as const

describe('withholds', () => {
  const cases = [
    ['an active tool from anybody', ACTIVE, ANONYMOUS, undefined],
    ['a paused tool from anybody', PAUSED, ANONYMOUS, 'tool_paused'],
    ['an active tool from a key that names it', ACTIVE, callerFor('a', 'b'), undefined],
    ['a paused tool from a key that names it', PAUSED, callerFor('a'), 'tool_paused'],
    ['an active tool from a key for others', ACTIVE, callerFor('b'), 'not_in_key_tools'],
    ['an active tool from a key for none', ACTIVE, callerFor(), 'not_in_key_tools'],
    ['a paused tool from a key for others', PAUSED, callerFor('b'), 'tool_paused'],
    ['a tool from a key for its name in capitals', ACTIVE, callerFor('A'), 'not_in_key_tools'],
  ] as const
  for (const [what, tool, caller, rule] of cases) {
    it(`says ${rule ?? 'nothing'} of ${what}`, () => assert.equal(withholds(tool, caller), rule))
  }
})

describe('visibleTo', () => {
  it('is no selection for a caller who sees all', () => {
    assert.equal(visibleTo(ANONYMOUS, 'tools'), undefined)
  })

  it('selects the names of a key, under the key of the set', () => {
    const selection = visibleTo(callerFor('b', 'a'), 'tools')
    assert.equal(selection?.key, callerFor('a', 'b').tools?.key)
    assert.deepEqual(
      ['a', 'b', 'c', ''].filter((name) => selection?.includes(name)),
      ['a', 'b'],
    )
  })

  it('leaves prompts, resources and templates to all: a key names tools alone', () => {
    for (const kind of KINDS.filter((each) => each !== 'tools')) {
      assert.equal(visibleTo(callerFor('a'), kind), undefined)
    }
  })

  it('agrees with withholds on every active tool', () => {
    const caller = callerFor('a', 'b')
    for (const name of ['a', 'b', 'c', '__proto__', 'constructor']) {
      const withheld = withholds({ name, status: 'active' }, caller) !== undefined
      assert.equal(visibleTo(caller, 'tools')?.includes(name), !withheld)
    }
  })
})
