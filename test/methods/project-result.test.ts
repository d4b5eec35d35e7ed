import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { projectResult } from '../../src/methods/project-result.ts'
import type { ContentBlock } from '../../src/protocol/content.ts'
import type { Revision } from '../../src/protocol/revisions.ts'
import type { CallToolResult } from '../../src/protocol/tool.ts'

const TEXT: ContentBlock = { type: 'text', text: 'x' }
const LINK: ContentBlock = {
  type: 'resource_link',
  uri: 'file:///a',
  name: 'A',
  title: 'T',
  size: 1,
}
const AUDIO: ContentBlock = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }
const LEGACY: Revision[] = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const project = (result: Partial<CallToolResult>, revision: Revision) =>
  projectResult({ content: [TEXT], ...result }, revision)

describe('projectResult', () => {
  const table: [unknown, Revision[]][] = [
    [{ a: 1 }, ['2025-06-18', '2025-11-25', '2026-07-28']],
    [{}, ['2025-06-18', '2025-11-25', '2026-07-28']],
    [[], ['2026-07-28']],
    [null, ['2026-07-28']],
    [0, ['2026-07-28']],
    [false, ['2026-07-28']],
    ['', ['2026-07-28']],
  ]
  for (const [structuredContent, shown] of table) {
    for (const revision of [...LEGACY, '2026-07-28'] as const) {
      const isShown = shown.includes(revision)
      it(`§9.2 #53: ${isShown ? 'keeps' : 'leaves out'} a structuredContent of ${JSON.stringify(structuredContent)} for ${revision}`, () => {
        const result = { content: [TEXT], structuredContent }
        assert.deepEqual(projectResult(result, revision), isShown ? result : { content: [TEXT] })
      })
    }
  }

  it('adds no structuredContent where there is none', () => {
    for (const revision of LEGACY) assert.deepEqual(project({}, revision), { content: [TEXT] })
  })

  it('keeps isError and members nobody knows', () => {
    for (const revision of LEGACY) {
      assert.deepEqual(project({ isError: true, later: 1 }, revision), {
        content: [TEXT],
        isError: true,
        later: 1,
      })
    }
  })

  it('§9.2 #52: turns a link to text before 2025-06-18, which brought links', () => {
    const text = { type: 'text', text: 'A: file:///a' }
    const content = [TEXT, LINK]
    assert.deepEqual(project({ content }, '2024-11-05').content, [TEXT, text])
    assert.deepEqual(project({ content }, '2025-03-26').content, [TEXT, text])
    assert.deepEqual(project({ content }, '2025-06-18').content, content)
    assert.deepEqual(project({ content }, '2026-07-28').content, content)
  })

  // "Served like 2025-03-26 without what that revision added" (surfaces.md D24): it added audio.
  it('D24: sends no audio to 2024-11-05, which knows none', () => {
    const content = [AUDIO, TEXT]
    assert.deepEqual(project({ content }, '2024-11-05').content, [
      { type: 'text', text: '[audio audio/wav]' },
      TEXT,
    ])
    assert.deepEqual(project({ content }, '2025-03-26').content, content)
  })

  // The promise of projectResult itself; blocks have _meta since 2025-06-18 (§6.2).
  it('sends no _meta of blocks before 2025-06-18', () => {
    const content = [{ ...TEXT, _meta: { x: 1 } }]
    assert.deepEqual(project({ content }, '2025-03-26').content, [TEXT])
    assert.deepEqual(project({ content }, '2025-06-18').content, content)
  })

  it('sends no _meta of an embedded resource before 2025-06-18, and keeps that of the result', () => {
    const resource = { uri: 'file:///a', text: 'x' }
    const content: ContentBlock[] = [
      { type: 'resource', resource: { ...resource, _meta: { x: 1 } }, _meta: { y: 1 } },
    ]
    const plain = [{ type: 'resource', resource }]
    for (const revision of ['2024-11-05', '2025-03-26'] as const) {
      assert.deepEqual(project({ content, _meta: { z: 1 } }, revision), {
        content: plain,
        _meta: { z: 1 },
      })
    }
    assert.deepEqual(project({ content }, '2025-06-18').content, content)
  })

  // Stored results are open objects; what was recorded from a 2026 server has these.
  it('§9.2 #31: sends no resultType, ttlMs, cacheScope of a stored result before 2026-07-28', () => {
    const stored = { resultType: 'complete', ttlMs: 1, cacheScope: 'public' }
    for (const revision of LEGACY) assert.deepEqual(project(stored, revision), { content: [TEXT] })
  })

  it('says in a text what a revision cannot have as structure, where nothing else is said', () => {
    const result = { content: [], structuredContent: [1, 2] }
    const text = [{ type: 'text', text: '[1,2]' }]
    for (const revision of LEGACY) assert.deepEqual(projectResult(result, revision).content, text)
    assert.deepEqual(projectResult(result, '2026-07-28'), result)
  })

  it('leaves the stored result as it is', () => {
    const stored = { content: [LINK], structuredContent: [1] }
    projectResult(stored, '2025-03-26')
    assert.deepEqual(stored, { content: [LINK], structuredContent: [1] })
  })
})
