import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { KINDS, type Kind } from '../../src/catalog/item.ts'
import { formatCursor, type Signing } from '../../src/methods/cursor.ts'
import type { Exchange } from '../../src/methods/exchange.ts'
import { list } from '../../src/methods/list.ts'
import { ORGANIZATION, SERVER_ID, catalogOf } from '../support/catalogs.ts'
import { asSent, callerFor, exchangeOf, modernExchangeOf } from '../support/exchanges.ts'
import { prompt, resource, serverFile, template, tool } from '../support/servers.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
const paged = (pageSize: number | undefined, names = NAMES, revision = 1, members: object = {}) =>
  catalogOf(
    serverFile(
      'One',
      names.map((name) => tool(name)),
      { pageSize, ...members },
    ),
    revision,
  )
const listed = async (kind: Kind, exchange: Exchange) => list(kind, exchange)
const page = async (exchange: Exchange) => asSent(await listed('tools', exchange))
const namesOf = (result: { tools: { name: string }[] }) => result.tools.map(({ name }) => name)

/** Follows cursors to the end; `exchangeAt` gives the exchange of each page. */
async function walk(exchangeAt: (cursor: string | undefined, pages: number) => Exchange) {
  const pages = [await page(exchangeAt(undefined, 0))]
  for (let cursor = pages[0].nextCursor; cursor !== undefined; cursor = pages.at(-1).nextCursor) {
    pages.push(await page(exchangeAt(cursor, pages.length)))
    assert.ok(pages.length < 100, 'the walk goes on for ever')
  }
  return { pages, names: pages.flatMap(namesOf) }
}

const withCursor = (cursor: string | undefined) => ({
  params: cursor === undefined ? {} : { cursor },
})

describe('tools/list without a page size', () => {
  it('answers with everything at once', async () => {
    const result = await page(exchangeOf(paged(undefined)))
    assert.deepEqual(Object.keys(result), ['tools'])
    assert.deepEqual(namesOf(result), NAMES)
  })

  it('§9.2 #35: answers a 2026 client with resultType, cache hints and serverInfo', async () => {
    const { tools: _, ...members } = await page(modernExchangeOf(paged(undefined)))
    assert.deepEqual(Object.keys(members).toSorted(), [
      '_meta',
      'cacheScope',
      'resultType',
      'ttlMs',
    ])
    assert.deepEqual([members.ttlMs, members.cacheScope], [30_000, 'public'])
  })

  it('shows a caller the tools of its key, and none that the key only names', async () => {
    const result = await page(exchangeOf(paged(undefined), { caller: callerFor('f', 'b', 'none') }))
    assert.deepEqual(namesOf(result), ['b', 'f'])
  })

  it('§9.2 #36: is never public where callers may see different lists', async () => {
    const catalog = paged(undefined, NAMES, 1, { auth: 'key' })
    for (const caller of [callerFor('a'), callerFor(...NAMES)]) {
      assert.equal((await page(modernExchangeOf(catalog, { caller }))).cacheScope, 'private')
    }
  })

  it('answers an empty list', async () => {
    assert.deepEqual(await page(exchangeOf(paged(undefined, []))), { tools: [] })
    assert.deepEqual(await page(exchangeOf(paged(3, []))), { tools: [] })
  })
})

describe('tools/list by pages', () => {
  for (const size of [1, 2, 3, 6, 7, 8, 100]) {
    it(`§9.2 #48: visits each tool once by pages of ${size}`, async () => {
      const catalog = paged(size)
      const { pages, names } = await walk((cursor) => exchangeOf(catalog, withCursor(cursor)))
      assert.deepEqual(names, NAMES)
      assert.ok(pages.every(({ tools }) => tools.length <= size))
      assert.equal(pages.length, Math.ceil(NAMES.length / size))
    })
  }

  for (const visible of [
    ['a'],
    ['g'],
    ['a', 'g'],
    ['b', 'd', 'f'],
    ['a', 'b', 'c', 'd', 'e', 'f'],
    ['none'],
    [],
  ]) {
    it(`fills the pages of a caller who sees ${visible.join(', ') || 'nothing'}`, async () => {
      const catalog = paged(2)
      const caller = callerFor(...visible)
      const { pages, names } = await walk((cursor) =>
        exchangeOf(catalog, { caller, ...withCursor(cursor) }),
      )
      assert.deepEqual(
        names,
        NAMES.filter((name) => visible.includes(name)),
      )
      assert.equal(pages.length, Math.max(1, Math.ceil(names.length / 2)))
    })
  }

  it('§9.2 #35: has the same scope on all pages, and each its ttl', async () => {
    const catalog = paged(2, NAMES, 1, { auth: 'key', ttlMs: 7 })
    const caller = callerFor('a', 'c', 'e', 'f', 'g')
    const { pages } = await walk((cursor) =>
      modernExchangeOf(catalog, { caller, ...withCursor(cursor) }),
    )
    const hints = pages.map(({ cacheScope, ttlMs, resultType }) =>
      [cacheScope, ttlMs, resultType].join(' '),
    )
    assert.deepEqual(hints, ['private 7 complete', 'private 7 complete', 'private 7 complete'])
  })

  it('projects the tools of a page for the revision that asks', async () => {
    const catalog = catalogOf(serverFile('One', [tool('a', { title: 'A' })], { pageSize: 1 }))
    assert.equal(
      'title' in (await page(exchangeOf(catalog, { revision: '2025-03-26' }))).tools[0],
      false,
    )
    assert.equal((await page(exchangeOf(catalog))).tools[0].title, 'A')
  })
})

const SIGNING: Signing = { keys: ['test'], list: `${ORGANIZATION} ${SERVER_ID} tools ` }

describe('tools/list, a cursor that is none of ours', () => {
  const catalog = paged(2, NAMES, 5)
  const foreign = [
    ['empty text', ''],
    ['junk', 'bm9uc2Vuc2U'],
    ['null', null],
    ['a number', 2],
    ['an object', {}],
    ['an index past the end', formatCursor({ revision: 5, index: 8 }, SIGNING)],
    ['a revision that has expired', formatCursor({ revision: 4, index: 2 }, SIGNING)],
    ['a revision that is yet to come', formatCursor({ revision: 6, index: 2 }, SIGNING)],
    ['a cursor of another make', btoa('{"offset":2}')],
  ] as const
  for (const [what, cursor] of foreign) {
    it(`§9.2 #48: answers ${what} with -32602, with and without a page size`, async () => {
      const refused = { code: -32602, status: 200 }
      await assert.rejects(listed('tools', exchangeOf(catalog, { params: { cursor } })), refused)
      const whole = paged(undefined, NAMES, 5)
      await assert.rejects(
        listed('tools', modernExchangeOf(whole, { params: { cursor } })),
        refused,
      )
    })
  }
})

describe('tools/list, a server that changes during the walk', () => {
  /** Walks with the catalog `before` for the first page and `after` from then on. */
  const changing = (before: Catalog, after: Catalog) =>
    walk((cursor, pages) =>
      exchangeOf(pages === 0 ? before : after, {
        ...withCursor(cursor),
        catalogAt: async (revision) =>
          [before, after].find((catalog) => catalog.revision === revision),
      }),
    )

  it('goes on from the revision it began at: nothing repeats, nothing that stayed is skipped', async () => {
    const { names } = await changing(
      paged(2),
      paged(2, ['g', 'new', 'f', 'e', 'd', 'c', 'b', 'a'], 2),
    )
    assert.deepEqual(names, NAMES)
  })

  it('leaves out a tool that was paused meanwhile, and fills the page with the next', async () => {
    const { pages, names } = await changing(paged(2), paged(2, ['a', 'b', 'd', 'e', 'f', 'g'], 2))
    assert.deepEqual(names, ['a', 'b', 'd', 'e', 'f', 'g'])
    assert.deepEqual(
      pages.map(({ tools }) => tools.length),
      [2, 2, 2],
    )
  })

  it('ends without an empty page when all the rest was paused', async () => {
    const { names } = await changing(paged(2), paged(2, ['a', 'b'], 2))
    assert.deepEqual(names, ['a', 'b'])
  })

  it('goes on where the isolate of the next page has an older copy', async () => {
    const { names } = await changing(paged(2, NAMES, 2), paged(2, ['a'], 1))
    assert.deepEqual(names, NAMES)
  })

  it('gives the rest at once when the page size was taken away', async () => {
    const { pages, names } = await changing(paged(2), paged(undefined, NAMES, 2))
    assert.deepEqual(names, NAMES)
    assert.equal(pages.length, 2)
  })

  it('starts over, by -32602, once its revision has expired', async () => {
    const { nextCursor: cursor } = await page(exchangeOf(paged(2)))
    const params = { params: { cursor }, catalogAt: async () => undefined }
    await assert.rejects(listed('tools', exchangeOf(paged(2, NAMES, 9), params)), {
      code: -32602,
      message: /start over/,
    })
  })
})

describe('the lists of other kinds', () => {
  const names = ['a', 'b', 'c']
  const others = {
    prompts: names.map((name) => prompt(name)),
    resources: names.map((name) => resource(`x:${name}`)),
    resourceTemplates: names.map((name) => template(`x:{${name}}`)),
  }
  const tools = names.map((name) => tool(name))
  const server = (members: object = {}) =>
    catalogOf(serverFile('One', tools, { ...others, ...members }))

  for (const kind of KINDS) {
    it(`${kind}: answers with everything at once, under the name of the kind`, async () => {
      const result = asSent(await list(kind, exchangeOf(server())))
      assert.deepEqual(Object.keys(result), [kind])
      assert.equal(result[kind].length, 3)
      const modern = asSent(await list(kind, modernExchangeOf(server())))
      assert.deepEqual(modern[kind], result[kind])
      assert.deepEqual(
        Object.keys(modern).toSorted(),
        ['_meta', 'cacheScope', 'resultType', kind, 'ttlMs'].toSorted(),
      )
    })

    it(`${kind}: visits each item once by pages`, async () => {
      const catalog = server({ pageSize: 2 })
      const first = asSent(await list(kind, exchangeOf(catalog)))
      const params = { cursor: first.nextCursor }
      const second = asSent(await list(kind, exchangeOf(catalog, { params })))
      assert.equal(second.nextCursor, undefined)
      const whole = asSent(await list(kind, exchangeOf(server())))
      assert.deepEqual([...first[kind], ...second[kind]], whole[kind])
    })

    it(`${kind}: answers an empty list, and junk cursors with -32602`, async () => {
      const empty = catalogOf(serverFile('One'))
      assert.deepEqual(asSent(await list(kind, exchangeOf(empty))), { [kind]: [] })
      const params = { cursor: 'junk' }
      await assert.rejects(listed(kind, exchangeOf(empty, { params })), { code: -32602 })
    })

    it(`${kind}: ${kind === 'tools' ? 'follows' : 'does not follow'} the tools of a key`, async () => {
      const result = asSent(await list(kind, exchangeOf(server(), { caller: callerFor('b') })))
      assert.equal(result[kind].length, kind === 'tools' ? 1 : 3)
    })
  }
})
