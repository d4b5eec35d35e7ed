import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import {
  duePublications,
  markPublished,
  nextPublicationAt,
  notePublication,
  notePutAgain,
  PUBLISH_GAP_MS,
  unannounced,
  markAnnounced,
} from '../../../src/objects/organization/publications.ts'
import { createSql } from '../../support/sql.ts'

const NOW = 1_000_000_000
const LATER = NOW + PUBLISH_GAP_MS
const MINUTES = 60_000

describe('Publications', () => {
  let sql: SqlStorage
  const names = (sealedBy: string, now: number) =>
    duePublications(sql, sealedBy, now).map(({ name }) => name)
  /** Puts and announces everything that is due. */
  const publish = (sealedBy: string, now: number) => {
    const due = duePublications(sql, sealedBy, now)
    for (const one of due) markPublished(sql, one, sealedBy, now)
    for (const one of unannounced(sql, 100)) markAnnounced(sql, one)
    return due.length
  }
  beforeEach(() => {
    sql = createSql()
  })

  it('leave nothing to do where nothing is sealed, or all by the first key', () => {
    for (const sealedBy of ['', 'k1']) {
      sql = createSql()
      notePublication(sql, 'server', 'a', 7)
      assert.equal(publish(sealedBy, NOW), 1)
      assert.equal(nextPublicationAt(sql, sealedBy), undefined)
      assert.deepEqual(names(sealedBy, LATER), [])
    }
  })

  it('are put again where another key sealed them, in the version they have, told to nobody', () => {
    notePublication(sql, 'server', 'a', 7)
    publish('k1', NOW)
    assert.equal(nextPublicationAt(sql, 'k2'), LATER)
    assert.deepEqual(names('k2', LATER - 1), [])
    const [due] = duePublications(sql, 'k2', LATER)
    assert.deepEqual({ ...due }, { kind: 'server', name: 'a', version: 7, published: 7 })
    for (const one of duePublications(sql, 'k2', LATER)) markPublished(sql, one, 'k2', LATER)
    assert.deepEqual(unannounced(sql, 10), [])
    assert.equal(nextPublicationAt(sql, 'k2'), undefined)
    assert.deepEqual(names('k1', LATER + PUBLISH_GAP_MS), ['a']) // and back
  })

  it('are put again a few at a time, after all that changed', () => {
    for (let n = 0; n < 25; n++) notePublication(sql, 'credential', `c${n}`)
    while (publish('k1', NOW) > 0);
    notePublication(sql, 'server', 'changed', 2)
    const [first, ...rest] = names('k2', LATER)
    assert.deepEqual([first, rest.length], ['changed', 10])
    const counts: number[] = []
    for (let count = publish('k2', LATER); count > 0; count = publish('k2', LATER))
      counts.push(count)
    assert.deepEqual(counts, [11, 10, 5])
  })

  it('are put again when they do not open, once in two minutes, and no others', () => {
    for (const name of ['a', 'b']) notePublication(sql, 'principal', name)
    publish('k1', NOW)
    notePutAgain(sql, { kind: 'principal', name: 'a' }, NOW + 2 * MINUTES - 1)
    notePutAgain(sql, { kind: 'server', name: 'b' }, NOW + 2 * MINUTES)
    assert.equal(nextPublicationAt(sql, 'k1'), undefined)
    notePutAgain(sql, { kind: 'principal', name: 'a' }, NOW + 2 * MINUTES)
    assert.deepEqual(names('k1', NOW + 2 * MINUTES), ['a'])
    publish('k1', NOW + 2 * MINUTES)
    notePutAgain(sql, { kind: 'principal', name: 'a' }, NOW + 3 * MINUTES)
    assert.deepEqual(names('k1', NOW + 3 * MINUTES), [])
  })

  it('are looked for by index, whichever key sealed them', () => {
    const plans: string[] = []
    const explaining = {
      exec(query: string, ...bindings: never[]) {
        const plan = sql.exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...bindings)
        plans.push(...plan.toArray().map(({ detail }) => detail))
        return sql.exec(query, ...bindings)
      },
    } as unknown as SqlStorage
    nextPublicationAt(explaining, 'k1')
    duePublications(explaining, 'k1', NOW)
    assert.ok(plans.some((detail) => detail.includes('publications_sealed_by')))
    // Without a condition only what is due, or not announced, stands in an index of its own.
    const scans = plans.filter((detail) => detail.startsWith('SCAN publications'))
    assert.deepEqual(
      scans.filter((detail) => !/publications_(?:due|unannounced)/.test(detail)),
      [],
    )
  })
})
