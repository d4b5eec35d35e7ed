/** The list against its one-sentence definition, for random servers and callers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { Catalog } from '../../src/catalog/catalog.ts'
import { formatPublished } from '../../src/catalog/published.ts'
import { parseServerFile } from '../../src/catalog/server-file.ts'
import { ANONYMOUS } from '../../src/callers/caller.ts'
import { BoundedMap } from '../../src/memory/bounded-map.ts'
import { list } from '../../src/methods/list.ts'
import { readItems, writeItems } from '../../src/objects/organization/items.ts'
import { ORGANIZATION, readPublished, SERVER_ID } from '../support/catalogs.ts'
import { asSent, callerFor, exchangeOf } from '../support/exchanges.ts'
import { serverFile, tool } from '../support/servers.ts'
import { createSql } from '../support/sql.ts'

type Drawn = {
  name: string
  status: 'active' | 'paused'
  sortOrder: number | undefined
  description: string
}

/** Few sort orders, so that many tie; names and texts from everything that may stand in them. */
const toolsOf: fc.Arbitrary<Drawn[]> = fc.uniqueArray(
  fc.record({
    name: fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/).filter((name) => !/^\.{1,2}$/.test(name)),
    status: fc.constantFrom('active', 'paused'),
    sortOrder: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    description: fc.string({ unit: 'binary', maxLength: 20 }),
  }),
  { selector: ({ name }) => name, maxLength: 15 },
)

/** "Active tools, by sort order then creation, that the caller's key names." */
function reference(tools: readonly Drawn[], visible: readonly string[] | undefined) {
  const created = tools.map((drawn, index) => ({
    ...drawn,
    index,
    order: drawn.sortOrder ?? index,
  }))
  const visibleOnes = created.filter(
    ({ name, status }) => status === 'active' && (visible?.includes(name) ?? true),
  )
  visibleOnes.sort((a, b) => a.order - b.order || a.index - b.index)
  return visibleOnes.map(({ name, description }) => ({
    name,
    description,
    inputSchema: { type: 'object' },
  }))
}

/** The same through everything a list goes through: file, database, published value, catalog. */
async function listed(
  tools: readonly Drawn[],
  visible: readonly string[] | undefined,
  pageSize?: number,
) {
  const file = serverFile(
    'One',
    tools.map(({ name, ...members }) => tool(name, members)),
    { pageSize },
  )
  const { settings, items: records } = parseServerFile(JSON.parse(JSON.stringify(file)))
  const sql = createSql()
  writeItems(sql, SERVER_ID, 1, { put: records, remove: 'others' })
  const active = readItems(sql, SERVER_ID).filter(({ status }) => status === 'active')
  const server = { organization: ORGANIZATION, id: SERVER_ID, revision: 1, settings }
  const catalog = new Catalog(
    readPublished(formatPublished(server, active)),
    new BoundedMap(100_000),
  )
  const caller = visible === undefined ? ANONYMOUS : callerFor(...visible)
  const all: unknown[] = []
  for (let cursor: unknown; ;) {
    const params = cursor === undefined ? {} : { cursor }
    const { tools: page, nextCursor } = asSent(
      await list('tools', exchangeOf(catalog, { caller, params })),
    )
    all.push(...page)
    if (nextCursor === undefined) return all
    cursor = nextCursor
  }
}

const visibleOf = (tools: readonly Drawn[]) =>
  fc.option(fc.subarray([...tools.map(({ name }) => name), 'no such tool']), { nil: undefined })
const server = toolsOf.chain((tools) => fc.tuple(fc.constant(tools), visibleOf(tools)))

describe('tools/list of any server, for any caller', () => {
  it('is the active tools, by sort order then creation, that the caller’s key names', async () => {
    await fc.assert(
      fc.asyncProperty(server, async ([tools, visible]) => {
        assert.deepEqual(await listed(tools, visible), reference(tools, visible))
      }),
    )
  })

  it('is the same by pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(server, fc.integer({ min: 1, max: 6 }), async ([tools, visible], size) => {
        assert.deepEqual(await listed(tools, visible, size), reference(tools, visible))
      }),
    )
  })
})
