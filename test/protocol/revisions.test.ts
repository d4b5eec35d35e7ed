import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ASSUMED_LEGACY,
  isLegacyRevision,
  isModern,
  LEGACY_REVISIONS,
  MODERN_REVISION,
  NEWEST_LEGACY,
  REVISIONS,
  SUPPORTED_VERSIONS,
} from '../../src/protocol/revisions.ts'

describe('revisions', () => {
  const eras: [string, 'legacy' | 'modern' | 'neither'][] = [
    ['2024-11-05', 'legacy'],
    ['2025-03-26', 'legacy'],
    ['2025-06-18', 'legacy'],
    ['2025-11-25', 'legacy'],
    ['2026-07-27', 'neither'],
    ['2026-07-28', 'modern'],
    ['2026-07-29', 'modern'],
    ['2027-01-01', 'modern'],
    ['v999', 'modern'],
    ['1999-01-01', 'neither'],
    ['2025-11-25 ', 'neither'],
    ['constructor', 'modern'],
    ['', 'neither'],
  ]
  for (const [revision, era] of eras) {
    it(`count '${revision}' as ${era}`, () => {
      assert.equal(isLegacyRevision(revision), era === 'legacy')
      assert.equal(isModern(revision), era === 'modern')
    })
  }

  it('advertise only what is modern, and hand out the newest legacy one', () => {
    assert.deepEqual(SUPPORTED_VERSIONS, ['2026-07-28'])
    assert.equal(NEWEST_LEGACY, LEGACY_REVISIONS.toSorted().at(-1))
    assert.equal(ASSUMED_LEGACY, '2025-03-26')
  })

  it('stand in one list of both eras, oldest first', () => {
    assert.deepEqual(REVISIONS, [...LEGACY_REVISIONS, MODERN_REVISION])
    assert.deepEqual(REVISIONS, REVISIONS.toSorted())
  })
})
