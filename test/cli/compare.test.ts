/** What a push changes, and how it is told. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compare, isUnchanged } from '../../src/cli/compare.ts'
import { describeChanges } from '../../src/cli/describe-changes.ts'

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
  describeChanges(compare(before, after))

describe('compare', () => {
  it('finds no difference in the order of members, however deep', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', title: 'A' } } }
    const turned = { properties: { a: { title: 'A', type: 'string' } }, type: 'object' }
    const before = { name: 'Hello', slug: 'hello', tools: [{ ...A, inputSchema: schema }] }
    const after = { tools: [{ inputSchema: turned, ...A }], slug: 'hello', name: 'Hello' }
    assert.ok(isUnchanged(compare(before, after)))
    const enums = { ...turned, properties: { a: { enum: ['x', 'y'] } } }
    const others = { ...turned, properties: { a: { enum: ['y', 'x'] } } }
    const changes = differences(
      { tools: [{ ...A, inputSchema: others }] },
      { tools: [{ ...A, inputSchema: enums }] },
    )
    assert.deepEqual(changes, ['  ~ tool a: inputSchema'])
  })

  it('tells settings that differ, by value where that is a word, and those that go', () => {
    const before = { ...BEFORE, auth: 'key', instructions: 'Be kind', pageSize: 10, origins: [] }
    const after = { ...BEFORE, name: 'Two words', ttlMs: 0 }
    assert.deepEqual(differences(after, before), [
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
    assert.deepEqual(differences({ ...BEFORE, tools: [B, C, { ...A, sortOrder: 9 }] }), [
      '  ~ order of tools: b, c, a',
    ])
  })

  it('tells the overrides of a remote server tool by tool, also of one that is new', () => {
    const kept = { title: 'Kept', annotations: { title: 'T', readOnlyHint: true } }
    const before = { name: 'Far', overrides: { gone: { title: 'G' }, 'get weather': {}, kept } }
    const overrides = {
      kept: { annotations: { readOnlyHint: true, title: 'T' }, title: 'Kept' },
      'get weather': { name: 'weather', status: 'paused' },
      added: { description: 'New' },
    }
    assert.deepEqual(differences({ name: 'Far', overrides }, before), [
      '  + tool added (override): description',
      '  ~ tool get weather (override): name, status',
      '  - tool gone (override)',
    ])
    assert.deepEqual(describeChanges(compare(undefined, { name: 'Far', overrides: { kept } })), [
      '  + tool kept (override): title, annotations',
    ])
  })

  it('names the members that change, and a tool that pauses or goes on', () => {
    assert.deepEqual(
      differences({
        ...BEFORE,
        tools: [
          { ...A, description: 'Other', title: 'T', status: 'paused' },
          { ...B, status: 'active' },
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
    assert.deepEqual(describeChanges(compare(undefined, { tools })), [
      '  + tool x\\u001b[2J\\u000ay',
    ])
  })
})
