import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { differingRevisions, differsIn, projectItem } from '../../src/catalog/project-item.ts'
import type { Kind } from '../../src/catalog/item.ts'
import { REVISIONS, type Revision } from '../../src/protocol/revisions.ts'

const LEAST = { name: 'a', inputSchema: { type: 'object' } }
const ALL = REVISIONS

/** A member, and the revisions that are shown it. */
const TABLE: [string, object, readonly Revision[]][] = [
  ['description', { description: 'x' }, ALL],
  ['title', { title: 'A' }, ALL.slice(2)],
  ['annotations', { annotations: { title: 'A', readOnlyHint: true } }, ALL.slice(1)],
  ['an outputSchema that is an object', { outputSchema: { type: 'object' } }, ALL.slice(2)],
  ['an outputSchema that is an array', { outputSchema: { type: 'array' } }, ALL.slice(4)],
  ['an outputSchema without type', { outputSchema: { anyOf: [] } }, ALL.slice(4)],
  ['an outputSchema of two types', { outputSchema: { type: ['object', 'null'] } }, ALL.slice(4)],
  ['icons', { icons: [{ src: 'data:,' }] }, ALL.slice(3)],
  ['execution', { execution: { taskSupport: 'optional' } }, ['2025-11-25']],
  ['_meta', { _meta: { 'a/b': 1 } }, ALL.slice(2)],
  ['a member nobody knows', { later: { x: 1 } }, ALL],
  [
    'x-mcp-header',
    { inputSchema: { type: 'object', properties: { r: { 'x-mcp-header': 'R' } } } },
    ALL,
  ],
]

describe('projectItem', () => {
  for (const [what, members, shown] of TABLE) {
    for (const revision of REVISIONS) {
      const isShown = shown.includes(revision)
      it(`§9.2 #52: ${isShown ? 'shows' : 'leaves out'} ${what} for ${revision}`, () => {
        const tool = { ...LEAST, ...members }
        const projected = projectItem('tools', tool, revision)
        assert.deepEqual(projected, isShown ? tool : LEAST)
        assert.equal(projected === tool, isShown, 'the same object exactly when nothing differs')
        assert.equal(differsIn(differingRevisions('tools', tool), revision), !isShown)
      })
    }
  }

  /** Known in every revision, and so shown in each. */
  const KNOWN: [Kind, object][] = [
    ['prompts', { name: 'p', description: 'x', arguments: [{ name: 'a', required: true }] }],
    ['resources', { uri: 'x:', name: 'r', description: 'x', mimeType: 'text/plain', size: 1 }],
    [
      'resourceTemplates',
      { uriTemplate: 'x:{a}', name: 't', description: 'x', mimeType: 'text/plain' },
    ],
  ]
  const LATER = { title: 'T', icons: [{ src: 'data:,' }], _meta: { 'a/b': 1 } }
  for (const [kind, item] of KNOWN) {
    for (const revision of REVISIONS) {
      it(`shows ${kind} to ${revision} with what that revision knows`, () => {
        const { title, icons, _meta } = LATER
        const at = REVISIONS.indexOf(revision)
        const shown = { ...item, ...(at >= 2 && { title, _meta }), ...(at >= 3 && { icons }) }
        assert.deepEqual(projectItem(kind, { ...item, ...LATER }, revision), shown)
        assert.deepEqual(projectItem(kind, { ...item }, revision), item)
      })
    }
  }

  // Tools got theirs with 2025-03-26; resources and templates had them (audience, priority) before.
  for (const [kind, item] of KNOWN.slice(1)) {
    it(`shows the annotations of ${kind} to every revision`, () => {
      const annotated = { ...item, annotations: { audience: ['user'], priority: 1 } }
      for (const revision of REVISIONS) {
        assert.deepEqual(projectItem(kind, annotated, revision), annotated, revision)
      }
    })
  }

  it('keeps the members it shows in their order', () => {
    const tool = { _meta: {}, later: 1, title: 'A', ...LEAST, execution: {}, description: '' }
    assert.deepEqual(Object.keys(projectItem('tools', tool, '2025-03-26')), [
      'later',
      'name',
      'inputSchema',
      'description',
    ])
  })

  it('keeps a member called __proto__ a member', () => {
    const tool = JSON.parse('{"name":"a","title":"A","__proto__":{"x":1}}')
    assert.equal(
      JSON.stringify(projectItem('tools', tool, '2025-03-26')),
      '{"name":"a","__proto__":{"x":1}}',
    )
  })
})
