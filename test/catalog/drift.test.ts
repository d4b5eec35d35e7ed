import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changesOf, driftedTools, driftOf } from '../../src/catalog/drift.ts'
import { approved, approvedByHash, offered, type Definition } from '../support/approvals.ts'

const A: Definition = {
  name: 'a',
  title: 'A',
  description: 'The tool a',
  inputSchema: { type: 'object', properties: { x: { type: 'string' } } },
  outputSchema: { type: 'object', required: ['y'] },
  annotations: { readOnlyHint: true, openWorldHint: false },
  icons: [],
}
const changed = (members: object) => changesOf(A, { ...A, ...members }).changes

describe('the difference of a definition from the approved one', () => {
  it('is told of description and title with their texts', () => {
    assert.deepEqual(changed({ description: 'B', title: undefined }), [
      { what: 'title', path: '/title', change: 'removed', from: '"A"' },
      {
        what: 'description',
        path: '/description',
        change: 'changed',
        from: '"The tool a"',
        to: '"B"',
      },
    ])
  })

  it('is told of each place in either schema', () => {
    const inputSchema = {
      type: 'object',
      properties: { x: { type: 'string', maxLength: 3 }, z: {} },
      required: ['z'],
    }
    const found = changed({ inputSchema, outputSchema: { type: 'object' } })
    assert.deepEqual(
      found.map(({ what, path, change }) => [what, path, change]),
      [
        ['inputSchema', '/inputSchema/properties/x/maxLength', 'narrowed'],
        ['inputSchema', '/inputSchema/properties/z', 'added'],
        ['inputSchema', '/inputSchema/required', 'narrowed'],
        ['outputSchema', '/outputSchema/required', 'widened'],
      ],
    )
  })

  it('is told of annotations that flip, come and go', () => {
    assert.deepEqual(changed({ annotations: { readOnlyHint: false, destructiveHint: true } }), [
      {
        what: 'annotation',
        path: '/annotations/readOnlyHint',
        change: 'changed',
        from: 'true',
        to: 'false',
      },
      { what: 'annotation', path: '/annotations/openWorldHint', change: 'removed', from: 'false' },
      { what: 'annotation', path: '/annotations/destructiveHint', change: 'added', to: 'true' },
    ])
    const gone = changed({ annotations: undefined }).map(({ path, change }) => `${path} ${change}`)
    assert.deepEqual(gone, [
      '/annotations/readOnlyHint removed',
      '/annotations/openWorldHint removed',
    ])
    assert.equal(
      changesOf({ inputSchema: {} }, { inputSchema: {}, annotations: {} }).changes.length,
      1,
    )
  })

  it('is told of every other member, and of nothing where there is none', () => {
    const [icons, ...others] = changed({ icons: [{ src: 'x:' }], _meta: { a: 1 } })
    assert.deepEqual([icons?.what, icons?.path, icons?.to], ['other', '/icons', '[{"src":"x:"}]'])
    assert.deepEqual(others, [{ what: 'other', path: '/_meta', change: 'added', to: '{"a":1}' }])
    assert.deepEqual(changed({}), [])
  })

  it('is cut and counted out where a remote server overdoes it', () => {
    const properties = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`p${n}`, {}]))
    const { changes, truncated } = changesOf(A, {
      ...A,
      description: 'x'.repeat(10_000),
      inputSchema: { type: 'object', properties },
    })
    assert.deepEqual([changes.length, truncated], [100, true])
    assert.ok(changes.every(({ from = '', to = '' }) => from.length <= 500 && to.length <= 500))
    assert.ok(changes[0]?.to?.endsWith('…'))
  })
})

describe('the drift of a server', () => {
  const flipped = { ...A, annotations: { ...(A['annotations'] as object), readOnlyHint: false } }

  it('is empty where all is offered as it was approved, whatever order members are in', () => {
    const turned = Object.fromEntries(Object.entries(A).toReversed())
    assert.deepEqual(driftOf(offered(turned), [approved(A)]), { count: 0, tools: [] })
  })

  it('has a tool whose annotation alone flipped, which convai calls up to date', () => {
    const { tools } = driftOf(offered(flipped), [approved(A)])
    assert.partialDeepStrictEqual(tools, [
      {
        name: 'a',
        drift: 'changed',
        state: 'up_to_date',
        policy: 'auto_approved',
        truncated: false,
      },
    ])
    assert.equal(tools[0]?.changes.length, 1)
  })

  it('has tools that nobody approved, with what cannot be seen in them, and those that are gone', () => {
    const b = { ...A, name: 'b', description: 'Do\u200b it' }
    const { count, tools } = driftOf(offered(b), [approved(A, { policy: 'requires_approval' })])
    assert.equal(count, 2)
    assert.deepEqual(tools, [
      {
        name: 'b',
        drift: 'unapproved',
        state: 'not_approved',
        changes: [],
        truncated: false,
        hidden: [{ path: '/description', codePoints: ['U+200B'], count: 1 }],
      },
      {
        name: 'a',
        drift: 'gone',
        policy: 'requires_approval',
        changes: [],
        truncated: false,
        hidden: [],
      },
    ])
  })

  it('of what is known by its hash is that alone', () => {
    assert.equal(driftOf(offered(flipped), [approvedByHash(A)]).count, 0)
    const { tools } = driftOf(offered(A), [approvedByHash(A, { hash: 'other' })])
    assert.deepEqual(tools[0]?.changes, [{ what: 'definition', path: '', change: 'changed' }])
  })

  it('of what was approved in part is of that part', () => {
    const { name, description, inputSchema } = A
    const part = approved({ name, description: 'Old', inputSchema }, { wholeHash: null })
    const { tools } = driftOf(offered(A), [part])
    assert.deepEqual(tools[0]?.changes, [
      {
        what: 'description',
        path: '/description',
        change: 'changed',
        from: '"Old"',
        to: JSON.stringify(description),
      },
    ])
  })

  it('is bounded, and counted whole', () => {
    const many = Array.from({ length: 600 }, (_, n) => ({ ...A, name: `t${n}` }))
    const { count, tools } = driftOf(offered(...many), [approved(A)])
    assert.deepEqual([count, tools.length], [601, 500])
    const properties = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`p${n}`, {}]))
    const wide = many.map((tool) => ({ ...tool, inputSchema: { type: 'object', properties } }))
    const all = driftOf(
      offered(...wide),
      many.map((tool) => approved(tool)),
    )
    assert.equal(all.count, 600)
    assert.ok(all.tools.reduce((sum, { changes }) => sum + changes.length, 0) <= 2000)
  })

  it('tells which approved tools differ, and by what hash', () => {
    const b = { ...A, name: 'b' }
    const approvals = [approved(A), approved(b), approved({ ...A, name: 'c' })]
    const drifted = driftedTools(offered(flipped, b), approvals)
    assert.deepEqual([...drifted.keys()], ['a', 'c'])
    assert.equal(drifted.get('c'), '')
    assert.equal(drifted.get('a')?.length, 64)
  })
})
