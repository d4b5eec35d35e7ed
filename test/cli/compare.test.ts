/** What applying a server file would change, and how it is told. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compare, isUnchanged } from '../../src/cli/compare.ts'
import { describeChanges } from '../../src/cli/describe-changes.ts'

const DEFAULTS = { status: 'active', auth: 'none', ttlMs: 30_000, tools: [] }
const BEFORE = {
  id: 'a1b2c3d4e5f6a1b2',
  name: 'Hello',
  slug: 'hello',
  status: 'active',
  auth: 'none',
  ttlMs: 30_000,
  tools: [
    { name: 'a', description: 'A', status: 'active', handler: { kind: 'static' } },
    { name: 'b', description: 'B', status: 'paused', handler: { kind: 'static' } },
    { name: 'c', description: 'C', status: 'active', sortOrder: 7, handler: { kind: 'static' } },
  ],
}
const [A, B, C] = BEFORE.tools

const differences = (after: Record<string, unknown>, before: Record<string, unknown> = BEFORE) =>
  describeChanges(compare(before, after, DEFAULTS))

describe('compare', () => {
  it('finds no difference in what an export says, nor in what defaults and order stand for', () => {
    assert.ok(isUnchanged(compare(BEFORE, BEFORE, DEFAULTS)))
    assert.deepEqual(
      differences({
        name: ' Hello ',
        tools: [
          { handler: { kind: 'static' }, description: 'A', name: 'a', sortOrder: 0 },
          { name: 'b', description: 'B', status: 'paused', handler: { kind: 'static' } },
          { name: 'c', description: 'C', sortOrder: 7, handler: { kind: 'static' } },
        ],
      }),
      [],
    )
  })

  it('tells settings that differ, by value where that is a word, and those that go', () => {
    const before = { ...BEFORE, auth: 'key', instructions: 'Be kind', pageSize: 10, origins: [] }
    assert.deepEqual(differences({ name: 'Two words', ttlMs: 0, tools: BEFORE.tools }, before), [
      '  ~ name',
      '  ~ auth: key -> none',
      '  ~ ttlMs: 30000 -> 0',
      '  ~ instructions',
      '  ~ pageSize: 10 -> unset',
      '  ~ origins',
    ])
  })

  it('tells an order that changes apart from places that shift', () => {
    assert.deepEqual(differences({ ...BEFORE, tools: [B, A, C] }), ['  ~ order of tools: b, a, c'])
    assert.deepEqual(differences({ ...BEFORE, tools: [{ ...A, name: 'new' }, A, B, C] }), [
      '  + tool new',
    ])
    assert.deepEqual(differences({ ...BEFORE, tools: [B, C] }), ['  - tool a'])
    assert.deepEqual(differences({ ...BEFORE, tools: [A, B, { ...C, sortOrder: 2 }] }), [
      '  ~ sort orders of tools; their order stays',
    ])
    assert.deepEqual(differences({ ...BEFORE, tools: [{ ...A, sortOrder: 9 }, B, C] }), [
      '  ~ order of tools: b, c, a',
    ])
  })

  it('keeps items of one sort order as they stand, and puts new ones after them', () => {
    const even = [A, B].map((tool) => ({ ...tool, sortOrder: 1 }))
    const added = { ...C, sortOrder: 1 }
    assert.deepEqual(
      differences({ ...BEFORE, tools: [added, ...even.toReversed()] }, { ...BEFORE, tools: even }),
      ['  + tool c'],
    )
  })

  it('names the members that change, and a tool that pauses or goes on', () => {
    assert.deepEqual(
      differences({
        ...BEFORE,
        tools: [
          { ...A, description: 'Other', title: 'T', status: 'paused' },
          { ...B, status: undefined },
          { name: 'c', sortOrder: 7, handler: { kind: 'static', result: {} } },
        ],
      }),
      [
        '  ~ tool a: description, title, paused',
        '  ~ tool b: resumed',
        '  ~ tool c: description, handler',
      ],
    )
  })

  it('writes names so that they cannot steer a terminal', () => {
    const tools = [{ name: 'x\u001b[2J\ny' }]
    assert.deepEqual(describeChanges(compare(undefined, { tools }, DEFAULTS)), [
      '  + tool x\\u001b[2J\\u000ay',
    ])
  })
})
