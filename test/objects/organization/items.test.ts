import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { KINDS, type ItemRecord } from '../../../src/catalog/item.ts'
import { parseServerFile } from '../../../src/catalog/server-file.ts'
import {
  lastSortOrder,
  measureItems,
  readItem,
  readItemPage,
  readItems,
  writeItems,
} from '../../../src/objects/organization/items.ts'
import { SERVER_ID } from '../../support/catalogs.ts'
import { prompt, resource, serverFile, template, tool } from '../../support/servers.ts'
import { createSql } from '../../support/sql.ts'

const itemsOf = (tools: readonly object[], members: object = {}): ItemRecord[] =>
  parseServerFile(serverFile('One', tools, members)).items

const EACH = itemsOf([tool('same'), tool('b')], {
  prompts: [prompt('same'), prompt('p', { status: 'paused' })],
  resources: [resource('x:r')],
  resourceTemplates: [template('x:{t}')],
})

const inOrder = (items: readonly ItemRecord[]) =>
  items.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
const namesOf = (items: readonly ItemRecord[]) => items.map(({ kind, name }) => `${kind} ${name}`)

function written(items: readonly ItemRecord[] = EACH) {
  const sql = createSql()
  writeItems(sql, SERVER_ID, 1, { put: items, remove: 'others' })
  return sql
}

describe('the items of a server in the database', () => {
  it('read back as they were written, one name in two kinds too', () => {
    assert.deepEqual(inOrder(readItems(written(), SERVER_ID)), inOrder(EACH))
  })

  it('are found by kind and name', () => {
    const sql = written()
    for (const item of EACH) {
      assert.deepEqual(readItem(sql, SERVER_ID, item.kind, item.name), item)
    }
    assert.equal(readItem(sql, SERVER_ID, 'resources', 'same'), undefined)
    assert.equal(readItem(sql, 'other', 'tools', 'same'), undefined)
  })

  it('change nothing when the same is put again', () => {
    const sql = written()
    assert.equal(writeItems(sql, SERVER_ID, 2, { put: EACH, remove: 'others' }), false)
    assert.equal(writeItems(sql, SERVER_ID, 2, { put: [], remove: [] }), false)
  })

  it('lose the named one of its kind alone', () => {
    const sql = written()
    const remove = [{ kind: 'prompts', name: 'same' }] as const
    assert.equal(writeItems(sql, SERVER_ID, 2, { put: [], remove }), true)
    const expected = EACH.filter(({ kind, name }) => kind !== 'prompts' || name !== 'same')
    assert.deepEqual(inOrder(readItems(sql, SERVER_ID)), inOrder(expected))
    assert.deepEqual(inOrder(readItems(sql, SERVER_ID, 1)), inOrder(EACH))
  })

  it('lose all others when that is asked for', () => {
    const sql = written()
    const put = itemsOf([tool('b')])
    assert.equal(writeItems(sql, SERVER_ID, 2, { put, remove: 'others' }), true)
    assert.deepEqual(namesOf(readItems(sql, SERVER_ID)), ['tools b'])
  })

  it('read by pages of one kind, each once, in order', () => {
    const sql = written(
      itemsOf(
        [4, 2, 2, 1, 9].map((sortOrder, n) => tool(`t${n}`, { sortOrder })),
        { prompts: [prompt('p')] },
      ),
    )
    const names: string[] = []
    let after: { sortOrder: number; created: number } | undefined = { sortOrder: -1, created: 0 }
    while (after !== undefined) {
      const bounds = { items: 2, characters: 1_000_000 }
      const page = readItemPage(sql, SERVER_ID, 'tools', after, bounds)
      assert.ok(page.items.length <= 2)
      names.push(...page.items.map(({ name }) => name))
      after = page.next
    }
    assert.deepEqual(names, ['t3', 't1', 't2', 't0', 't4'])
  })

  it('count tools alone, and measure all in bytes', () => {
    const { tools, bytes } = measureItems(written(), SERVER_ID)
    assert.equal(tools, 2)
    const least = EACH.reduce(
      (sum, { definition, binding }) => sum + definition.length + binding.length,
      0,
    )
    assert.ok(bytes >= least && bytes < least + EACH.length * 100)
    assert.deepEqual({ ...measureItems(createSql(), SERVER_ID) }, { tools: 0, bytes: 0 })
  })

  it('are put last among their kind', () => {
    const sql = written()
    assert.equal(lastSortOrder(sql, SERVER_ID, 'tools'), 2)
    assert.equal(lastSortOrder(sql, SERVER_ID, 'resources'), 1)
    assert.equal(lastSortOrder(createSql(), SERVER_ID, 'tools'), 0)
  })
})
